//! What a thread is about to do.

use super::memory::Address;
use super::{Life, Machine, span};
use crate::code::Instr;
use deadheat_trace::{LoadOrder, Op, RmwOrder, StoreOrder, Tid};

impl Machine {
    /// The operations of which `tid` stands before one. Those of a thread that spins are the reads that it waits with.
    pub fn pending_ops(&self, tid: Tid, into: &mut Vec<Op>) {
        let Some(thread) = self.threads.get(tid.index()) else { return };
        if matches!(thread.life, Life::Absent | Life::Finished | Life::Failing(_)) {
            return;
        }
        if thread.spin.holds(&self.memory) {
            into.extend(thread.spin.cells().map(|at| Op::AtomicLoad(span(at), LoadOrder::Relaxed)));
            return;
        }
        let at = |r| Address::of(thread.get(r));
        let child = |r| Tid((thread.get(r) - 1) as u32);
        into.push(match self.instr(thread.pc) {
            Instr::Load(_, r) => Op::Read(span(at(r))),
            Instr::Store(r, _) => Op::Write(span(at(r))),
            Instr::LoadGlobal(_, cell) => Op::Read(span(Address::global(cell))),
            Instr::StoreGlobal(cell, _) => Op::Write(span(Address::global(cell))),
            Instr::AtomicLoad(_, r) => Op::AtomicLoad(span(at(r)), LoadOrder::SeqCst),
            Instr::AtomicStore(r, _) => Op::AtomicStore(span(at(r)), StoreOrder::SeqCst),
            Instr::Xchg(_, r, _) | Instr::Cas(_, r, _, _) | Instr::FetchAdd(_, r, _) => {
                Op::AtomicRmw(span(at(r)), RmwOrder::SeqCst)
            }
            Instr::Free(r) => Op::Free(span(at(r))),
            Instr::Lock(r) => Op::Acquire(self.lock_id(at(r))),
            Instr::Unlock(r) => Op::Release(self.lock_id(at(r))),
            Instr::Wait(r) if thread.get(r) != 0 => Op::Join(child(r)),
            Instr::MakeRunnable(r) if thread.get(r) != 0 => Op::VolatileWrite(Machine::wakeup(child(r))),
            Instr::Deschedule => Op::VolatileWrite(Machine::wakeup(tid)),
            Instr::Resume => Op::VolatileRead(Machine::wakeup(tid)),
            Instr::Send(..) | Instr::Receive(..) | Instr::Select(_) => return self.offers(tid, into),
            _ => return,
        });
    }
}
