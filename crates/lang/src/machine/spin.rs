//! Loops that wait: a thread that goes round one without effect need not go round again until something it read has changed.
//!
//! If an iteration starts and ends with the same registers and has written nothing, the next one does the same as long as every
//! cell it read holds what it held. So every schedule with further iterations is equal to one without, and the thread counts as blocked.

use super::memory::{Address, Memory};
use crate::code::Pc;

/// What a thread did since it last came by the end of a loop.
#[derive(Clone, Debug, Default)]
pub struct Spin {
    /// The jump back, if none of what follows is spoilt.
    at: Option<Pc>,
    depth: usize,
    regs: Vec<i64>,
    /// What was read, and what was there.
    reads: Vec<(Address, i64)>,
    stuck: bool,
}

/// A loop that reads more than this is not taken to wait.
const MOST_READS: usize = 64;

impl Spin {
    /// Starts anew.
    pub fn forget(&mut self) {
        (self.at, self.stuck) = (None, false);
    }

    /// The thread goes on although it was stuck: a cell has changed.
    #[inline]
    pub fn release(&mut self) {
        if self.stuck {
            self.forget();
        }
    }

    /// The thread has changed something that others can see.
    #[inline]
    pub fn wrote(&mut self) {
        self.at = None;
    }

    /// The thread has read a cell.
    #[inline]
    pub fn read(&mut self, cell: Address, value: i64) {
        if self.at.is_some() {
            match self.reads.len() < MOST_READS {
                true => self.reads.push((cell, value)),
                false => self.at = None,
            }
        }
    }

    /// The thread jumps back at `pc` with these registers.
    pub fn go_round(&mut self, pc: Pc, depth: usize, regs: &[i64]) {
        if self.at == Some(pc) && self.depth == depth && self.regs == regs {
            self.stuck = true;
            return;
        }
        (self.at, self.depth) = (Some(pc), depth);
        self.regs.clear();
        self.regs.extend_from_slice(regs);
        self.reads.clear();
    }

    /// Did the last iteration change nothing?
    #[inline]
    pub fn is_stuck(&self) -> bool {
        self.stuck
    }

    /// Is it stuck without having read anything, so that nobody can help it?
    pub fn is_hopeless(&self) -> bool {
        self.stuck && self.reads.is_empty()
    }

    /// Is it stuck, and would it still read the same?
    #[inline]
    pub fn holds(&self, memory: &Memory) -> bool {
        self.stuck && self.reads.iter().all(|&(cell, value)| memory.get(cell) == value)
    }

    /// What it waits for a change of.
    pub fn cells(&self) -> impl Iterator<Item = Address> + '_ {
        self.reads.iter().map(|(cell, _)| *cell)
    }
}
