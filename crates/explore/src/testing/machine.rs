//! A tiny machine with threads: straight-line code with forward jumps over variables, locks, channels and a heap.

use crate::{Action, Blocked, Fault, FaultKind, Log, Points, Status, System};
use deadheat_trace::{
    ChanId, Event, LoadOrder, Loc, LockId, Op, RmwOrder, Span, StoreOrder, Tid, VolatileId,
};
use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// One instruction. Values are numbers; each thread has one register, which reads set.
#[derive(Clone, Debug, PartialEq)]
pub enum Ins {
    Read(u32),
    /// Writes the register plus a constant.
    Write(u32, i64),
    /// Writes a constant.
    Set(u32, i64),
    Load(u32),
    Store(u32, i64),
    /// Fetch and add: the register gets the old value.
    Add(u32, i64),
    /// Compare and swap: the register is 1 if it worked.
    Cas(u32, i64, i64),
    Lock(u32),
    Unlock(u32),
    Fork(u32),
    Join(u32),
    Make(u32, u32),
    Send(u32, i64),
    Receive(u32),
    Close(u32),
    /// Receives from one of the channels that are ready; the register gets −1 if none is.
    SelectOrDefault(Vec<u32>),
    /// Receives from one of the channels, when one is ready.
    Select(Vec<u32>),
    Deschedule,
    MakeRunnable(u32),
    /// Skips so many instructions unless the register has that value.
    SkipUnless(i64, u32),
    /// Skips so many instructions if the register has that value.
    SkipIf(i64, u32),
    /// Local: the register must not have that value.
    AssertNot(i64),
    /// A block of one word; the variable gets its address.
    Malloc(u32),
    /// Frees the block whose address is in the register.
    Free,
    /// Writes the block whose address is in the register.
    Poke,
    /// Local: remembers the register, or takes it back.
    Keep,
    Recall,
}

#[derive(Clone, Default, Hash)]
struct Channel {
    capacity: u32,
    items: VecDeque<i64>,
    closed: bool,
}

#[derive(Clone, Copy, PartialEq, Hash)]
enum Wake {
    Runs,
    Descheduled,
    /// Was made runnable and has not gone on since.
    Woken,
}

#[derive(Clone, Hash)]
struct Thread {
    exists: bool,
    pc: usize,
    register: i64,
    kept: i64,
    /// All values read, so that final states tell apart what threads saw.
    history: u64,
    wake: Wake,
}

/// The machine: a program for each thread and the state of a run.
#[derive(Clone)]
pub struct Machine {
    pub code: Vec<Vec<Ins>>,
    pub initial: Vec<i64>,
    /// Are there preemption points before malloc?
    pub malloc_points: bool,
    /// Are there preemption points before free?
    pub free_points: bool,
    variables: Vec<i64>,
    locks: Vec<Option<Tid>>,
    channels: Vec<Channel>,
    threads: Vec<Thread>,
    /// Words of the heap: alive or not. The lowest dead one is handed out first.
    heap: Vec<bool>,
    made: u32,
}

const HEAP: u64 = 1 << 20;
const LOCKS: usize = 40;

impl Machine {
    /// Thread 0 is the first program; others wait for their fork.
    pub fn new(code: Vec<Vec<Ins>>) -> Machine {
        let mut machine = Machine {
            code,
            initial: vec![0; 40],
            malloc_points: false,
            free_points: true,
            variables: Vec::new(),
            locks: Vec::new(),
            channels: Vec::new(),
            threads: Vec::new(),
            heap: Vec::new(),
            made: 1,
        };
        machine.reset();
        machine
    }

    /// Thread 0 forks all programs and joins them, then goes on with `finally`.
    pub fn parallel(mut programs: Vec<Vec<Ins>>, before: Vec<Ins>, finally: Vec<Ins>) -> Machine {
        let n = programs.len() as u32;
        let mut main = before;
        main.extend((1..=n).map(Ins::Fork));
        main.extend((1..=n).map(Ins::Join));
        main.extend(finally);
        programs.insert(0, main);
        Machine::new(programs)
    }

    pub fn variable(&self, v: u32) -> i64 {
        self.variables[v as usize]
    }

    pub fn site(tid: u32, pc: usize) -> Loc {
        Loc(tid * 64 + pc as u32)
    }

    fn ins(&self, tid: Tid) -> Option<&Ins> {
        self.code[tid.index()].get(self.threads[tid.index()].pc)
    }

    fn is_local(ins: &Ins) -> bool {
        use Ins::*;
        matches!(ins, SkipUnless(..) | SkipIf(..) | AssertNot(_) | Keep | Recall)
    }

    fn is_plain(&self, ins: &Ins) -> bool {
        match ins {
            Ins::Malloc(_) => !self.malloc_points,
            Ins::Free => !self.free_points,
            Ins::Read(_) | Ins::Write(..) | Ins::Set(..) | Ins::Poke => true,
            _ => false,
        }
    }

