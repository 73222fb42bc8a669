//! One run as it happens: its transitions, their happens-before, and the races between them that a schedule can reverse.
//!
//! Happens-before here is that of partial order reduction, not that of race detection: program order, what makes an operation
//! possible (fork before the child's first step, release before the next acquire, the i-th send before the i-th receive, …), and
//! conflicts ([`objects`](super::objects)) in the order they had. A *reversible race* is a pair of conflicting transitions of
//! different threads with nothing between them in that order; for an operation that may block, what made it possible is left out
//! first, so that two sections of one lock are a race of their acquires. Reversing it is up to the search.
//!
//! After the first runs nothing here allocates: buffers are emptied and used again.

use super::clocks::Clocks;
use super::objects::{Heap, Kind, Names, Touch};
use crate::system::{Action, Log, Status, System};
use deadheat_trace::{ChanId, Op, Tid};

/// No step, no thread.
pub(crate) const NONE: u32 = u32::MAX;

/// One transition of the run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub action: Action,
    /// In how many ways its thread could have gone.
    pub ways: u32,
    /// The other thread that it moves, or [`NONE`].
    pub partner: u32,
    /// How many steps its thread had taken with it.
    pub local: u32,
    /// Where its touches begin and end in [`Trail::touches`].
    pub touches: (u32, u32),
    /// The events that it logged.
    pub events: (u32, u32),
    /// Its direct predecessors, in `preds`.
    preds: (u32, u32),
    /// Did it switch from a thread that could have gone on?
    pub preempts: bool,
}

impl Step {
    /// The thread, and which way it went: [`NONE`] if there was only one.
    #[inline]
    pub(crate) fn key(&self) -> (Tid, u32) {
        (self.action.tid, if self.ways == 1 { NONE } else { self.action.choice })
    }
}

/// The later half of a reversible race.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Later {
    /// A step of the run.
    Step(u32),
    /// What a blocked thread stands before at the end of the run: its touches, in [`Trail::pending`].
    Pending(Tid, (u32, u32)),
}

/// Two transitions that could have come in the other order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reversible {
    pub first: u32,
    pub later: Later,
    /// May the later one be impossible when it comes first? A `select` none of whose branches is ready then, a rendezvous without a
    /// partner, a send that faulted because of a close and would block without.
    pub maybe: bool,
}

/// A touch that later ones may have to look at.
#[derive(Clone, Copy)]
struct Entry {
    step: u32,
    tid: u32,
    next: u32,
    kind: Kind,
    mask: u8,
}

/// The touches of an object in this run.
#[derive(Clone, Copy, Default)]
struct Object {
    run: u32,
    /// The first entry of its list, plus one.
    head: u32,
    /// Who accessed it: a thread plus one, or [`NONE`] for several.
    by: u32,
    plain: bool,
    written: bool,
}

impl Object {
    /// Notes an access to memory. Is it now memory that several threads access, not all of them atomically, and not all only to read?
    #[inline]
    fn note(&mut self, kind: Kind, tid: Tid) -> bool {
        let Some((plain, writes)) = kind.access() else { return false };
        self.by = if self.by == 0 || self.by == tid.0 + 1 { tid.0 + 1 } else { NONE };
        self.plain |= plain;
        self.written |= writes;
        self.by == NONE && self.plain && self.written
    }
}

/// The steps that sent and received on a channel, in order.
#[derive(Default)]
struct Channel {
    run: u32,
    capacity: Option<u32>,
    sends: Vec<u32>,
    receives: Vec<u32>,
    /// Did a rendezvous begin with a send, or with a receive, as the step of that thread?
    begins: (bool, bool),
}

#[derive(Clone, Copy, Default)]
struct Thread {
    /// Steps so far.
    count: u32,
    /// Its last step, or the fork that made it, plus one; 0 if there is none.
    last: u32,
    /// The step that made it runnable after it was blocked, plus one; 0 if it was not since its last step.
    enabler: u32,
    runnable: bool,
}

