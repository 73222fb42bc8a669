//! Channels: *Ready, Set, Go!*, Figures 4 and 5, with `select` and `close`.
//!
//! A buffered channel is a queue with room for `k` values. On a channel without room a sender and a receiver move in one step [R-REND], which is told as the
//! sender's; a `select` with a default never waits, so it is told as that one's if it receives.

use super::{Digest, Done, Life, Machine};
use crate::code::{BranchGuard, Instr, Pc, Reg};
use deadheat_explore::{FaultKind, Log};
use deadheat_trace::{Event, Loc, Op, Tid};
use std::collections::VecDeque;

/// All channels of a run, by their numbers.
#[derive(Clone, Debug, Default)]
pub struct Channels(Vec<Channel>);

#[derive(Clone, Debug, Default)]
struct Channel {
    room: usize,
    queue: VecDeque<i64>,
    closed: bool,
}

impl Channels {
    /// No channel is there.
    pub fn reset(&mut self) {
        for channel in &mut self.0 {
            channel.queue.clear();
            (channel.room, channel.closed) = (0, false);
        }
    }

    /// Makes the channel with that number.
    pub fn make(&mut self, number: usize, room: usize) {
        if self.0.len() <= number {
            self.0.resize_with(number + 1, Channel::default);
        }
        self.0[number].room = room;
    }

    fn at(&self, value: i64) -> Option<&Channel> {
        self.0.get(usize::try_from(value.checked_sub(1)?).ok()?)
    }

    fn at_mut(&mut self, value: i64) -> Option<&mut Channel> {
        self.0.get_mut(usize::try_from(value.checked_sub(1)?).ok()?)
    }

    pub(super) fn digest(&self, digest: &mut Digest) {
        for channel in &self.0 {
            digest.add(channel.queue.len() as i64 * 2 + i64::from(channel.closed));
            channel.queue.iter().for_each(|v| digest.add(*v));
        }
    }
}

/// The largest channel.
const MOST_ROOM: u32 = 1 << 20;

/// One branch with its operands: what a thread could do to a channel.
#[derive(Clone, Copy, Debug)]
enum Offer {
    Send { chan: i64, value: i64 },
    Receive { chan: i64, into: Reg },
}

/// Where a thread goes on, and what it offers there.
#[derive(Clone, Copy, Debug)]
struct Arm {
    offer: Offer,
    next: Pc,
}

/// One way in which a thread can go on.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// That arm, alone: the queue has room or a value, or the channel is closed.
    Alone(Arm),
    /// That arm, with another thread's arm.
    Meet(Arm, Tid, Arm),
    /// No arm is ready.
    Default(Pc),
}

impl Machine {
    /// In how many ways the channel operation can be done that `tid` stands before.
    pub(super) fn ways(&self, tid: Tid) -> u32 {
        let mut count = 0;
        self.each_way(tid, &mut |_| count += 1);
        count
    }

    fn each_way(&self, tid: Tid, f: &mut dyn FnMut(Way)) {
        let mut ready = false;
        self.each_arm(tid, &mut |arm| {
            self.each_way_of(tid, arm, &mut |way| {
                ready = true;
                f(way);
            });
        });
        if let (false, Some(default)) = (ready, self.default_of(tid)) {
            f(Way::Default(default));
        }
    }

    fn each_way_of(&self, tid: Tid, arm: Arm, f: &mut dyn FnMut(Way)) {
        let (Offer::Send { chan, .. } | Offer::Receive { chan, .. }) = arm.offer;
        let Some(channel) = self.channels.at(chan) else { return f(Way::Alone(arm)) };
        let alone = match arm.offer {
            Offer::Send { .. } => channel.closed || channel.queue.len() < channel.room,
            Offer::Receive { .. } => channel.closed || !channel.queue.is_empty(),
        };
        if alone {
            return f(Way::Alone(arm));
        }
        // A receiver that waits is found by the sender.
        let waits = self.default_of(tid).is_none();
        if channel.room > 0 || waits && matches!(arm.offer, Offer::Receive { .. }) {
            return;
        }
        for other in (0..self.created).map(Tid).filter(|other| *other != tid) {
            if self.thread(other).life != Life::Running || self.default_of(other).is_some() {
                continue;
            }
            self.each_arm(other, &mut |theirs| match (arm.offer, theirs.offer) {
                (Offer::Send { .. }, Offer::Receive { chan: c, .. })
                | (Offer::Receive { .. }, Offer::Send { chan: c, .. })
                    if c == chan =>
                {
                    f(Way::Meet(arm, other, theirs));
                }
                _ => {}
            });
        }
    }

    /// What the channel operation offers that `tid` stands before; nothing if it stands before something else.
    fn each_arm(&self, tid: Tid, f: &mut dyn FnMut(Arm)) {
        let thread = self.thread(tid);
        let next = Pc(thread.pc.0 + 1);
        let arm = |guard, next| Arm {
            offer: match guard {
                BranchGuard::Send(c, v) => Offer::Send { chan: thread.get(c), value: thread.get(v) },
                BranchGuard::Receive(into, c) => Offer::Receive { chan: thread.get(c), into },
            },
            next,
        };
        match self.instr(thread.pc) {
            Instr::Send(c, v) => f(arm(BranchGuard::Send(c, v), next)),
            Instr::Receive(into, c) => f(arm(BranchGuard::Receive(into, c), next)),
            Instr::Select(n) => {
                self.code.selects[n as usize].branches.iter().for_each(|b| f(arm(b.guard, b.target)));
            }
            _ => {}
        }
    }

    fn default_of(&self, tid: Tid) -> Option<Pc> {
        match self.instr(self.thread(tid).pc) {
            Instr::Select(n) => self.code.selects[n as usize].default,
            _ => None,
        }
    }