    /// Does local instructions until an operation.
    fn settle(&mut self, tid: Tid) -> Result<(), Fault> {
        while let Some(ins) = self.ins(tid).filter(|i| Self::is_local(i)) {
            let ins = ins.clone();
            let thread = &mut self.threads[tid.index()];
            let site = Self::site(tid.0, thread.pc);
            thread.pc += 1;
            match ins {
                Ins::SkipUnless(value, n) if thread.register != value => thread.pc += n as usize,
                Ins::SkipIf(value, n) if thread.register == value => thread.pc += n as usize,
                Ins::AssertNot(value) if thread.register == value => {
                    let message = format!("register is {value}");
                    return Err(Fault { kind: FaultKind::Assertion, tid, site, message });
                }
                Ins::Keep => thread.kept = thread.register,
                Ins::Recall => thread.register = thread.kept,
                _ => {}
            }
        }
        Ok(())
    }

    fn receivers(&self, c: u32) -> impl Iterator<Item = Tid> {
        let alive = (0..self.threads.len() as u32).map(Tid);
        alive.filter(move |&t| {
            self.threads[t.index()].exists && matches!(self.ins(t), Some(Ins::Receive(d)) if *d == c)
        })
    }

    fn ready_branches<'a>(&'a self, channels: &'a [u32]) -> impl Iterator<Item = u32> + 'a {
        channels.iter().copied().filter(|&c| {
            let channel = &self.channels[c as usize];
            !channel.items.is_empty() || channel.closed
        })
    }

    fn put(&mut self, tid: Tid, value: i64) {
        let thread = &mut self.threads[tid.index()];
        thread.register = value;
        thread.history = thread.history.wrapping_mul(31).wrapping_add(value as u64).wrapping_add(7);
    }

    fn set(&mut self, v: u32, value: i64) {
        self.variables[v as usize] = value;
    }

    fn receive(&mut self, tid: Tid, c: u32) -> Op {
        match self.channels[c as usize].items.pop_front() {
            Some(value) => {
                self.put(tid, value);
                Op::Receive(ChanId(c))
            }
            None => {
                self.put(tid, -2);
                Op::ReceiveClosed(ChanId(c))
            }
        }
    }