/// The run.
#[derive(Default)]
pub(crate) struct Trail {
    /// What the system logged.
    pub log: Log,
    pub steps: Vec<Step>,
    pub touches: Vec<Touch>,
    pub clocks: Clocks,
    preds: Vec<u32>,
    threads: Vec<Thread>,
    /// Who can go on now, and in how many ways.
    pub ready: Vec<(Tid, u32)>,
    /// What ready threads would touch next, if a search asked: thread and object.
    pub ahead: Vec<(Tid, u32)>,
    /// The races found, whose later step was not in the part that an earlier run had before.
    pub races: Vec<Reversible>,
    pub pending: Vec<Touch>,
    /// Steps before this one are those of an earlier run.
    pub fresh: u32,
    /// Is there memory that could be raced for? Without, there is no need to look closer.
    pub may_race: bool,
    /// The threads that each step unblocked: step and thread.
    pub unblocks: Vec<(u32, Tid)>,
    /// Did the last step fault?
    pub faulted: bool,
    /// How often a thread was switched from that could have gone on.
    pub preemptions: u32,
    /// Numbers runs, so that objects need not be emptied.
    run: u32,
    objects: Vec<Object>,
    entries: Vec<Entry>,
    channels: Vec<Channel>,
    /// How much of the log is from earlier steps.
    logged: (usize, usize, usize),
    earlier: Vec<u32>,
    enabling: Vec<u32>,
    ops: Vec<Op>,
}

impl Trail {
    /// Back to before the first step, of a system that was just reset.
    pub(crate) fn begin<S: System + ?Sized>(&mut self, system: &S, fresh: u32) {
        self.log.clear();
        self.steps.clear();
        self.touches.clear();
        self.preds.clear();
        self.threads.clear();
        self.races.clear();
        self.pending.clear();
        self.entries.clear();
        self.clocks.clear();
        self.logged = (0, 0, 0);
        self.fresh = fresh;
        self.preemptions = 0;
        self.faulted = false;
        self.may_race = false;
        self.unblocks.clear();
        self.run = self.run.wrapping_add(1);
        if self.run == 0 {
            self.objects.clear();
            self.channels.clear();
            self.run = 1;
        }
        self.observe(system);
    }

    /// Sees who can go on now.
    #[inline]
    pub(crate) fn observe<S: System + ?Sized>(&mut self, system: &S) {
        let n = system.threads();
        if self.threads.len() < n as usize {
            self.threads.resize(n as usize, Thread::default());
            self.clocks.widen(n);
        }
        self.ready.clear();
        let now = self.steps.len() as u32;
        for (tid, thread) in (0..n).map(Tid).zip(&mut self.threads) {
            thread.runnable = match system.status(tid) {
                Status::Ready(ways) => {
                    self.ready.push((tid, ways));
                    // A thread that a step has just made was not there before: that step made it runnable.
                    if !thread.runnable && now > 0 {
                        thread.enabler = now;
                        self.unblocks.push((now - 1, tid));
                    }
                    true
                }
                Status::Blocked(_) | Status::Absent | Status::Finished => false,
            };
        }
    }

    /// Looks at what ready threads stand before.
    pub(crate) fn look_ahead<S: System + ?Sized>(&mut self, system: &S, names: &mut Names, heap: Heap) {
        self.ahead.clear();
        for &(tid, _) in &self.ready {
            self.ops.clear();
            system.pending(tid, &mut self.ops);
            let from = self.pending.len();
            self.ops.iter().for_each(|&op| names.touches(op, heap, &mut self.pending));
            self.ahead.extend(self.pending.drain(from..).map(|t| (tid, t.object)));
        }
    }

    /// In how many ways a thread can go on; 0 if it cannot.
    #[inline]
    pub(crate) fn ways(&self, tid: Tid) -> u32 {
        self.ready.iter().find(|r| r.0 == tid).map_or(0, |r| r.1)
    }

    /// The thread of the last step.
    #[inline]
    pub(crate) fn last_tid(&self) -> Option<Tid> {
        self.steps.last().map(|s| s.action.tid)
    }

    /// Would that be a switch from a thread that could go on?
    #[inline]
    pub(crate) fn preempts(&self, tid: Tid) -> bool {
        self.last_tid().is_some_and(|last| last != tid && self.ways(last) > 0)
    }

    /// What a step touched.
    #[inline]
    pub(crate) fn touches_of(&self, step: u32) -> &[Touch] {
        let (from, to) = self.steps[step as usize].touches;
        &self.touches[from as usize..to as usize]
    }

    /// Does the step `a` happen before the step `b`, or is it the same?
    #[inline]
    pub(crate) fn happens_before(&self, a: u32, b: u32) -> bool {
        let step = &self.steps[a as usize];
        self.clocks.row(b)[step.action.tid.index()] >= step.local
    }

    /// The steps right before that one.
    pub(crate) fn preds_of(&self, step: u32) -> &[u32] {
        let (from, to) = self.steps[step as usize].preds;
        &self.preds[from as usize..to as usize]
    }

