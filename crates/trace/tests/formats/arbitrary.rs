//! Arbitrary traces: any operation, any names, not necessarily ones that can happen.

use deadheat_trace::{
    BarrierId, ChanId, CondId, Event, FenceOrder, LabelId, LoadOrder, Loc, LockId, Namespace, Op, RmwOrder,
    Scope, Span, StoreOrder, Symbols, Tid, Trace, VolatileId,
};
use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use std::fmt;

/// How many names each namespace has.
const NAMES: u32 = 6;

/// Names as programs have them.
pub(crate) fn plain_names() -> BoxedStrategy<String> {
    "[A-Za-z_$][A-Za-z0-9_.$<>()\\[\\]:é]{0,11}".boxed()
}

/// Names as nobody has them, and some that look like something else.
pub(crate) fn wild_names() -> BoxedStrategy<String> {
    const ODD: &[&str] = &[
        "-", "12", "0x10:8", "0x0:0", "a,b", ",", "()", "{", "\u{feff}", "a b", "x|y", "\r", "a\r", "\n",
        "\0", "\"",
    ];
    prop_oneof![".{1,10}", any::<String>(), proptest::sample::select(ODD).prop_map(str::to_owned)].boxed()
}

/// Indices of names are in no order, so that writers cannot count on any.
fn symbols(names: BoxedStrategy<String>) -> impl Strategy<Value = Symbols> {
    let space = btree_set(names.prop_filter("not empty", |n| !n.is_empty()), NAMES as usize);
    let space = space.prop_map(Vec::from_iter).prop_shuffle();
    vec(space, Namespace::ALL.len()).prop_map(|spaces| {
        let mut symbols = Symbols::default();
        for (space, names) in Namespace::ALL.into_iter().zip(spaces) {
            for name in names {
                symbols.intern(space, &name);
            }
        }
        symbols
    })
}

fn span() -> impl Strategy<Value = Span> {
    let size = prop_oneof![Just(1u64), Just(2), Just(4), Just(8), 1..100u64, 1..=1u64 << 63];
    let addr = prop_oneof![0..100u64, 0..1u64 << 47, 0..1u64 << 63];
    let bytes = (addr, size).prop_map(|(addr, size)| Span::new(addr.min((1 << 63) - size), size));
    prop_oneof![(0..NAMES).prop_map(Span::named), bytes]
}

fn loc() -> impl Strategy<Value = Loc> {
    let number = prop_oneof![0..20u32, 0..1u32 << 31].prop_map(|n| Loc::number(n).expect("below 2^31"));
    prop_oneof![number, Just(Loc::NONE), (0..NAMES).prop_map(Loc::named)]
}

fn op() -> impl Strategy<Value = Op> {
    let id = 0..NAMES;
    let count = prop_oneof![0..4u32, any::<u32>()];
    prop_oneof![
        span().prop_map(Op::Read),
        span().prop_map(Op::Write),
        span().prop_map(Op::Alloc),
        span().prop_map(Op::Free),
        (span(), load_order()).prop_map(|(s, o)| Op::AtomicLoad(s, o)),
        (span(), store_order()).prop_map(|(s, o)| Op::AtomicStore(s, o)),
        (span(), rmw_order()).prop_map(|(s, o)| Op::AtomicRmw(s, o)),
        fence_order().prop_map(Op::Fence),
        (0..22u8, id.clone(), id, count).prop_map(|(which, a, b, n)| object_op(which, a, b, n)),
    ]
}

fn object_op(which: u8, a: u32, b: u32, n: u32) -> Op {
    match which {
        0 => Op::Acquire(LockId(a)),
        1 => Op::Release(LockId(a)),
        2 => Op::AcquireShared(LockId(a)),
        3 => Op::ReleaseShared(LockId(a)),
        4 => Op::Fork(Tid(a)),
        5 => Op::Join(Tid(a)),
        6 => Op::Start,
        7 => Op::Exit,
        8 => Op::VolatileRead(VolatileId(a)),
        9 => Op::VolatileWrite(VolatileId(a)),
        10 => Op::Wait(CondId(a), LockId(b)),
        11 => Op::Woken(CondId(a), LockId(b)),
        12 => Op::Notify(CondId(a), if n & 1 == 0 { Scope::One } else { Scope::All }),
        13 => Op::BarrierMake(BarrierId(a), n),
        14 => Op::BarrierEnter(BarrierId(a)),
        15 => Op::BarrierLeave(BarrierId(a)),
        16 => Op::ChanMake(ChanId(a), n),
        17 => Op::Send(ChanId(a)),
        18 => Op::Receive(ChanId(a)),
        19 => Op::ReceiveClosed(ChanId(a)),
        20 => Op::Close(ChanId(a)),
        _ if n & 1 == 0 => Op::Begin(LabelId(a)),
        _ => Op::End(LabelId(a)),
    }
}

fn load_order() -> impl Strategy<Value = LoadOrder> {
    prop_oneof![Just(LoadOrder::Relaxed), Just(LoadOrder::Acquire), Just(LoadOrder::SeqCst)]
}

fn store_order() -> impl Strategy<Value = StoreOrder> {
    prop_oneof![Just(StoreOrder::Relaxed), Just(StoreOrder::Release), Just(StoreOrder::SeqCst)]
}

fn rmw_order() -> impl Strategy<Value = RmwOrder> {
    use RmwOrder::*;
    prop_oneof![Just(Relaxed), Just(Acquire), Just(Release), Just(AcqRel), Just(SeqCst)]
}

fn fence_order() -> impl Strategy<Value = FenceOrder> {
    use FenceOrder::*;
    prop_oneof![Just(Acquire), Just(Release), Just(AcqRel), Just(SeqCst)]
}

/// A trace that says what it is when a test fails.
#[derive(Clone)]
pub(crate) struct Made(pub(crate) Trace);

impl fmt::Debug for Made {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:#?}", self.0.symbols, self.0.events)
    }
}

/// A trace over names of that kind.
pub(crate) fn trace(names: BoxedStrategy<String>) -> impl Strategy<Value = Made> {
    let event = (op(), 0..NAMES, loc()).prop_map(|(op, t, loc)| Event { op, tid: Tid(t), loc });
    (symbols(names), vec(event, 1..60)).prop_map(|(symbols, events)| Made(Trace { symbols, events }))
}
