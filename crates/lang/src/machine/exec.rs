//! The visible instructions: each is a step that other threads can notice, and tells the race detection operation it is.

use super::heap::Bad;
use super::memory::Address;
use super::{Done, Life, Machine, span};
use crate::code::{Instr, Pc, Reg};
use deadheat_explore::{Fault, FaultKind, Log};
use deadheat_trace::{LoadOrder, Op, RmwOrder, Span, StoreOrder, Tid};

impl Machine {
    /// Does the visible instruction that `tid` stands before; `choice` is for those that can be done in several ways.
    pub(super) fn visible(&mut self, tid: Tid, choice: u32, log: &mut Log) -> Done {
        let thread = &mut self.threads[tid.index()];
        let instr = self.code.instrs[thread.pc.index()];
        match instr {
            Instr::LoadGlobal(into, cell) => {
                let at = Address::global(cell);
                self.log(log, tid, Op::Read(span(at)));
                self.read(tid, into, at);
            }
            Instr::StoreGlobal(cell, r) => {
                let (at, value) = (Address::global(cell), thread.get(r));
                self.log(log, tid, Op::Write(span(at)));
                self.write(tid, at, value);
            }
            Instr::Load(into, at) => {
                let at = self.access(tid, at, Op::Read, log)?;
                self.read(tid, into, at);
            }
            Instr::Store(at, r) => {
                let value = thread.get(r);
                let at = self.access(tid, at, Op::Write, log)?;
                self.write(tid, at, value);
            }
            Instr::AtomicLoad(into, at) => {
                let at = self.access(tid, at, |s| Op::AtomicLoad(s, LoadOrder::SeqCst), log)?;
                self.read(tid, into, at);
            }
            Instr::AtomicStore(at, r) => {
                let value = thread.get(r);
                let at = self.access(tid, at, |s| Op::AtomicStore(s, StoreOrder::SeqCst), log)?;
                self.write(tid, at, value);
            }
            Instr::Xchg(into, at, r) => {
                let value = thread.get(r);
                self.modify(tid, into, at, log, |_| value)?;
            }
            Instr::FetchAdd(into, at, r) => {
                let add = thread.get(r);
                self.modify(tid, into, at, log, |old| old.wrapping_add(add))?;
            }
            Instr::Cas(into, at, old, new) => {
                let (old, new) = (thread.get(old), thread.get(new));
                self.compare_and_swap(tid, into, at, (old, new), log)?;
            }
            Instr::NewChan(into, room) => self.new_channel(tid, into, room, log)?,
            Instr::Malloc(into, cells) => self.malloc(tid, into, cells, log)?,
            Instr::Free(r) => self.free(tid, r, log)?,
            Instr::Send(..) | Instr::Receive(..) | Instr::Select(_) => {
                thread.spin.wrote();
                return self.communicate(tid, choice, log);
            }
            Instr::TryLock(into, r) => self.try_lock(tid, into, r, log),
            Instr::Yield => {}
            _ => {
                thread.spin.wrote();
                return self.synchronise(tid, instr, log);
            }
        }
        self.advance(tid);
        Ok(())
    }

    #[inline]
    fn advance(&mut self, tid: Tid) {
        let thread = &mut self.threads[tid.index()];
        thread.pc = Pc(thread.pc.0 + 1);
    }

    fn synchronise(&mut self, tid: Tid, instr: Instr, log: &mut Log) -> Done {
        match instr {
            Instr::Lock(r) => {
                let at = Address::of(self.thread(tid).get(r));
                self.take(tid, at, log);
            }
            Instr::Unlock(r) => self.unlock(tid, r, log)?,
            Instr::Spawn(into, function, first) => {
                let rank = self.thread(tid).children;
                let child = self.roster.child(tid, rank);
                self.log(log, tid, Op::Fork(child));
                let params = self.code.functions[function.0 as usize].params;
                let thread = &mut self.threads[tid.index()];
                let arguments = thread.run_of(first, params).to_vec();
                thread.children += 1;
                thread.set(into, i64::from(child.0) + 1);
                self.start(child, function, &arguments, log);
            }
            Instr::Wait(r) => {
                let child = self.named_thread(tid, r)?;
                self.log(log, tid, Op::Join(child));
            }
            Instr::Deschedule => {
                self.log(log, tid, Op::VolatileWrite(Machine::wakeup(tid)));
                self.threads[tid.index()].life = Life::Descheduled;
            }
            Instr::Resume => self.log(log, tid, Op::VolatileRead(Machine::wakeup(tid))),
            Instr::MakeRunnable(r) => {
                let target = self.named_thread(tid, r)?;
                self.log(log, tid, Op::VolatileWrite(Machine::wakeup(target)));
                let life = &mut self.threads[target.index()].life;
                if *life == Life::Descheduled {
                    *life = Life::Running;
                }
            }
            Instr::Close(r) => {
                let chan = self.thread(tid).get(r);
                self.close(tid, chan, log)?;
            }
            _ => unreachable!("{instr:?} is not visible"),
        }
        self.advance(tid);
        Ok(())
    }

    fn named_thread(&self, tid: Tid, r: Reg) -> Result<Tid, Fault> {
        match self.thread(tid).get(r) {
            0 => Err(self.fault(tid, FaultKind::Error, "there is no such thread: null")),
            number => Ok(Tid((number - 1) as u32)),
        }
    }

    #[inline]
    fn read(&mut self, tid: Tid, into: Reg, at: Address) {
        let value = self.memory.get(at);
        let thread = &mut self.threads[tid.index()];
        thread.spin.read(at, value);
        thread.set(into, value);
    }