    /// The last step that the thread took part in, or the fork that made it.
    pub(crate) fn last_step_of(&self, tid: Tid) -> Option<u32> {
        self.threads.get(tid.index())?.last.checked_sub(1)
    }

    /// Takes in the step that the system has just logged; call [`Trail::observe`] next.
    pub(crate) fn record(&mut self, action: Action, names: &mut Names, heap: Heap) {
        let index = self.steps.len() as u32;
        let touched = self.touches.len();
        let first_pred = self.preds.len() as u32;
        let preempts = self.preempts(action.tid);
        let ways = self.ways(action.tid);
        self.preemptions += u32::from(preempts);
        let (partner, heads) = self.touch(action.tid, names, heap);
        if self.objects.len() < names.len() {
            self.objects.resize(names.len() + 16, Object::default());
        }

        self.clocks.start();
        self.enter(action.tid);
        // A rendezvous has chosen too: without this partner there may have been another one.
        let selects = self.log.peeked.len() > self.logged.1 || partner != NONE;
        let maybe = selects || self.first_op().is_some_and(is_on_channel);
        let blocking = self.first_op().is_some_and(may_block);
        self.collect_enabling(action.tid);
        if partner != NONE {
            self.enabling.extend(self.last_step_of(Tid(partner)));
        }
        if blocking && !selects {
            // Whoever took what this operation waited for could have come after it, whatever made it possible in the end.
            self.collect(touched, heads, index, Kind::competes_with);
            self.races_with(index, maybe);
        }
        self.collect(touched, self.touches.len(), index, Kind::is_after);
        if ways == 1 {
            self.leave_out_enabler(action.tid);
        }
        if selects {
            // It could have gone another way without what made this way possible.
            self.races_with(index, maybe);
        }
        self.follow_enabling();
        self.races_with(index, maybe);

        let local = self.leave(action.tid, index);
        if partner != NONE {
            self.leave(Tid(partner), index);
        }
        self.clocks.push();
        self.steps.push(Step {
            action,
            ways,
            partner,
            local,
            touches: (touched as u32, self.touches.len() as u32),
            events: (self.logged.0 as u32, self.log.events.len() as u32),
            preds: (first_pred, self.preds.len() as u32),
            preempts,
        });
        self.remember(touched, index, action.tid);
        // Whose accesses they are is not told apart in a joint step.
        self.may_race |= partner != NONE;
        self.after_events(index);
        self.logged = (self.log.events.len(), self.log.peeked.len(), self.log.offered.len());
    }

    /// Appends what the logged events touch: the steps of the threads, the first operation of each, what was peeked at; then, from
    /// the second number returned, the rest.
    fn touch(&mut self, tid: Tid, names: &mut Names, heap: Heap) -> (u32, usize) {
        let Trail { log, touches, logged, .. } = self;
        let events = &log.events[logged.0..];
        touches.push(names.step_of(tid));
        let other = events.iter().position(|e| e.tid != tid);
        let partner = other.map_or(NONE, |at| events[at].tid.0);
        if partner != NONE {
            touches.push(names.step_of(Tid(partner)));
        }
        let head = events.iter().position(|e| e.tid == tid && !is_mark(e.op));
        for at in [head, other].into_iter().flatten() {
            names.touches(events[at].op, heap, touches);
        }
        log.peeked[logged.1..].iter().for_each(|&op| names.peeks(op, touches));
        log.offered[logged.2..].iter().for_each(|&op| names.peeks(op, touches));
        let heads = touches.len();
        for (at, event) in events.iter().enumerate() {
            if Some(at) != head && Some(at) != other {
                names.touches(event.op, heap, touches);
            }
        }
        (partner, heads)
    }

    /// The operation that the step under way began with.
    #[inline]
    fn first_op(&self) -> Option<Op> {
        let mut ops = self.log.events[self.logged.0..].iter().map(|e| e.op);
        ops.find(|op| !is_mark(*op))
    }

    /// Program order: joins what the thread knew.
    #[inline]
    fn enter(&mut self, tid: Tid) {
        if tid.index() >= self.threads.len() {
            self.threads.resize(tid.index() + 1, Thread::default());
            self.clocks.widen(tid.0 + 1);
        }
        if let Some(last) = self.threads[tid.index()].last.checked_sub(1) {
            self.clocks.join(last);
            self.preds.push(last);
        }
    }

