//! The abstract machine: the small-step semantics of the language.
//!
//! Figure 7 of *Verifying Dynamic Race Detection* (labels are the race detection operations), Figures 4–5 of *Ready, Set, Go!* for channels, the
//! appendix of *RedCard* for objects, §2.1 of *Iterative Deepening* for the rest. A lock is a cell that holds 0, or `t + 1`
//! if thread `t` holds it.
//!
//! A thread always stands before a visible instruction, its operands evaluated: instructions that only the thread itself can notice run at
//! once, when it gets there.
//!
//! *Deviations.* `wait` needs a thread that has ended (Figure 7's rule lacks the empty list of instructions, its prose has it), and several
//! threads may wait for one (§3.4). Threads get their numbers from their parent and their rank among its children.
//! A thread that has gone round a loop without changing anything, and would read the same again, is blocked until one
//! of the cells it read holds something else: going round once more changes nothing.

mod channels;
mod exec;
mod heap;
mod local;
mod memory;
mod names;
mod pending;
mod roster;
mod spin;
mod thread;

pub use memory::Address;

use crate::code::{Code, FunctionId, Instr, Pc, Visibility};
use channels::Channels;
use deadheat_explore::{Action, Blocked, Fault, FaultKind, Log, Points, Status};
use deadheat_trace::{ChanId, Event, Loc, LockId, Op, Span, Tid, VolatileId};
use memory::Memory;
use roster::Roster;
use std::sync::Arc;
use thread::{Life, Thread};

/// What may differ between machines for one program.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Is `malloc` a preemption point, as `free` always is? Finding heap overruns needs it (*Iterative Deepening*, §6.4).
    pub heap_points: bool,
    /// Is what the program prints kept?
    pub keep_output: bool,
}

/// A program in the middle of a run. Clones share the numbers of threads, locks and channels, so that these mean the same in all of them.
#[derive(Clone, Debug)]
pub struct Machine {
    code: Arc<Code>,
    options: Options,
    roster: Roster,
    memory: Memory,
    channels: Channels,
    threads: Vec<Thread>,
    /// One more than the largest thread number of this run.
    created: u32,
    output: Vec<String>,
}

/// A step that cannot be finished.
type Done = Result<(), Fault>;

impl Machine {
    /// A machine at the start of that program.
    pub fn new(code: Arc<Code>, options: Options) -> Machine {
        let roster = Roster::new(&code);
        let (memory, channels, threads, output) = Default::default();
        let mut machine = Machine { code, options, roster, memory, channels, threads, created: 0, output };
        machine.reset();
        machine
    }

    /// The program.
    pub fn code(&self) -> &Arc<Code> {
        &self.code
    }

    /// What was printed since the start, a line each.
    pub fn output(&self) -> &[String] {
        &self.output
    }

    /// Back to the start. A fault before the first visible step is kept for that step.
    pub fn reset(&mut self) {
        self.memory.reset(&self.code.initial);
        self.channels.reset();
        self.threads[..self.created as usize].iter_mut().for_each(Thread::forget);
        self.created = 0;
        self.output.clear();
        self.start(Tid(0), FunctionId(0), &[], &mut Log::default());
    }

    /// The cells of the globals; the first is nobody's.
    pub fn global_cells(&self) -> &[i64] {
        self.memory.globals()
    }

    /// How many thread numbers are in use.
    pub fn created(&self) -> u32 {
        self.created
    }

    /// Puts a new thread before its first visible instruction.
    fn start(&mut self, tid: Tid, function: FunctionId, arguments: &[i64], log: &mut Log) {
        if self.threads.len() <= tid.index() {
            self.threads.resize_with(tid.index() + 1, Thread::default);
        }
        self.created = self.created.max(tid.0 + 1);
        let code = &self.code.functions[function.0 as usize];
        self.threads[tid.index()].start(function, code, arguments);
        self.settle(tid, log);
    }

    /// Runs a thread that did nothing itself on to its next visible instruction. A fault on the way is the thread's next step.
    fn settle(&mut self, tid: Tid, log: &mut Log) {
        match self.run_local(tid) {
            Ok(()) => self.offer(tid, log),
            Err(fault) => self.threads[tid.index()].life = Life::Failing(Box::new(fault)),
        }
    }

    #[inline]
    fn thread(&self, tid: Tid) -> &Thread {
        &self.threads[tid.index()]
    }

    #[inline]
    fn instr(&self, pc: Pc) -> Instr {
        self.code.instrs[pc.index()]
    }

