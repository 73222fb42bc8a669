//! A recorded event as an event of a trace: objects that the runtime knows by address get identifiers of their own.

use super::places::{Places, plain};
use super::raw::Names;
use crate::failure::Failure;
use deadheat_finding::raw::{self, Order, What};
use deadheat_trace::{
    BarrierId, CondId, Event, FenceOrder, LoadOrder, LockId, Namespace, Op, RmwOrder, Scope, Span,
    StoreOrder, Symbols, Tid, VolatileId,
};
use std::collections::{BTreeMap, HashMap};

/// Gives threads and objects their identifiers as they come.
pub struct Translator<'a> {
    names: &'a Names,
    places: Places<'a>,
    symbols: Symbols,
    threads: HashMap<u32, Tid>,
    /// By kind and address. Memory that is handed out anew holds new objects.
    objects: BTreeMap<(u64, Kind), u32>,
    /// The barrier that each thread is in: another one may have taken its place by the time that the thread says that it left.
    inside: HashMap<u32, BarrierId>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Lock,
    Cond,
    Barrier,
    Volatile,
}

impl Kind {
    fn namespace(self) -> Namespace {
        match self {
            Kind::Lock => Namespace::Lock,
            Kind::Cond => Namespace::Cond,
            Kind::Barrier => Namespace::Barrier,
            Kind::Volatile => Namespace::Volatile,
        }
    }
}