    /// The one operation that the thread stands before.
    fn operate(&mut self, action: Action, log: &mut Log) -> Result<(), Fault> {
        let tid = action.tid;
        let pc = self.threads[tid.index()].pc;
        let loc = Self::site(tid.0, pc);
        let ins = self.code[tid.index()][pc].clone();
        let fail = |kind, message: &str| Err(Fault { kind, tid, site: loc, message: message.into() });
        let block = |address: i64| Span::new(HEAP + 8 * address as u64, 8);
        let mut partner = None;
        self.threads[tid.index()].pc += 1;
        let register = self.threads[tid.index()].register;
        let mut result = Ok(());
        let op = match ins {
            Ins::Read(v) => {
                self.put(tid, self.variable(v));
                Op::Read(Span::named(v))
            }
            Ins::Write(v, n) => {
                self.set(v, register + n);
                Op::Write(Span::named(v))
            }
            Ins::Set(v, n) => {
                self.set(v, n);
                Op::Write(Span::named(v))
            }
            Ins::Load(v) => {
                self.put(tid, self.variable(v));
                Op::AtomicLoad(Span::named(v), LoadOrder::SeqCst)
            }
            Ins::Store(v, n) => {
                self.set(v, n);
                Op::AtomicStore(Span::named(v), StoreOrder::SeqCst)
            }
            Ins::Add(v, n) => {
                self.put(tid, self.variable(v));
                self.set(v, self.variable(v) + n);
                Op::AtomicRmw(Span::named(v), RmwOrder::SeqCst)
            }
            Ins::Cas(v, old, new) => {
                let same = self.variable(v) == old;
                self.put(tid, i64::from(same));
                if same {
                    self.set(v, new);
                    Op::AtomicRmw(Span::named(v), RmwOrder::SeqCst)
                } else {
                    Op::AtomicLoad(Span::named(v), LoadOrder::SeqCst)
                }
            }
            Ins::Lock(m) => {
                self.locks[m as usize] = Some(tid);
                Op::Acquire(LockId(m))
            }
            Ins::Unlock(m) => {
                if self.locks[m as usize] != Some(tid) {
                    result = fail(FaultKind::Error, "not the holder");
                } else {
                    self.locks[m as usize] = None;
                }
                Op::Release(LockId(m))
            }
            Ins::Fork(t) => {
                self.threads[t as usize].exists = true;
                self.made = self.made.max(t + 1);
                Op::Fork(Tid(t))
            }
            Ins::Join(t) => Op::Join(Tid(t)),
            Ins::Make(c, capacity) => {
                self.channels[c as usize] = Channel { capacity, ..Channel::default() };
                Op::ChanMake(ChanId(c), capacity)
            }
            Ins::Send(c, value) => {
                if self.channels[c as usize].closed {
                    result = fail(FaultKind::Panic, "send on a closed channel");
                } else if self.channels[c as usize].capacity == 0 {
                    let to = self.receivers(c).nth(action.choice as usize).expect("a partner");
                    partner = Some((to, self.threads[to.index()].pc));
                    self.put(to, value);
                    self.threads[to.index()].pc += 1;
                } else {
                    self.channels[c as usize].items.push_back(value);
                }
                Op::Send(ChanId(c))
            }
            Ins::Receive(c) => self.receive(tid, c),
            Ins::Close(c) => {
                if self.channels[c as usize].closed {
                    result = fail(FaultKind::Panic, "closed twice");
                }
                self.channels[c as usize].closed = true;
                Op::Close(ChanId(c))
            }
            Ins::Select(channels) | Ins::SelectOrDefault(channels) => {
                let taken = self.ready_branches(&channels).nth(action.choice as usize);
                log.peeked.extend(channels.iter().map(|&c| Op::Receive(ChanId(c))));
                match taken {
                    Some(c) => {
                        let op = self.receive(tid, c);
                        self.threads[tid.index()].history ^= u64::from(c) << 50;
                        op
                    }
                    None => {
                        self.put(tid, -1);
                        Op::Begin(deadheat_trace::LabelId(0))
                    }
                }
            }
            Ins::Deschedule => match self.threads[tid.index()].wake {
                Wake::Woken => {
                    self.threads[tid.index()].wake = Wake::Runs;
                    Op::VolatileRead(VolatileId(tid.0))
                }
                _ => {
                    self.threads[tid.index()].wake = Wake::Descheduled;
                    self.threads[tid.index()].pc -= 1;
                    Op::VolatileWrite(VolatileId(tid.0))
                }
            },
            Ins::MakeRunnable(t) => {
                let woken = self.threads[t as usize].wake == Wake::Descheduled;
                if woken {
                    self.threads[t as usize].wake = Wake::Woken;
                }
                self.put(tid, i64::from(woken));
                Op::VolatileWrite(VolatileId(t))
            }
            Ins::Malloc(v) => {
                let at = self.heap.iter().position(|alive| !alive).unwrap_or(self.heap.len());
                self.heap.resize(self.heap.len().max(at + 1), false);
                self.heap[at] = true;
                self.threads[tid.index()].register = at as i64;
                if v != u32::MAX {
                    log.events.push(Event { op: Op::Alloc(block(at as i64)), tid, loc });
                    self.set(v, at as i64);
                    Op::Write(Span::named(v))
                } else {
                    Op::Alloc(block(at as i64))
                }
            }
            Ins::Free | Ins::Poke => {
                let alive = self.heap.get_mut(register as usize);
                match alive {
                    Some(alive) if *alive => *alive = ins != Ins::Free,
                    _ if ins == Ins::Free => result = fail(FaultKind::DoubleFree, "freed twice"),
                    _ => result = fail(FaultKind::UseAfterFree, "freed before"),
                }
                if ins == Ins::Free { Op::Free(block(register)) } else { Op::Write(block(register)) }
            }
            _ => unreachable!("a local instruction"),
        };
        log.events.push(Event { op, tid, loc });
        if let Some((to, pc)) = partner {
            let (op, loc) = (
                Op::Receive(match op {
                    Op::Send(c) => c,
                    _ => ChanId(0),
                }),
                Self::site(to.0, pc),
            );
            log.events.push(Event { op, tid: to, loc });
        }
        result?;
        self.settle(tid)?;
        if let Some((to, _)) = partner {
            self.settle(to)?;
        }
        Ok(())
    }

    /// What the thread offers to others at a rendezvous.
    fn offer(&self, tid: Tid, log: &mut Log) {
        let (c, op) = match self.ins(tid) {
            Some(Ins::Send(c, _)) => (*c, Op::Send(ChanId(*c))),
            Some(Ins::Receive(c)) => (*c, Op::Receive(ChanId(*c))),
            _ => return,
        };
        if self.channels[c as usize].capacity == 0 {
            log.offered.push(op);
        }
    }

    fn run_on(&mut self, tid: Tid, points: &Points, log: &mut Log) -> Result<(), Fault> {
        while let Some(ins) = self.ins(tid) {
            let pc = self.threads[tid.index()].pc;
            if !self.is_plain(ins) || points.has(Self::site(tid.0, pc)) {
                break;
            }
            self.operate(Action { tid, choice: 0 }, log)?;
        }
        self.offer(tid, log);
        Ok(())
    }
}

