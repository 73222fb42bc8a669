//! A tiny language for traces in tests, and random events.
#![allow(dead_code)] // Each test crate uses a part of it.

use deadheat_trace::*;

pub const X: Span = Span { addr: Addr(0x100), size: 8 };
pub const Y: Span = Span { addr: Addr(0x200), size: 8 };

pub fn trace(steps: &[(u32, Op)]) -> Vec<Event> {
    let numbered = steps.iter().zip(0..);
    numbered.map(|(&(t, op), i)| Event { op, tid: Tid(t), loc: Loc::number(i).expect("short") }).collect()
}

pub fn r() -> Op {
    Op::Read(X)
}
pub fn w() -> Op {
    Op::Write(X)
}
pub fn acq(m: u32) -> Op {
    Op::Acquire(LockId(m))
}
pub fn rel(m: u32) -> Op {
    Op::Release(LockId(m))
}
pub fn racq(m: u32) -> Op {
    Op::AcquireShared(LockId(m))
}
pub fn rrel(m: u32) -> Op {
    Op::ReleaseShared(LockId(m))
}
pub fn fork(t: u32) -> Op {
    Op::Fork(Tid(t))
}
pub fn join(t: u32) -> Op {
    Op::Join(Tid(t))
}
pub fn wait(m: u32) -> Op {
    Op::Wait(CondId(0), LockId(m))
}
pub fn woken(m: u32) -> Op {
    Op::Woken(CondId(0), LockId(m))
}
pub fn barrier(b: u32, n: u32) -> Op {
    Op::BarrierMake(BarrierId(b), n)
}
pub fn enter(b: u32) -> Op {
    Op::BarrierEnter(BarrierId(b))
}
pub fn leave(b: u32) -> Op {
    Op::BarrierLeave(BarrierId(b))
}
pub fn make(c: u32, k: u32) -> Op {
    Op::ChanMake(ChanId(c), k)
}
pub fn send(c: u32) -> Op {
    Op::Send(ChanId(c))
}
pub fn recv(c: u32) -> Op {
    Op::Receive(ChanId(c))
}
pub fn close(c: u32) -> Op {
    Op::Close(ChanId(c))
}
pub fn recv_closed(c: u32) -> Op {
    Op::ReceiveClosed(ChanId(c))
}
pub fn vr(v: u32) -> Op {
    Op::VolatileRead(VolatileId(v))
}
pub fn vw(v: u32) -> Op {
    Op::VolatileWrite(VolatileId(v))
}
pub fn load(order: LoadOrder) -> Op {
    Op::AtomicLoad(Y, order)
}
pub fn store(order: StoreOrder) -> Op {
    Op::AtomicStore(Y, order)
}
pub fn rmw(order: RmwOrder) -> Op {
    Op::AtomicRmw(Y, order)
}
pub fn alloc(addr: u64, size: u64) -> Op {
    Op::Alloc(Span::new(addr, size))
}
pub fn free(addr: u64, size: u64) -> Op {
    Op::Free(Span::new(addr, size))
}

/// A small random number generator (xorshift64*): the same numbers on every machine.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub fn below(&mut self, n: u32) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % u64::from(n)) as u32
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    fn span(&mut self) -> Span {
        Span::new(0x100 + u64::from(self.below(10)), self.pick(&[1, 2, 4, 8]))
    }

    /// Any operation on a few objects.
    pub fn op(&mut self) -> Op {
        use FenceOrder as F;
        use LoadOrder as L;
        use RmwOrder as M;
        use StoreOrder as S;
        match self.below(31) {
            0 => Op::Read(self.span()),
            1 => Op::Write(self.span()),
            2 => acq(self.below(2)),
            3 => rel(self.below(2)),
            4 => racq(self.below(2)),
            5 => rrel(self.below(2)),
            6 => fork(self.below(5)),
            7 if self.below(4) == 0 => join(self.below(5)),
            8 => Op::Start,
            9 if self.below(16) == 0 => Op::Exit,
            10 => vr(self.below(2)),
            11 => vw(self.below(2)),
            12 => Op::AtomicLoad(self.span(), self.pick(&[L::Relaxed, L::Acquire, L::SeqCst])),
            13 => Op::AtomicStore(self.span(), self.pick(&[S::Relaxed, S::Release, S::SeqCst])),
            14 => Op::AtomicRmw(
                self.span(),
                self.pick(&[M::Relaxed, M::Acquire, M::Release, M::AcqRel, M::SeqCst]),
            ),
            15 => Op::Fence(self.pick(&[F::Acquire, F::Release, F::AcqRel, F::SeqCst])),
            16 => Op::Wait(CondId(self.below(2)), LockId(self.below(2))),
            17 => Op::Woken(CondId(self.below(2)), LockId(self.below(2))),
            18 => Op::Notify(CondId(self.below(2)), Scope::All),
            19 if self.below(4) == 0 => barrier(self.below(2), self.below(4)),
            20 => enter(self.below(2)),
            21 | 22 => leave(self.below(2)),
            23 => make(self.below(4), self.below(4)),
            24 => send(self.below(4)),
            25 => recv(self.below(4)),
            26 => recv_closed(self.below(4)),
            27 if self.below(4) == 0 => close(self.below(4)),
            28 => Op::Alloc(self.span()),
            29 => Op::Free(self.span()),
            _ => Op::Begin(LabelId(0)),
        }
    }

    /// Any event of up to five threads.
    pub fn event(&mut self) -> Event {
        Event { op: self.op(), tid: Tid(self.below(5)), loc: Loc::NONE }
    }

    /// A random trace that can happen: so many random events, without those that cannot happen where they fall.
    pub fn feasible(&mut self, draws: usize) -> Vec<Event> {
        let mut checker = Feasibility::new();
        (0..draws).map(|_| self.event()).filter(|e| checker.check(e).is_ok()).collect()
    }
}