impl<'a> Translator<'a> {
    /// Knows no event yet.
    pub fn new(names: &'a Names, places: Places<'a>) -> Translator<'a> {
        let (threads, objects, inside) = (HashMap::new(), BTreeMap::new(), HashMap::new());
        Translator { names, places, symbols: Symbols::default(), threads, objects, inside }
    }

    /// The names so far.
    pub fn symbols(&self) -> &Symbols {
        &self.symbols
    }

    /// The event in the trace; `None` for what is only a remark.
    pub fn event(&mut self, event: &raw::Event) -> Result<Option<Event>, Failure> {
        let tid = self.thread(event.thread)?;
        let Some(op) = self.op(event)? else { return Ok(None) };
        let loc = self.places.loc(event.site, &mut self.symbols);
        Ok(Some(Event { op, tid, loc }))
    }

    fn op(&mut self, event: &raw::Event) -> Result<Option<Op>, Failure> {
        Ok(Some(match event.what {
            What::Read { address, size } => Op::Read(Span::new(address, size)),
            What::Write { address, size } => Op::Write(Span::new(address, size)),
            What::AtomicLoad { address, size, order } => {
                Op::AtomicLoad(Span::new(address, size), load(order))
            }
            What::AtomicStore { address, size, order } => {
                Op::AtomicStore(Span::new(address, size), store(order))
            }
            What::AtomicRmw { address, size, order } => Op::AtomicRmw(Span::new(address, size), rmw(order)),
            What::Fence { order } => Op::Fence(fence(order)),
            What::Lock { lock } => Op::Acquire(self.lock(lock)),
            What::Unlock { lock } => Op::Release(self.lock(lock)),
            What::LockShared { lock } => Op::AcquireShared(self.lock(lock)),
            What::UnlockShared { lock } => Op::ReleaseShared(self.lock(lock)),
            What::Fork { child } => Op::Fork(self.thread(child)?),
            What::Join { child } => Op::Join(self.thread(child)?),
            What::Start => Op::Start,
            What::Exit => Op::Exit,
            What::Wait { cond, lock } => Op::Wait(self.cond(cond), self.lock(lock)),
            What::Woken { cond, lock } => Op::Woken(self.cond(cond), self.lock(lock)),
            What::Notify { cond, scope: raw::Scope::One } => Op::Notify(self.cond(cond), Scope::One),
            What::Notify { cond, scope: raw::Scope::All } => Op::Notify(self.cond(cond), Scope::All),
            What::BarrierMake { barrier, parties } => {
                self.objects.remove(&(barrier, Kind::Barrier));
                Op::BarrierMake(self.barrier(barrier), parties)
            }
            What::BarrierEnter { barrier } => {
                let barrier = self.barrier(barrier);
                self.inside.insert(event.thread, barrier);
                Op::BarrierEnter(barrier)
            }
            What::BarrierLeave { barrier } => {
                let entered = self.inside.remove(&event.thread);
                Op::BarrierLeave(entered.unwrap_or_else(|| self.barrier(barrier)))
            }
            What::Alloc { address, size } => {
                self.forget(address, size);
                Op::Alloc(Span::new(address, size))
            }
            What::Free { address, size } => Op::Free(Span::new(address, size)),
            What::Release { object } => Op::VolatileWrite(VolatileId(self.object(Kind::Volatile, object))),
            What::Acquire { object } => Op::VolatileRead(VolatileId(self.object(Kind::Volatile, object))),
            What::Race { .. } => return Ok(None),
            What::Gone { object } => {
                self.forget(object, 1);
                return Ok(None);
            }
        }))
    }

    /// The first thread is `main`, the others are `T1`, `T2-worker` and so on.
    fn thread(&mut self, number: u32) -> Result<Tid, Failure> {
        if let Some(tid) = self.threads.get(&number) {
            return Ok(*tid);
        }
        let own = self.names.threads.get(&number).map(|name| plain(name)).unwrap_or_default();
        let name = match (number, own.as_str()) {
            (0, _) => "main".to_owned(),
            (n, "") => format!("T{n}"),
            (n, own) => format!("T{n}-{own}"),
        };
        let tid = self.symbols.intern_thread(&name);
        if tid.0 >= Tid::LIMIT {
            return Err(Failure::new(format!(
                "the run has more than {} threads, too many for a trace",
                Tid::LIMIT
            )));
        }
        self.threads.insert(number, tid);
        Ok(tid)
    }

    fn lock(&mut self, address: u64) -> LockId {
        LockId(self.object(Kind::Lock, address))
    }

    fn cond(&mut self, address: u64) -> CondId {
        CondId(self.object(Kind::Cond, address))
    }

    fn barrier(&mut self, address: u64) -> BarrierId {
        BarrierId(self.object(Kind::Barrier, address))
    }

    fn object(&mut self, kind: Kind, address: u64) -> u32 {
        if let Some(id) = self.objects.get(&(address, kind)) {
            return *id;
        }
        let id = self.symbols.intern(kind.namespace(), &self.new_name(kind, address));
        self.objects.insert((address, kind), id);
        id
    }

    /// A name that no other object of that kind has had: the variable's, or the address, with a number where there was one before.
    fn new_name(&self, kind: Kind, address: u64) -> String {
        let given = self.names.objects.get(&address).cloned().or_else(|| self.places.variable(address));
        let name = given.map_or_else(|| format!("{address:#x}"), |name| plain(&name));
        let again = (2..).map(|n| format!("{name}#{n}"));
        let mut candidates = std::iter::once(name.clone()).chain(again);
        candidates.find(|name| self.symbols.find(kind.namespace(), name).is_none()).unwrap_or(name)
    }

    /// Whatever was in that memory is gone.
    fn forget(&mut self, address: u64, size: u64) {
        let inside = (address, Kind::Lock)..(address.saturating_add(size), Kind::Lock);
        let gone: Vec<_> = self.objects.range(inside).map(|(key, _)| *key).collect();
        for key in gone {
            self.objects.remove(&key);
        }
    }
}

fn load(order: Order) -> LoadOrder {
    match order {
        Order::Relaxed | Order::Release => LoadOrder::Relaxed,
        Order::Consume | Order::Acquire | Order::AcqRel => LoadOrder::Acquire,
        Order::SeqCst => LoadOrder::SeqCst,
    }
}

fn store(order: Order) -> StoreOrder {
    match order {
        Order::Relaxed | Order::Consume | Order::Acquire => StoreOrder::Relaxed,
        Order::Release | Order::AcqRel => StoreOrder::Release,
        Order::SeqCst => StoreOrder::SeqCst,
    }
}

fn rmw(order: Order) -> RmwOrder {
    match order {
        Order::Relaxed => RmwOrder::Relaxed,
        Order::Consume | Order::Acquire => RmwOrder::Acquire,
        Order::Release => RmwOrder::Release,
        Order::AcqRel => RmwOrder::AcqRel,
        Order::SeqCst => RmwOrder::SeqCst,
    }
}

fn fence(order: Order) -> FenceOrder {
    match order {
        Order::Relaxed | Order::Consume | Order::Acquire => FenceOrder::Acquire,
        Order::Release => FenceOrder::Release,
        Order::AcqRel => FenceOrder::AcqRel,
        Order::SeqCst => FenceOrder::SeqCst,
    }
}
