//! One thread: where it stands, and its registers.

use super::spin::Spin;
use crate::code::{FunctionCode, FunctionId, Pc, Reg};
use deadheat_explore::Fault;

/// What has become of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Life {
    /// Not created in this run.
    #[default]
    Absent,
    /// Stands before a visible instruction.
    Running,
    /// Until another thread makes it runnable.
    Descheduled,
    /// Its next step is this fault.
    Failing(Box<Fault>),
    /// Has ended.
    Finished,
}

/// A thread.
#[derive(Clone, Debug, Default)]
pub struct Thread {
    pub life: Life,
    /// What it runs.
    pub function: FunctionId,
    /// The instruction it stands before.
    pub pc: Pc,
    /// Where the running function's registers start.
    base: usize,
    regs: Vec<i64>,
    frames: Vec<Frame>,
    /// Threads it has made.
    pub children: u32,
    /// Channels it has made.
    pub channels: u32,
    pub spin: Spin,
}

/// Where a call goes on when it returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Frame {
    pc: Pc,
    base: usize,
    result: Reg,
}

/// Calls within calls, at most.
const DEEPEST: usize = 10_000;

impl Thread {
    /// As if it had never been.
    pub fn forget(&mut self) {
        self.life = Life::Absent;
        self.frames.clear();
        self.regs.clear();
        (self.base, self.children, self.channels) = (0, 0, 0);
        self.spin.forget();
    }

    /// Starts to run that function.
    pub fn start(&mut self, id: FunctionId, function: &FunctionCode, arguments: &[i64]) {
        (self.life, self.function) = (Life::Running, id);
        self.pc = function.entry;
        self.regs.extend_from_slice(arguments);
        self.regs.resize(usize::from(function.registers), 0);
    }

    #[inline]
    pub fn get(&self, r: Reg) -> i64 {
        self.regs[self.base + usize::from(r.0)]
    }

    #[inline]
    pub fn set(&mut self, r: Reg, value: i64) {
        self.regs[self.base + usize::from(r.0)] = value;
    }

    /// So many registers from `first` on.
    pub fn run_of(&self, first: Reg, count: u16) -> &[i64] {
        let start = self.base + usize::from(first.0);
        &self.regs[start..start + usize::from(count)]
    }

    /// Calls `function`; false if there are too many calls within calls.
    pub fn call(&mut self, function: &FunctionCode, first: Reg, result: Reg, back: Pc) -> bool {
        if self.frames.len() == DEEPEST {
            return false;
        }
        self.frames.push(Frame { pc: back, base: self.base, result });
        let from = self.base + usize::from(first.0);
        self.base = self.regs.len();
        self.regs.extend_from_within(from..from + usize::from(function.params));
        self.regs.resize(self.base + usize::from(function.registers), 0);
        self.pc = function.entry;
        true
    }

    /// Returns; false from the thread's own function.
    pub fn leave(&mut self, value: i64) -> bool {
        let Some(frame) = self.frames.pop() else { return false };
        self.regs.truncate(self.base);
        (self.base, self.pc) = (frame.base, frame.pc);
        self.set(frame.result, value);
        true
    }

    /// The thread has gone round the loop that ends where it stands.
    pub fn go_round(&mut self) {
        self.spin.go_round(self.pc, self.frames.len(), &self.regs);
    }
}