    #[inline]
    fn leave(&mut self, tid: Tid, index: u32) -> u32 {
        let thread = &mut self.threads[tid.index()];
        thread.count += 1;
        thread.last = index + 1;
        thread.enabler = 0;
        self.clocks.set(tid, thread.count);
        thread.count
    }

    /// Collects the earlier steps that these touches conflict with in that way, and those that made them possible.
    #[inline]
    fn collect(&mut self, from: usize, to: usize, index: u32, conflicts: impl Fn(Kind, Kind) -> bool) {
        self.earlier.clear();
        for at in from..to {
            let touch = self.touches[at];
            let object = self.objects[touch.object as usize];
            if !touch.kind.is_remembered() || object.run != self.run {
                continue;
            }
            let mut next = object.head;
            while let Some(at) = next.checked_sub(1) {
                let entry = self.entries[at as usize];
                next = entry.next;
                if entry.mask & touch.mask == 0 || entry.step == index {
                    continue;
                }
                if touch.kind.is_enabled_by(entry.kind) {
                    self.enabling.push(entry.step);
                } else if conflicts(touch.kind, entry.kind) {
                    self.earlier.push(entry.step);
                }
            }
        }
    }

    /// A step that found the thread blocked and left it runnable is not one it could have come before.
    fn leave_out_enabler(&mut self, tid: Tid) {
        if let Some(enabler) = self.threads[tid.index()].enabler.checked_sub(1)
            && self.earlier.contains(&enabler)
        {
            self.earlier.retain(|&e| e != enabler);
            self.enabling.push(enabler);
        }
    }

    /// What made the first operation possible, where no object remembers it.
    fn collect_enabling(&mut self, tid: Tid) {
        let Some(op) = self.first_op() else { return };
        let run = self.run;
        let channel = |c: ChanId| self.channels.get(c.index()).filter(|c| c.run == run);
        let step = match op {
            Op::Join(child) => self.last_step_of(child),
            Op::Receive(c) => channel(c).and_then(|c| c.sends.get(c.receives.len()).copied()),
            Op::Send(c) => channel(c).and_then(|c| {
                let slot = c.sends.len().checked_sub(c.capacity? as usize)?;
                c.receives.get(slot).copied()
            }),
            Op::BarrierLeave(_) | Op::Woken(..) => self.threads[tid.index()].enabler.checked_sub(1),
            _ => None,
        };
        self.enabling.extend(step);
    }

    fn follow_enabling(&mut self) {
        while let Some(step) = self.enabling.pop() {
            self.clocks.join(step);
            self.preds.push(step);
        }
    }

    /// The collected steps, last first: those not known yet are immediate predecessors, and so races.
    fn races_with(&mut self, index: u32, maybe: bool) {
        if self.earlier.len() > 1 {
            self.earlier.sort_unstable_by(|a, b| b.cmp(a));
        }
        for i in 0..self.earlier.len() {
            let first = self.earlier[i];
            if self.knows(first) {
                continue;
            }
            self.clocks.join(first);
            self.preds.push(first);
            if index >= self.fresh {
                self.races.push(Reversible { first, later: Later::Step(index), maybe });
            }
        }
    }

    /// Is that step before the one under way?
    #[inline]
    fn knows(&self, step: u32) -> bool {
        let step = &self.steps[step as usize];
        self.clocks.get(step.action.tid) >= step.local
    }

    /// Puts the step's touches where later ones will look.
    fn remember(&mut self, touched: usize, index: u32, tid: Tid) {
        for at in touched..self.touches.len() {
            let touch = self.touches[at];
            if !touch.kind.is_remembered() {
                continue;
            }
            let object = &mut self.objects[touch.object as usize];
            if object.run != self.run {
                *object = Object { run: self.run, ..Object::default() };
            }
            self.may_race |= object.note(touch.kind, tid);
            // Unlink what this touch stands for.
            let (mut before, mut next, mut head) = (0, object.head, object.head);
            while let Some(at) = next.checked_sub(1) {
                let entry = self.entries[at as usize];
                let same = entry.tid == tid.0 && entry.kind == touch.kind;
                if entry.mask & !touch.mask == 0 && (same || touch.kind.stands_for(entry.kind)) {
                    match before {
                        0 => head = entry.next,
                        b => self.entries[b as usize - 1].next = entry.next,
                    }
                } else {
                    before = next;
                }
                next = entry.next;
            }
            self.entries.push(Entry {
                step: index,
                tid: tid.0,
                next: head,
                kind: touch.kind,
                mask: touch.mask,
            });
            self.objects[touch.object as usize].head = self.entries.len() as u32;
        }
    }