impl System for Machine {
    fn reset(&mut self) {
        self.variables.clone_from(&self.initial);
        self.locks.clear();
        self.locks.resize(LOCKS * 2, None);
        self.channels.clear();
        self.channels.resize(4, Channel { capacity: 1, ..Channel::default() });
        self.heap.clear();
        self.made = 1;
        let fresh = Thread { exists: false, pc: 0, register: 0, kept: 0, history: 0, wake: Wake::Runs };
        self.threads.clear();
        self.threads.resize(self.code.len(), fresh);
        self.threads[0].exists = true;
    }

    fn threads(&self) -> u32 {
        self.made
    }

    fn status(&self, tid: Tid) -> Status {
        if !self.threads[tid.index()].exists {
            return Status::Absent;
        }
        let ready = |is: bool, on| if is { Status::Ready(1) } else { Status::Blocked(on) };
        match self.ins(tid) {
            None => Status::Finished,
            Some(Ins::Lock(m)) => match self.locks[*m as usize] {
                None => Status::Ready(1),
                Some(holder) => Status::Blocked(Blocked::Lock(LockId(*m), holder)),
            },
            Some(Ins::Join(t)) => {
                let ended = self.threads[*t as usize].exists && self.ins(Tid(*t)).is_none();
                ready(ended, Blocked::Join(Tid(*t)))
            }
            Some(Ins::Send(c, _)) => {
                let channel = &self.channels[*c as usize];
                match (channel.capacity, channel.closed) {
                    (_, true) => Status::Ready(1),
                    (0, _) => match self.receivers(*c).count() {
                        0 => Status::Blocked(Blocked::Channel),
                        n => Status::Ready(n as u32),
                    },
                    (capacity, _) => ready(channel.items.len() < capacity as usize, Blocked::Channel),
                }
            }
            Some(Ins::Receive(c)) => {
                let channel = &self.channels[*c as usize];
                ready(!channel.items.is_empty() || channel.closed, Blocked::Channel)
            }
            Some(Ins::Select(channels)) => match self.ready_branches(channels).count() {
                0 => Status::Blocked(Blocked::Channel),
                n => Status::Ready(n as u32),
            },
            Some(Ins::SelectOrDefault(channels)) => {
                Status::Ready((self.ready_branches(channels).count() as u32).max(1))
            }
            Some(Ins::Deschedule) => {
                ready(self.threads[tid.index()].wake != Wake::Descheduled, Blocked::Descheduled)
            }
            Some(_) => Status::Ready(1),
        }
    }

    fn pending(&self, tid: Tid, into: &mut Vec<Op>) {
        match self.ins(tid) {
            Some(Ins::Lock(m)) => into.push(Op::Acquire(LockId(*m))),
            Some(Ins::Join(t)) => into.push(Op::Join(Tid(*t))),
            Some(Ins::Send(c, _)) => into.push(Op::Send(ChanId(*c))),
            Some(Ins::Receive(c)) => into.push(Op::Receive(ChanId(*c))),
            Some(Ins::Select(cs)) => into.extend(cs.iter().map(|c| Op::Receive(ChanId(*c)))),
            Some(Ins::Deschedule) => into.push(Op::VolatileRead(VolatileId(tid.0))),
            Some(Ins::Read(v)) => into.push(Op::Read(Span::named(*v))),
            Some(Ins::Write(v, _) | Ins::Set(v, _)) => into.push(Op::Write(Span::named(*v))),
            Some(Ins::Load(v)) => into.push(Op::AtomicLoad(Span::named(*v), LoadOrder::SeqCst)),
            Some(Ins::Store(v, _)) => into.push(Op::AtomicStore(Span::named(*v), StoreOrder::SeqCst)),
            Some(Ins::Add(v, _) | Ins::Cas(v, ..)) => {
                into.push(Op::AtomicRmw(Span::named(*v), RmwOrder::SeqCst));
            }
            _ => {}
        }
    }

    fn step(&mut self, action: Action, points: &Points, log: &mut Log) -> Result<(), Fault> {
        let from = log.events.len();
        self.operate(action, log)?;
        // A fork or a rendezvous moves a second thread up to its next point.
        let other = log.events[from..].iter().find_map(|e| match e.op {
            Op::Fork(t) => Some((t, false)),
            _ if e.tid != action.tid => Some((e.tid, true)),
            _ => None,
        });
        self.run_on(action.tid, points, log)?;
        match other {
            Some((t, true)) => self.run_on(t, points, log),
            Some((t, false)) => {
                self.offer(t, log);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (&self.variables, &self.threads, &self.heap).hash(&mut hasher);
        self.channels.iter().for_each(|c| c.items.hash(&mut hasher));
        hasher.finish()
    }
}
