//! What an event did, in a word or two for a picture and in a sentence for a tooltip.

use crate::words::{Names, counted};
use deadheat_clock::Tid;
use deadheat_trace::{
    BarrierId, ChanId, CondId, FenceOrder, LoadOrder, LockId, Namespace, Op, RmwOrder, Scope, StoreOrder,
    Symbols, VolatileId,
};

/// The operation in short: `w x`, `acq m`, `load.acq flag`. The words are those of the STD format.
pub fn describe(op: &Op, symbols: &Symbols) -> String {
    let names = Names(symbols);
    match *op {
        Op::Read(s) => format!("r {}", names.span(s)),
        Op::Write(s) => format!("w {}", names.span(s)),
        Op::Acquire(l) => format!("acq {}", names.lock(l)),
        Op::Release(l) => format!("rel {}", names.lock(l)),
        Op::AcquireShared(l) => format!("racq {}", names.lock(l)),
        Op::ReleaseShared(l) => format!("rrel {}", names.lock(l)),
        Op::Fork(t) => format!("fork {}", names.thread(t)),
        Op::Join(t) => format!("join {}", names.thread(t)),
        Op::Start => "start".into(),
        Op::Exit => "exit".into(),
        Op::VolatileRead(v) => format!("vr {}", names.volatile(v)),
        Op::VolatileWrite(v) => format!("vw {}", names.volatile(v)),
        Op::AtomicLoad(s, o) => format!("load{} {}", load_order(o).suffix, names.span(s)),
        Op::AtomicStore(s, o) => format!("store{} {}", store_order(o).suffix, names.span(s)),
        Op::AtomicRmw(s, o) => format!("rmw{} {}", rmw_order(o).suffix, names.span(s)),
        Op::Fence(o) => format!("fence{}", fence_order(o).suffix),
        Op::Wait(c, _) => format!("wait {}", names.cond(c)),
        Op::Woken(c, _) => format!("woken {}", names.cond(c)),
        Op::Notify(c, Scope::One) => format!("notify {}", names.cond(c)),
        Op::Notify(c, Scope::All) => format!("notifyall {}", names.cond(c)),
        Op::BarrierMake(b, _) => format!("barrier {}", names.barrier(b)),
        Op::BarrierEnter(b) => format!("enter {}", names.barrier(b)),
        Op::BarrierLeave(b) => format!("leave {}", names.barrier(b)),
        Op::ChanMake(c, _) => format!("make {}", names.chan(c)),
        Op::Send(c) => format!("send {}", names.chan(c)),
        Op::Receive(c) => format!("recv {}", names.chan(c)),
        Op::ReceiveClosed(c) => format!("recvclosed {}", names.chan(c)),
        Op::Close(c) => format!("close {}", names.chan(c)),
        Op::Alloc(s) => format!("alloc {}", names.span(s)),
        Op::Free(s) => format!("free {}", names.span(s)),
        Op::Begin(l) => format!("begin {}", names.label(l)),
        Op::End(l) => format!("end {}", names.label(l)),
    }
}

/// The operation as the rest of a sentence that starts with its thread: `took lock m`, `wrote counter`.
pub fn explain(op: &Op, symbols: &Symbols) -> String {
    let names = Names(symbols);
    match *op {
        Op::Read(s) => format!("read {}", names.span(s)),
        Op::Write(s) => format!("wrote {}", names.span(s)),
        Op::Acquire(l) => format!("took {}", names.the_lock(l)),
        Op::Release(l) => format!("gave {} back", names.the_lock(l)),
        Op::AcquireShared(l) => format!("took {} as a reader", names.the_lock(l)),
        Op::ReleaseShared(l) => format!("gave {} back as a reader", names.the_lock(l)),
        Op::Fork(t) => format!("created {}", names.the_thread(t)),
        Op::Join(t) => format!("waited for the end of {}", names.the_thread(t)),
        Op::Start => "started".into(),
        Op::Exit => "ended".into(),
        Op::VolatileRead(v) => format!("read {}", names.the_volatile(v)),
        Op::VolatileWrite(v) => format!("wrote {}", names.the_volatile(v)),
        Op::AtomicLoad(s, o) => format!("atomically read {} ({})", names.span(s), load_order(o).name),
        Op::AtomicStore(s, o) => format!("atomically wrote {} ({})", names.span(s), store_order(o).name),
        Op::AtomicRmw(s, o) => format!("atomically changed {} ({})", names.span(s), rmw_order(o).name),
        Op::Fence(o) => format!("passed a fence ({})", fence_order(o).name),
        Op::Wait(c, l) => {
            format!("began to wait on {} and gave {} back", names.the_cond(c), names.the_lock(l))
        }
        Op::Woken(c, l) => {
            format!("came back from {} and holds {} again", names.the_cond(c), names.the_lock(l))
        }
        Op::Notify(c, Scope::One) => format!("woke one waiter of {}", names.the_cond(c)),
        Op::Notify(c, Scope::All) => format!("woke all waiters of {}", names.the_cond(c)),
        Op::BarrierMake(b, n) => {
            format!("made {} for {}", names.the_barrier(b), counted(n.into(), "thread", "threads"))
        }
        Op::BarrierEnter(b) => format!("arrived at {}", names.the_barrier(b)),
        Op::BarrierLeave(b) => format!("left {}", names.the_barrier(b)),
        Op::ChanMake(c, 0) => format!("made {}, a rendezvous", names.the_chan(c)),
        Op::ChanMake(c, n) => format!("made {} with room for {n}", names.the_chan(c)),
        Op::Send(c) => format!("sent on {}", names.the_chan(c)),
        Op::Receive(c) => format!("received from {}", names.the_chan(c)),
        Op::ReceiveClosed(c) => format!("found {} closed and empty", names.the_chan(c)),
        Op::Close(c) => format!("closed {}", names.the_chan(c)),
        Op::Alloc(s) => format!("allocated {}", names.span(s)),
        Op::Free(s) => format!("freed {}", names.span(s)),
        Op::Begin(l) => format!("entered the region {}", names.label(l)),
        Op::End(l) => format!("left the region {}", names.label(l)),
    }
}