    /// Does the channel operation that `tid` stands before, in the way with that number.
    pub(super) fn communicate(&mut self, tid: Tid, choice: u32, log: &mut Log) -> Done {
        let (mut chosen, mut n) = (None, 0);
        self.each_way(tid, &mut |way| {
            if n == choice {
                chosen = Some(way);
            }
            n += 1;
        });
        if matches!(self.instr(self.thread(tid).pc), Instr::Select(_)) {
            self.each_arm(tid, &mut |arm| log.peeked.extend(op_of(arm.offer)));
        }
        match chosen {
            None => Ok(()),
            Some(Way::Default(next)) => {
                self.threads[tid.index()].pc = next;
                Ok(())
            }
            Some(Way::Alone(arm)) => self.alone(tid, arm, log),
            Some(Way::Meet(arm, other, theirs)) => {
                self.meet(tid, arm, other, theirs, log);
                Ok(())
            }
        }
    }

    fn alone(&mut self, tid: Tid, arm: Arm, log: &mut Log) -> Done {
        let (Offer::Send { chan, .. } | Offer::Receive { chan, .. }) = arm.offer;
        let Some(channel) = self.channels.at_mut(chan) else {
            return Err(self.fault(tid, FaultKind::Error, "the channel is null"));
        };
        let id = Machine::chan_id(chan);
        let op = match arm.offer {
            Offer::Send { .. } if channel.closed => {
                self.log(log, tid, Op::Send(id));
                return Err(self.fault(tid, FaultKind::Panic, "send on a closed channel"));
            }
            Offer::Send { value, .. } => {
                channel.queue.push_back(value);
                Op::Send(id)
            }
            Offer::Receive { into, .. } => {
                let received = channel.queue.pop_front();
                self.threads[tid.index()].set(into, received.unwrap_or(0));
                match received {
                    Some(_) => Op::Receive(id),
                    None => Op::ReceiveClosed(id),
                }
            }
        };
        self.log(log, tid, op);
        self.threads[tid.index()].pc = arm.next;
        Ok(())
    }

    /// [R-REND] One step of both.
    fn meet(&mut self, tid: Tid, arm: Arm, other: Tid, theirs: Arm, log: &mut Log) {
        let ((sender, Offer::Send { chan, value }), (receiver, Offer::Receive { into, .. })) =
            (match arm.offer {
                Offer::Send { .. } => ((tid, arm.offer), (other, theirs.offer)),
                Offer::Receive { .. } => ((other, theirs.offer), (tid, arm.offer)),
            })
        else {
            unreachable!("a sender meets a receiver");
        };
        let id = Machine::chan_id(chan);
        for (who, op) in [(sender, Op::Send(id)), (receiver, Op::Receive(id))] {
            log.events.push(Event { op, tid: who, loc: Loc(self.thread(who).pc.0) });
        }
        self.threads[receiver.index()].set(into, value);
        self.threads[tid.index()].pc = arm.next;
        self.threads[other.index()].pc = theirs.next;
        self.threads[other.index()].spin.wrote();
        self.settle(other, log);
    }

    /// A new channel.
    pub(super) fn new_channel(&mut self, tid: Tid, into: Reg, room: Reg, log: &mut Log) -> Done {
        let thread = &mut self.threads[tid.index()];
        let (room, rank) = (thread.get(room), thread.channels);
        let Some(capacity) = u32::try_from(room).ok().filter(|n| *n <= MOST_ROOM) else {
            let message = format!("a channel cannot have room for {room} values");
            return Err(self.fault(tid, FaultKind::Error, message));
        };
        thread.channels += 1;
        thread.spin.wrote();
        let id = self.roster.channel(tid, rank);
        self.channels.make(id.index(), capacity as usize);
        self.log(log, tid, Op::ChanMake(id, capacity));
        self.threads[tid.index()].set(into, i64::from(id.0) + 1);
        Ok(())
    }

    /// Tells what a thread offers to others where it has come to stand: operations on channels without room, for which it needs a partner.
    pub(super) fn offer(&self, tid: Tid, log: &mut Log) {
        if !matches!(self.instr(self.thread(tid).pc), Instr::Send(..) | Instr::Receive(..) | Instr::Select(_))
            || self.default_of(tid).is_some()
        {
            return;
        }
        self.each_arm(tid, &mut |arm| {
            let (Offer::Send { chan, .. } | Offer::Receive { chan, .. }) = arm.offer;
            if self.channels.at(chan).is_some_and(|channel| channel.room == 0) {
                log.offered.extend(op_of(arm.offer));
            }
        });
    }

    /// Closes the channel that `tid` names.
    pub(super) fn close(&mut self, tid: Tid, chan: i64, log: &mut Log) -> Done {
        let Some(channel) = self.channels.at_mut(chan) else {
            return Err(self.fault(tid, FaultKind::Error, "the channel is null"));
        };
        let was_closed = std::mem::replace(&mut channel.closed, true);
        self.log(log, tid, Op::Close(Machine::chan_id(chan)));
        match was_closed {
            true => Err(self.fault(tid, FaultKind::Panic, "close of a closed channel")),
            false => Ok(()),
        }
    }

    /// The channel operations that `tid` stands before.
    pub(super) fn offers(&self, tid: Tid, into: &mut Vec<Op>) {
        self.each_arm(tid, &mut |arm| into.extend(op_of(arm.offer)));
    }
}

fn op_of(offer: Offer) -> Option<Op> {
    match offer {
        Offer::Send { chan: 0, .. } | Offer::Receive { chan: 0, .. } => None,
        Offer::Send { chan, .. } => Some(Op::Send(Machine::chan_id(chan))),
        Offer::Receive { chan, .. } => Some(Op::Receive(Machine::chan_id(chan))),
    }
}