    /// What a thread can do now.
    pub fn status(&self, tid: Tid) -> Status {
        let Some(thread) = self.threads.get(tid.index()) else { return Status::Absent };
        match thread.life {
            Life::Absent => return Status::Absent,
            Life::Finished => return Status::Finished,
            Life::Failing(_) => return Status::Ready(1),
            Life::Descheduled => return Status::Blocked(Blocked::Descheduled),
            Life::Running => {}
        }
        match self.instr(thread.pc) {
            Instr::Lock(r) => {
                let at = Address::of(thread.get(r));
                match self.memory.get(at) {
                    0 => Status::Ready(1),
                    owner => Status::Blocked(Blocked::Lock(self.roster.lock(at), Tid((owner - 1) as u32))),
                }
            }
            Instr::Wait(r) => {
                let child = Tid((thread.get(r) - 1) as u32);
                match thread.get(r) == 0 || self.thread(child).life == Life::Finished {
                    true => Status::Ready(1),
                    false => Status::Blocked(Blocked::Join(child)),
                }
            }
            Instr::Send(..) | Instr::Receive(..) | Instr::Select(_) => match self.ways(tid) {
                0 => Status::Blocked(Blocked::Channel),
                ways => Status::Ready(ways),
            },
            _ if thread.spin.holds(&self.memory) => Status::Blocked(Blocked::Spinning),
            _ => Status::Ready(1),
        }
    }

    /// Does what the thread stands before and runs on to its next preemption point.
    pub fn step(&mut self, action: Action, points: &Points, log: &mut Log) -> Done {
        let tid = action.tid;
        debug_assert!(
            matches!(self.status(tid), Status::Ready(n) if action.choice < n),
            "{action:?} is not ready"
        );
        if let Life::Failing(fault) = &self.threads[tid.index()].life {
            return Err(Fault::clone(fault));
        }
        self.threads[tid.index()].spin.release();
        // Synchronisation has a preemption point on either side (*Iterative Deepening*, §2.2): Theorem 3 needs the one behind it.
        let synchronises = self.instr(self.thread(tid).pc).visibility() == Visibility::Sync;
        self.visible(tid, action.choice, log)?;
        let mut steps = 0;
        while self.threads[tid.index()].life == Life::Running {
            self.run_local(tid)?;
            let thread = self.thread(tid);
            if thread.life != Life::Running {
                break;
            }
            if synchronises || thread.spin.is_stuck() || self.is_point(thread.pc, points) {
                self.offer(tid, log);
                break;
            }
            steps += 1;
            if steps == MOST_ACCESSES {
                return Err(self.fault(
                    tid,
                    FaultKind::Endless,
                    "a hundred thousand accesses without synchronising",
                ));
            }
            self.visible(tid, 0, log)?;
        }
        Ok(())
    }

    /// May threads be switched before that visible instruction?
    #[inline]
    fn is_point(&self, pc: Pc, points: &Points) -> bool {
        let instr = self.instr(pc);
        instr.visibility() == Visibility::Sync
            || points.has(Loc(pc.0))
            || match instr {
                // Lemma 5 of *Iterative Deepening* wants a point between publishing an address and what makes it stale. Those of data races lie
                // before the publishing access; so `free` is always one.
                Instr::Free(_) => true,
                Instr::Malloc(..) => self.options.heap_points,
                _ => false,
            }
    }

    /// A digest of globals, objects, channels and of who has ended.
    pub fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        for cells in self.memory.lasting() {
            digest.add(cells.len() as i64);
            cells.iter().for_each(|cell| digest.add(*cell));
        }
        self.channels.digest(&mut digest);
        self.threads[..self.created as usize]
            .iter()
            .for_each(|t| digest.add(i64::from(t.life == Life::Finished)));
        digest.0
    }

    /// A fault of `tid` where it stands.
    fn fault(&self, tid: Tid, kind: FaultKind, message: impl Into<String>) -> Fault {
        Fault { kind, tid, site: Loc(self.thread(tid).pc.0), message: message.into() }
    }

    #[inline]
    fn log(&self, log: &mut Log, tid: Tid, op: Op) {
        log.events.push(Event { op, tid, loc: Loc(self.thread(tid).pc.0) });
    }

    /// The event that wakes a descheduled thread.
    fn wakeup(tid: Tid) -> VolatileId {
        VolatileId(tid.0)
    }

    fn lock_id(&self, at: Address) -> LockId {
        self.roster.lock(at)
    }

    fn chan_id(value: i64) -> ChanId {
        ChanId((value - 1) as u32)
    }
}

/// A thread that makes so many accesses without coming to a preemption point will not come to one.
const MOST_ACCESSES: u32 = 100_000;

/// A cell as a detector sees it.
#[inline]
pub fn span(at: Address) -> Span {
    Span::new(at.0 << 3, 8)
}

/// Folds numbers into one.
#[derive(Default)]
struct Digest(u64);

impl Digest {
    fn add(&mut self, value: i64) {
        self.0 = (self.0 ^ value as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}