/// A memory order: what C++ calls it, and its suffix in a short label. Relaxed, which orders nothing, has none.
struct Order {
    name: &'static str,
    suffix: &'static str,
}

const RELAXED: Order = Order { name: "relaxed", suffix: "" };
const ACQUIRE: Order = Order { name: "acquire", suffix: ".acq" };
const RELEASE: Order = Order { name: "release", suffix: ".rel" };
const ACQ_REL: Order = Order { name: "acq_rel", suffix: ".ar" };
const SEQ_CST: Order = Order { name: "seq_cst", suffix: ".sc" };

fn load_order(order: LoadOrder) -> Order {
    match order {
        LoadOrder::Relaxed => RELAXED,
        LoadOrder::Acquire => ACQUIRE,
        LoadOrder::SeqCst => SEQ_CST,
    }
}

fn store_order(order: StoreOrder) -> Order {
    match order {
        StoreOrder::Relaxed => RELAXED,
        StoreOrder::Release => RELEASE,
        StoreOrder::SeqCst => SEQ_CST,
    }
}

fn rmw_order(order: RmwOrder) -> Order {
    match order {
        RmwOrder::Relaxed => RELAXED,
        RmwOrder::Acquire => ACQUIRE,
        RmwOrder::Release => RELEASE,
        RmwOrder::AcqRel => ACQ_REL,
        RmwOrder::SeqCst => SEQ_CST,
    }
}

fn fence_order(order: FenceOrder) -> Order {
    match order {
        FenceOrder::Acquire => ACQUIRE,
        FenceOrder::Release => RELEASE,
        FenceOrder::AcqRel => ACQ_REL,
        FenceOrder::SeqCst => SEQ_CST,
    }
}

/// Names with the word for the thing in front. [`Symbols`] already calls a nameless one `lock 3`, which needs no second `lock`.
macro_rules! names_with_nouns {
    ($($the:ident $name:ident $noun:literal $space:ident $id:ty),* $(,)?) => {
        impl Names<'_> {$(
            pub(crate) fn $the(self, id: $id) -> String {
                let name = self.$name(id);
                match self.0.name(Namespace::$space, id.0) {
                    Some(_) => format!(concat!($noun, " {}"), name),
                    None => name,
                }
            }
        )*}
    };
}

names_with_nouns! {
    the_thread thread "thread" Thread Tid,
    the_lock lock "lock" Lock LockId,
    the_volatile volatile "volatile" Volatile VolatileId,
    the_cond cond "condition" Cond CondId,
    the_barrier barrier "barrier" Barrier BarrierId,
    the_chan chan "channel" Chan ChanId,
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_trace::Span;

    #[test]
    fn short_and_long_forms() {
        let mut symbols = Symbols::default();
        let x = symbols.intern_var("x");
        let m = LockId(symbols.intern(Namespace::Lock, "m"));
        let ops = [
            (Op::Write(x), "w x", "wrote x"),
            (Op::Read(Span::new(0x7f10, 8)), "r 0x7f10:8", "read 0x7f10:8"),
            (Op::Acquire(m), "acq m", "took lock m"),
            (Op::Release(LockId(7)), "rel lock 7", "gave lock 7 back"),
            (Op::AtomicLoad(x, LoadOrder::Acquire), "load.acq x", "atomically read x (acquire)"),
            (Op::AtomicRmw(x, RmwOrder::Relaxed), "rmw x", "atomically changed x (relaxed)"),
            (Op::Fence(FenceOrder::SeqCst), "fence.sc", "passed a fence (seq_cst)"),
            (Op::ChanMake(ChanId(0), 0), "make channel 0", "made channel 0, a rendezvous"),
            (Op::BarrierMake(BarrierId(0), 3), "barrier barrier 0", "made barrier 0 for 3 threads"),
        ];
        for (op, short, long) in ops {
            assert_eq!((describe(&op, &symbols).as_str(), explain(&op, &symbols).as_str()), (short, long));
        }
    }
}