    /// What the events change besides objects: forked threads and the queues of channels.
    fn after_events(&mut self, index: u32) {
        for at in self.logged.0..self.log.events.len() {
            match self.log.events[at].op {
                Op::Fork(child) => {
                    if child.index() >= self.threads.len() {
                        self.threads.resize(child.index() + 1, Thread::default());
                        self.clocks.widen(child.0 + 1);
                    }
                    self.threads[child.index()].last = index + 1;
                }
                Op::ChanMake(c, capacity) => {
                    let channel = self.channel(c);
                    channel.capacity = Some(capacity);
                    channel.sends.clear();
                    channel.receives.clear();
                }
                Op::Send(c) => {
                    let first = at == self.logged.0;
                    let channel = self.channel(c);
                    channel.sends.push(index);
                    channel.begins.0 |= first;
                }
                Op::Receive(c) => {
                    let first = at == self.logged.0;
                    let channel = self.channel(c);
                    channel.receives.push(index);
                    channel.begins.1 |= first;
                }
                _ => {}
            }
        }
    }

    fn channel(&mut self, c: ChanId) -> &mut Channel {
        if self.channels.len() <= c.index() {
            self.channels.resize_with(c.index() + 1, Channel::default);
        }
        let channel = &mut self.channels[c.index()];
        if channel.run != self.run {
            channel.run = self.run;
            (channel.capacity, channel.begins) = (None, (false, false));
            channel.sends.clear();
            channel.receives.clear();
        }
        channel
    }

    /// The run is over: what blocked threads stand before could have come before what they conflict with.
    pub(crate) fn finish<S: System + ?Sized>(&mut self, system: &S, names: &mut Names, heap: Heap) {
        for tid in (0..system.threads()).map(Tid) {
            if let Status::Blocked(_) = system.status(tid) {
                let mut ops = std::mem::take(&mut self.ops);
                ops.clear();
                system.pending(tid, &mut ops);
                ops.iter().for_each(|&op| self.blocked_before(tid, op, names, heap));
                self.ops = ops;
            }
        }
    }

    fn blocked_before(&mut self, tid: Tid, op: Op, names: &mut Names, heap: Heap) {
        // At a rendezvous only one of the two makes the step. Another partner for it is another of its ways, not a race.
        let passive = match op {
            Op::Send(c) => self.channel(c).capacity == Some(0) && !self.channel(c).begins.0,
            Op::Receive(c) => self.channel(c).capacity == Some(0) && !self.channel(c).begins.1,
            _ => false,
        };
        if passive {
            return;
        }
        let maybe = is_on_channel(op);
        let from = self.pending.len();
        self.pending.push(names.step_of(tid));
        names.touches(op, heap, &mut self.pending);
        self.objects.resize(self.objects.len().max(names.len()), Object::default());
        self.clocks.start();
        if let Some(last) = self.last_step_of(tid) {
            self.clocks.join(last);
        }
        self.earlier.clear();
        for touch in &self.pending[from..] {
            let object = self.objects[touch.object as usize];
            let mut next = if object.run == self.run { object.head } else { 0 };
            while let Some(at) = next.checked_sub(1) {
                let entry = self.entries[at as usize];
                next = entry.next;
                if touch.kind.competes_with(entry.kind) {
                    self.earlier.push(entry.step);
                }
            }
        }
        self.earlier.sort_unstable_by(|a, b| b.cmp(a));
        let later = Later::Pending(tid, (from as u32, self.pending.len() as u32));
        for i in 0..self.earlier.len() {
            let first = self.earlier[i];
            if !self.knows(first) {
                self.clocks.join(first);
                self.races.push(Reversible { first, later, maybe });
            }
        }
    }
}

/// Is that only said to say it, and nothing is done?
#[inline]
fn is_mark(op: Op) -> bool {
    matches!(op, Op::Start | Op::Exit | Op::Begin(_) | Op::End(_))
}

fn is_on_channel(op: Op) -> bool {
    matches!(op, Op::Send(_) | Op::Receive(_) | Op::ReceiveClosed(_))
}

/// Can a thread have to wait before that operation?
#[inline]
fn may_block(op: Op) -> bool {
    matches!(
        op,
        Op::Acquire(_)
            | Op::AcquireShared(_)
            | Op::Woken(..)
            | Op::Join(_)
            | Op::Send(_)
            | Op::Receive(_)
            | Op::ReceiveClosed(_)
            | Op::VolatileRead(_)
            | Op::BarrierLeave(_)
    )
}
