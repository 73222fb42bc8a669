//! What things are called in reports.

use super::memory::Address;
use super::{Blocked, Life, Machine, Status};
use crate::ast::Type;
use deadheat_trace::{ChanId, Loc, LockId, Tid};

impl Machine {
    /// What a thread is called: the function it runs, with its number where several run the same.
    pub fn thread_name(&self, tid: Tid) -> String {
        let threads = &self.threads[..self.created as usize];
        let Some(thread) = threads.get(tid.index()).filter(|t| t.life != Life::Absent) else {
            return format!("absent {}", tid.0);
        };
        let name = &self.code.functions[thread.function.0 as usize].name;
        let same = threads.iter().filter(|t| t.life != Life::Absent && t.function == thread.function);
        match same.count() {
            1 => name.clone(),
            _ => format!("{name} #{}", tid.0),
        }
    }

    /// What a cell is called: `x`, `a[3]`, a field of an object by its thread and place, a heap cell by its number.
    pub fn cell_name(&self, at: Address) -> String {
        if let Some(cell) = at.as_global() {
            let globals = &self.code.globals;
            let global = globals.iter().find(|g| (g.offset..g.offset + g.cells).contains(&cell));
            return match global {
                Some(g) if matches!(g.ty, Type::Inline(..)) => format!("{}[{}]", g.name, cell - g.offset),
                Some(g) => g.name.clone(),
                None => format!("global {cell}"),
            };
        }
        match (at.as_heap(), at.as_object()) {
            (Some(cell), _) => format!("heap[{cell}]"),
            (None, Some((thread, cell))) => format!("object {thread}.{cell}"),
            (None, None) => format!("{:#x}", at.0),
        }
    }

    /// What a lock is called.
    pub fn lock_name(&self, lock: LockId) -> String {
        self.roster.lock_cell(lock).map_or_else(|| format!("lock {}", lock.0), |at| self.cell_name(at))
    }

    /// What a channel is called: who made it.
    pub fn chan_name(&self, chan: ChanId) -> String {
        match self.roster.maker(chan) {
            Some((maker, rank)) => format!("channel {} of {}", rank + 1, self.thread_name(maker)),
            None => format!("channel {}", chan.0),
        }
    }

    /// The place that a thread stands at; `None` if it has ended.
    pub fn stands_at(&self, tid: Tid) -> Option<Loc> {
        let thread = self.threads.get(tid.index())?;
        (!matches!(thread.life, Life::Absent | Life::Finished)).then_some(Loc(thread.pc.0))
    }

    /// What a thread waits for, in words; `None` if it does not.
    pub fn waits_for(&self, tid: Tid) -> Option<String> {
        let Status::Blocked(blocked) = self.status(tid) else { return None };
        Some(match blocked {
            Blocked::Lock(lock, owner) if owner == tid => {
                format!("for {}, which it holds itself", self.lock_name(lock))
            }
            Blocked::Lock(lock, owner) => {
                format!("for {}, which {} holds", self.lock_name(lock), self.thread_name(owner))
            }
            Blocked::Join(child) => format!("for the end of {}", self.thread_name(child)),
            Blocked::Channel => "on a channel".into(),
            Blocked::Descheduled => "to be made runnable".into(),
            Blocked::Spinning => {
                let cells: Vec<String> = self.thread(tid).spin.cells().map(|at| self.cell_name(at)).collect();
                format!("in a loop, for a change of {}", cells.join(", "))
            }
        })
    }
}
