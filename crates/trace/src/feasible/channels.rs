//! Channels as in *Ready, Set, Go!* Fig. 4, without the happens-before sets: buffers, rendezvous, and the end of a channel.

use super::{Rule, slot};
use crate::{ChanId, Tid};
use std::collections::VecDeque;

/// The capacity of a channel whose making the log missed: never full.
pub(super) const UNKNOWN_CAPACITY: u32 = u32::MAX;

/// The two sides of a transfer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Half {
    Send,
    Receive,
}

/// What a send or receive does to threads.
pub(super) enum Outcome {
    /// It went through the buffer.
    Done,
    /// First half of a rendezvous.
    Blocks,
    /// Second half of a rendezvous; this thread goes on.
    Frees(Tid),
}

/// `values` is for buffered channels, `blocked` for rendezvous: the threads of first halves, all of one kind, in order.
#[derive(Clone)]
struct Channel {
    capacity: u32,
    closed: bool,
    values: u64,
    blocked: VecDeque<Tid>,
    half: Half,
}

#[derive(Clone, Default)]
pub(super) struct Channels(Vec<Option<Channel>>);

impl Channels {
    fn get(&self, chan: ChanId) -> Result<&Channel, Rule> {
        self.0.get(chan.index()).and_then(Option::as_ref).ok_or(Rule::ChannelNotMade { chan })
    }

    pub(super) fn check_make(&self, chan: ChanId) -> Result<(), Rule> {
        match self.get(chan) {
            Ok(_) => Err(Rule::ChannelMadeTwice { chan }),
            Err(_) => Ok(()),
        }
    }

    pub(super) fn check_send(&self, chan: ChanId) -> Result<(), Rule> {
        match *self.get(chan)? {
            Channel { closed: true, .. } => Err(Rule::SentOnClosed { chan }),
            Channel { capacity: 0 | UNKNOWN_CAPACITY, .. } => Ok(()),
            Channel { capacity, values, .. } if values >= u64::from(capacity) => {
                Err(Rule::ChannelFull { chan, capacity })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn check_receive(&self, chan: ChanId) -> Result<(), Rule> {
        match *self.get(chan)? {
            // Nobody can send any more, and a close leaves no sender blocked.
            Channel { capacity: 0, closed: true, .. } => Err(Rule::ChannelEmpty { chan }),
            Channel { capacity: 1.., values: 0, .. } => Err(Rule::ChannelEmpty { chan }),
            _ => Ok(()),
        }
    }

    pub(super) fn check_receive_closed(&self, chan: ChanId) -> Result<(), Rule> {
        match *self.get(chan)? {
            Channel { closed: false, .. } => Err(Rule::NotClosed { chan }),
            Channel { values: left @ 1.., .. } => Err(Rule::NotDrained { chan, left }),
            _ => Ok(()),
        }
    }

    pub(super) fn check_close(&self, chan: ChanId) -> Result<(), Rule> {
        let state = self.get(chan)?;
        match state.blocked.front() {
            _ if state.closed => Err(Rule::ClosedTwice { chan }),
            None => Ok(()),
            Some(&blocked) if state.half == Half::Send => Err(Rule::ClosedUnderSender { chan, blocked }),
            Some(&blocked) => Err(Rule::ClosedUnderReceiver { chan, blocked }),
        }
    }

    /// Would a send succeed without blocking?
    pub(super) fn has_room(&self, chan: ChanId) -> bool {
        self.check_send(chan).is_ok() && self.get(chan).is_ok_and(|state| state.capacity > 0)
    }

    pub(super) fn record_make(&mut self, chan: ChanId, capacity: u32) {
        let made = Channel { capacity, closed: false, values: 0, blocked: VecDeque::new(), half: Half::Send };
        *slot(&mut self.0, chan.index()) = Some(made);
    }

    pub(super) fn record_half(&mut self, t: Tid, chan: ChanId, half: Half) -> Outcome {
        let Some(state) = slot(&mut self.0, chan.index()) else { return Outcome::Done };
        match (state.capacity, half) {
            (1.., Half::Send) => state.values += 1,
            (1.., Half::Receive) => state.values -= 1,
            (0, _) => return state.meet(t, half),
        }
        Outcome::Done
    }

    pub(super) fn record_close(&mut self, chan: ChanId) {
        if let Some(state) = slot(&mut self.0, chan.index()) {
            state.closed = true;
        }
    }
}

impl Channel {
    /// First come, first served: a half meets the longest blocked one of the other kind.
    fn meet(&mut self, t: Tid, half: Half) -> Outcome {
        if self.half != half
            && let Some(partner) = self.blocked.pop_front()
        {
            return Outcome::Frees(partner);
        }
        self.half = half;
        self.blocked.push_back(t);
        Outcome::Blocks
    }
}