    #[inline]
    fn write(&mut self, tid: Tid, at: Address, value: i64) {
        self.threads[tid.index()].spin.wrote();
        self.memory.set(at, value);
    }

    fn modify(&mut self, tid: Tid, into: Reg, at: Reg, log: &mut Log, f: impl Fn(i64) -> i64) -> Done {
        let at = self.access(tid, at, |s| Op::AtomicRmw(s, RmwOrder::SeqCst), log)?;
        let old = self.memory.get(at);
        self.read(tid, into, at);
        // What changes nothing is no news: a lock that is tried in vain by `xchg` is waited for.
        if f(old) != old {
            self.write(tid, at, f(old));
        }
        Ok(())
    }

    fn compare_and_swap(
        &mut self,
        tid: Tid,
        into: Reg,
        at: Reg,
        (old, new): (i64, i64),
        log: &mut Log,
    ) -> Done {
        let there = Address::of(self.thread(tid).get(at));
        let swaps = there.as_heap().is_none_or(|cell| self.memory.heap.check(cell).is_ok())
            && self.memory.get(there) == old;
        let op = |s| match swaps {
            true => Op::AtomicRmw(s, RmwOrder::SeqCst),
            false => Op::AtomicLoad(s, LoadOrder::SeqCst),
        };
        let at = self.access(tid, at, op, log)?;
        self.read(tid, into, at);
        if swaps {
            self.write(tid, at, new);
        }
        self.threads[tid.index()].set(into, i64::from(swaps));
        Ok(())
    }

    /// Tells an access to the address in that register; a fault if it is in freed memory. What fails is told too: another order might be
    /// without fault.
    #[inline]
    fn access(&self, tid: Tid, r: Reg, op: impl Fn(Span) -> Op, log: &mut Log) -> Result<Address, Fault> {
        let at = Address::of(self.thread(tid).get(r));
        self.log(log, tid, op(span(at)));
        let Some(cell) = at.as_heap() else { return Ok(at) };
        self.memory.heap.check(cell).map(|()| at).map_err(|bad| match bad {
            Bad::Freed => self.fault(tid, FaultKind::UseAfterFree, "this memory was freed"),
            _ => self.fault(tid, FaultKind::Error, "this is no address that malloc gave out"),
        })
    }

    fn malloc(&mut self, tid: Tid, into: Reg, cells: Reg, log: &mut Log) -> Done {
        let cells = self.thread(tid).get(cells);
        let block = u32::try_from(cells).ok().and_then(|n| Some((self.memory.malloc(n)?, n.max(1))));
        let Some((at, cells)) = block else {
            return Err(self.fault(tid, FaultKind::Error, format!("malloc({cells}): there is no room")));
        };
        let span = Span { size: 8 * u64::from(cells), ..span(at) };
        self.log(log, tid, Op::Alloc(span));
        let thread = &mut self.threads[tid.index()];
        thread.spin.wrote();
        thread.set(into, at.value());
        Ok(())
    }

    fn free(&mut self, tid: Tid, r: Reg, log: &mut Log) -> Done {
        let at = Address::of(self.thread(tid).get(r));
        self.threads[tid.index()].spin.wrote();
        let freed = at.as_heap().ok_or(Bad::Wild).and_then(|start| self.memory.heap.release(start));
        let span = Span { size: 8 * u64::from(freed.unwrap_or(1)), ..span(at) };
        self.log(log, tid, Op::Free(span));
        freed.map(|_| ()).map_err(|bad| match bad {
            Bad::Freed => self.fault(tid, FaultKind::DoubleFree, "this memory was freed before"),
            Bad::Inside => self.fault(tid, FaultKind::Error, "free of the inside of a block"),
            Bad::Wild => self.fault(tid, FaultKind::Error, "free of something that malloc did not give out"),
        })
    }

    fn take(&mut self, tid: Tid, at: Address, log: &mut Log) {
        self.memory.set(at, i64::from(tid.0) + 1);
        self.log(log, tid, Op::Acquire(self.lock_id(at)));
        if self.code.tries_locks {
            self.log(log, tid, Op::AtomicRmw(span(at), RmwOrder::Relaxed));
        }
    }

    fn unlock(&mut self, tid: Tid, r: Reg, log: &mut Log) -> Done {
        let at = Address::of(self.thread(tid).get(r));
        let owner = self.memory.get(at);
        if owner != i64::from(tid.0) + 1 {
            let message = match owner {
                0 => "unlock of a lock that nobody holds",
                _ => "unlock of a lock that another thread holds",
            };
            return Err(self.fault(tid, FaultKind::Error, message));
        }
        self.memory.set(at, 0);
        if self.code.tries_locks {
            self.log(log, tid, Op::AtomicStore(span(at), StoreOrder::Relaxed));
        }
        self.log(log, tid, Op::Release(self.lock_id(at)));
        Ok(())
    }

    fn try_lock(&mut self, tid: Tid, into: Reg, r: Reg, log: &mut Log) {
        let at = Address::of(self.thread(tid).get(r));
        let free = self.memory.get(at) == 0;
        match free {
            true => {
                self.threads[tid.index()].spin.wrote();
                self.take(tid, at, log);
            }
            false => {
                self.log(log, tid, Op::AtomicLoad(span(at), LoadOrder::Relaxed));
                self.read(tid, into, at);
            }
        }
        self.threads[tid.index()].set(into, i64::from(free));
    }
}
