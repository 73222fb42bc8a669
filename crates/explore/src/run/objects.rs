//! What operations touch: shared objects by number, how they are touched, and which touches commute.
//!
//! Partial order reduction asks one question again and again: would two operations, both possible now, lead to the same state in
//! either order? Every operation is a few [`Touch`]es of shared objects (a granule of memory, a lock, an end of a channel), and two
//! operations commute unless they touch the same object in [conflicting](Kind::conflicts) ways. Objects keep their numbers over
//! all runs of a search, so that touches can be kept in its sleep sets.

use deadheat_trace::{Op, Span, Tid};
use foldhash::fast::FixedState;
use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

/// How an object is touched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum Kind {
    /// Memory: plain, then atomic. They conflict alike; only plain accesses race.
    Read,
    Write,
    Load,
    Update,
    Free,
    Alloc,
    /// Locks.
    Acquire,
    AcquireShared,
    Release,
    ReleaseShared,
    PeekLock,
    /// Volatiles.
    Look,
    Set,
    /// Channels.
    Send,
    Receive,
    ReceiveClosed,
    Close,
    PeekSend,
    PeekReceive,
    /// A thread's own step: program order as a conflict.
    Step,
    /// Condition variables, barriers and, where it matters, the allocator: every touch changes it.
    Change,
    /// The allocator where its calls commute: what an alloc returned may be what a free would have given back before it.
    Gave,
    Took,
}

const fn set(kinds: &[Kind]) -> u32 {
    let (mut bits, mut i) = (0, 0);
    while i < kinds.len() {
        bits |= 1 << kinds[i] as u8;
        i += 1;
    }
    bits
}

impl Kind {
    /// The kinds that do not commute with this one on the same object. Symmetric.
    const fn conflicts(self) -> u32 {
        use Kind::*;
        match self {
            Read | Load => set(&[Write, Update, Free, Alloc]),
            Write | Update => set(&[Read, Load, Write, Update, Free, Alloc]),
            // Free and alloc commute (002 §4.3), since what changes is only which address the alloc returns, unless it returned
            // just what was freed: then a stale access goes unnoticed that would be a use after free in the other order.
            Free => set(&[Read, Load, Write, Update, Free, Alloc]),
            Alloc => set(&[Read, Load, Write, Update, Free]),
            Acquire => set(&[Acquire, AcquireShared, PeekLock]),
            AcquireShared => set(&[Acquire, PeekLock]),
            Release | ReleaseShared => set(&[PeekLock]),
            PeekLock => set(&[Acquire, AcquireShared, Release, ReleaseShared]),
            Look => set(&[Set]),
            Set => set(&[Look, Set]),
            // A send and a receive commute when both are possible: they work at different ends.
            Send => set(&[Send, Close, PeekSend, PeekReceive]),
            Receive => set(&[Receive, ReceiveClosed, Close, PeekSend, PeekReceive]),
            ReceiveClosed => set(&[Receive, Close]),
            Close => set(&[Send, Receive, ReceiveClosed, Close, PeekSend, PeekReceive]),
            PeekSend => set(&[Send, Receive, Close, PeekReceive]),
            PeekReceive => set(&[Send, Receive, Close, PeekSend]),
            Step => set(&[Step]),
            Change => set(&[Change]),
            Gave => set(&[Took]),
            Took => set(&[Gave]),
        }
    }

    /// Earlier touches that this one, when it happens, is ordered after. All conflicting ones, except that memory handed out
    /// again is not ordered after the accesses to what it was before, only after its free.
    const fn follows(self) -> u32 {
        match self {
            Kind::Alloc => set(&[Kind::Free]),
            // Told by the memory itself.
            Kind::Gave | Kind::Took => 0,
            kind => kind.conflicts(),
        }
    }

    /// Earlier touches that a later one need not look at once this one is there: whatever follows them follows this one, and
    /// this one follows them.
    const fn hides(self) -> u32 {
        use Kind::*;
        match self {
            Write | Update => set(&[Read, Load, Write, Update, Free, Alloc]),
            Free => set(&[Read, Load, Write, Update, Free]),
            Acquire => set(&[Acquire, AcquireShared]),
            Release => set(&[Release, ReleaseShared]),
            Set => set(&[Look, Set]),
            Send => set(&[Send]),
            Receive => set(&[Receive, ReceiveClosed]),
            // Not sends and receives: a later one competes with them, whether the channel is closed or not.
            Close => set(&[ReceiveClosed, Close, PeekSend, PeekReceive]),
            Change => set(&[Change]),
            _ => 0,
        }
    }

    /// Earlier touches that make this one possible: an order that no schedule reverses.
    const fn needs(self) -> u32 {
        match self {
            Kind::Acquire => set(&[Kind::Release, Kind::ReleaseShared]),
            Kind::AcquireShared => set(&[Kind::Release]),
            Kind::ReceiveClosed => set(&[Kind::Close]),
            _ => 0,
        }
    }

    /// Earlier touches that took what this one, which may block, wants: it could have taken it first.
    const fn competes(self) -> u32 {
        use Kind::*;
        match self {
            Acquire => set(&[Acquire, AcquireShared]),
            AcquireShared => set(&[Acquire]),
            Send => set(&[Send]),
            Receive => set(&[Receive, ReceiveClosed]),
            ReceiveClosed => set(&[Receive]),
            _ => 0,
        }
    }

    #[inline]
    fn is_in(self, kinds: u32) -> bool {
        kinds >> self as u8 & 1 != 0
    }

    /// Is a touch of this kind ordered after an earlier one of that kind?
    #[inline]
    pub(crate) fn is_after(self, earlier: Kind) -> bool {
        earlier.is_in(self.follows())
    }

    /// Did the earlier touch take what this one wants?
    #[inline]
    pub(crate) fn competes_with(self, earlier: Kind) -> bool {
        earlier.is_in(self.competes())
    }

    /// Does the earlier touch make this one possible?
    #[inline]
    pub(crate) fn is_enabled_by(self, earlier: Kind) -> bool {
        earlier.is_in(self.needs())
    }

    /// Is it an access to memory? Then whether it is plain, and whether it writes.
    #[inline]
    pub(crate) fn access(self) -> Option<(bool, bool)> {
        match self {
            Kind::Read => Some((true, false)),
            Kind::Write | Kind::Free => Some((true, true)),
            Kind::Load => Some((false, false)),
            Kind::Update => Some((false, true)),
            _ => None,
        }
    }

    /// Must later touches look at it?
    #[inline]
    pub(crate) fn is_remembered(self) -> bool {
        !matches!(self, Kind::Step | Kind::Gave | Kind::Took)
    }

    /// Does this one stand for the earlier one from now on?
    #[inline]
    pub(crate) fn stands_for(self, earlier: Kind) -> bool {
        earlier.is_in(self.hides())
    }
}

/// One object touched in one way.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Touch {
    /// Its number in [`Names`].
    pub object: u32,
    /// How.
    pub kind: Kind,
    /// Which of a granule's eight bytes; all of them for other objects.
    pub mask: u8,
}

impl Touch {
    #[inline]
    fn conflicts(&self, other: &Touch) -> bool {
        self.object == other.object && self.mask & other.mask != 0 && other.kind.is_in(self.kind.conflicts())
    }
}

/// Do two transitions, given as their touches, not commute?
#[inline]
pub(crate) fn dependent(a: &[Touch], b: &[Touch]) -> bool {
    a.iter().any(|x| b.iter().any(|y| x.conflicts(y)))
}

/// How `malloc` and `free` relate to each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Heap {
    /// They commute: a program does not care which address it gets (002 §4.3).
    #[default]
    Independent,
    /// They are accesses to one allocator, so that every order of them is tried (002 §6.4): finds heap overruns.
    Overruns,
}

/// The classes of objects, as the low three bits of a key.
#[derive(Clone, Copy)]
enum Class {
    Memory,
    Lock,
    Volatile,
    Cond,
    Barrier,
    Channel,
    Thread,
    Allocator,
}

/// Numbers for objects, the same for the whole search.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(from = "Vec<u64>", into = "Vec<u64>")]
pub(crate) struct Names {
    keys: Vec<u64>,
    hashed: HashMap<u64, u32, FixedState>,
    /// Numbers plus one of the objects with small keys, by class: nearly all of them, found without a hash.
    direct: [Vec<u32>; 8],
}

impl From<Vec<u64>> for Names {
    fn from(keys: Vec<u64>) -> Names {
        let mut names = Names::default();
        keys.into_iter().for_each(|key| {
            names.number(key);
        });
        names
    }
}

impl From<Names> for Vec<u64> {
    fn from(names: Names) -> Vec<u64> {
        names.keys
    }
}

/// Named variables are the memory that has small keys: their granules begin here.
const NAMED_GRANULES: u64 = 1 << 60;
const DIRECT: u64 = 1 << 12;

impl Names {
    /// How many objects have numbers.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    #[inline]
    fn number(&mut self, key: u64) -> u32 {
        let (class, id) = ((key & 7) as usize, key >> 3);
        let id = if class == Class::Memory as usize { id.wrapping_sub(NAMED_GRANULES) } else { id };
        match self.direct[class].get(id as usize) {
            Some(&n) if id < DIRECT && n != 0 => n - 1,
            _ => self.number_slowly(key, class, id),
        }
    }

    #[cold]
    fn number_slowly(&mut self, key: u64, class: usize, id: u64) -> u32 {
        let next = self.keys.len() as u32;
        let number = *self.hashed.entry(key).or_insert(next);
        if number == next {
            self.keys.push(key);
        }
        if id < DIRECT {
            let direct = &mut self.direct[class];
            if direct.len() <= id as usize {
                direct.resize(id as usize + 1, 0);
            }
            direct[id as usize] = number + 1;
        }
        number
    }

    #[inline]
    fn of(&mut self, class: Class, id: u32) -> u32 {
        self.number(u64::from(id) << 3 | class as u64)
    }

    /// The number of a granule of memory.
    #[inline]
    pub(crate) fn granule(&mut self, granule: u64) -> u32 {
        self.number(granule << 3 | Class::Memory as u64)
    }

    /// A thread's own step.
    #[inline]
    pub(crate) fn step_of(&mut self, tid: Tid) -> Touch {
        Touch { object: self.of(Class::Thread, tid.0), kind: Kind::Step, mask: !0 }
    }

    /// Appends what an operation touches.
    #[inline]
    pub(crate) fn touches(&mut self, op: Op, heap: Heap, out: &mut Vec<Touch>) {
        use Class::{Barrier, Channel, Cond, Lock, Volatile};
        let mut touch = |class, id, kind| {
            let object = self.of(class, id);
            out.push(Touch { object, kind, mask: !0 });
        };
        match op {
            Op::Read(s) => self.memory(s, Kind::Read, out),
            Op::Write(s) => self.memory(s, Kind::Write, out),
            Op::AtomicLoad(s, _) => self.memory(s, Kind::Load, out),
            Op::AtomicStore(s, _) | Op::AtomicRmw(s, _) => self.memory(s, Kind::Update, out),
            Op::Acquire(m) => touch(Lock, m.0, Kind::Acquire),
            Op::Release(m) => touch(Lock, m.0, Kind::Release),
            Op::AcquireShared(m) => touch(Lock, m.0, Kind::AcquireShared),
            Op::ReleaseShared(m) => touch(Lock, m.0, Kind::ReleaseShared),
            Op::Fork(t) | Op::Join(t) => touch(Class::Thread, t.0, Kind::Step),
            Op::VolatileRead(v) => touch(Volatile, v.0, Kind::Look),
            Op::VolatileWrite(v) => touch(Volatile, v.0, Kind::Set),
            Op::Wait(c, m) => {
                touch(Lock, m.0, Kind::Release);
                touch(Cond, c.0, Kind::Change);
            }
            Op::Woken(_, m) => touch(Lock, m.0, Kind::Acquire),
            Op::Notify(c, _) => touch(Cond, c.0, Kind::Change),
            Op::BarrierEnter(b) => touch(Barrier, b.0, Kind::Change),
            Op::Send(c) => touch(Channel, c.0, Kind::Send),
            Op::Receive(c) => touch(Channel, c.0, Kind::Receive),
            Op::ReceiveClosed(c) => touch(Channel, c.0, Kind::ReceiveClosed),
            Op::Close(c) => touch(Channel, c.0, Kind::Close),
            Op::Alloc(s) => {
                self.memory(s, Kind::Alloc, out);
                self.allocator(heap, Kind::Took, out);
            }
            Op::Free(s) => {
                self.memory(s, Kind::Free, out);
                self.allocator(heap, Kind::Gave, out);
            }
            Op::Start | Op::Exit | Op::Fence(_) | Op::BarrierMake(..) | Op::BarrierLeave(_) => {}
            Op::ChanMake(..) | Op::Begin(_) | Op::End(_) => {}
        }
    }

    /// Appends what seeing the readiness of an operation touches.
    pub(crate) fn peeks(&mut self, op: Op, out: &mut Vec<Touch>) {
        let (class, id, kind) = match op {
            Op::Send(c) => (Class::Channel, c.0, Kind::PeekSend),
            Op::Receive(c) | Op::ReceiveClosed(c) => (Class::Channel, c.0, Kind::PeekReceive),
            Op::Acquire(m) | Op::AcquireShared(m) => (Class::Lock, m.0, Kind::PeekLock),
            Op::VolatileRead(v) => (Class::Volatile, v.0, Kind::Look),
            Op::Read(s) | Op::AtomicLoad(s, _) => return self.memory(s, Kind::Load, out),
            _ => return,
        };
        out.push(Touch { object: self.of(class, id), kind, mask: !0 });
    }

    fn allocator(&mut self, heap: Heap, kind: Kind, out: &mut Vec<Touch>) {
        let kind = if heap == Heap::Overruns { Kind::Change } else { kind };
        out.push(Touch { object: self.of(Class::Allocator, 0), kind, mask: !0 });
    }

    #[inline]
    fn memory(&mut self, span: Span, kind: Kind, out: &mut Vec<Touch>) {
        for (granule, mask) in granules(span) {
            out.push(Touch { object: self.granule(granule), kind, mask });
        }
    }
}

/// The aligned words of eight bytes that a run of bytes lies in, with a bit for each byte.
#[inline]
pub(crate) fn granules(span: Span) -> impl Iterator<Item = (u64, u8)> {
    let (first, last) = (span.addr.0 >> 3, (span.end() - 1) >> 3);
    (first..=last).map(move |granule| {
        let mut mask = !0u8;
        if granule == first {
            mask &= !0 << (span.addr.0 & 7);
        }
        if granule == last {
            mask &= !0 >> (7 - ((span.end() - 1) & 7));
        }
        (granule, mask)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conflicts_are_symmetric() {
        let all: Vec<Kind> = (0..=Kind::Took as u8)
            .map(|k| serde_json::from_value(serde_json::to_value(KINDS[k as usize]).unwrap()).unwrap())
            .collect();
        for &a in &all {
            for &b in &all {
                assert_eq!(a.is_in(b.conflicts()), b.is_in(a.conflicts()), "{a:?} {b:?}");
            }
        }
    }

    const KINDS: [Kind; 23] = {
        use Kind::*;
        [
            Read,
            Write,
            Load,
            Update,
            Free,
            Alloc,
            Acquire,
            AcquireShared,
            Release,
            ReleaseShared,
            PeekLock,
            Look,
            Set,
            Send,
            Receive,
            ReceiveClosed,
            Close,
            PeekSend,
            PeekReceive,
            Step,
            Change,
            Gave,
            Took,
        ]
    };

    #[test]
    fn a_span_is_cut_at_words() {
        let cut: Vec<_> = granules(Span::new(6, 12)).collect();
        assert_eq!(cut, [(0, 0b1100_0000), (1, 0xff), (2, 0b11)]);
        assert_eq!(granules(Span::named(2)).collect::<Vec<_>>(), [((1 << 60) + 2, 1)]);
    }

    #[test]
    fn names_come_back_from_their_keys() {
        let mut names = Names::default();
        let mut touches = Vec::new();
        for op in [Op::Read(Span::new(1 << 40, 16)), Op::Write(Span::named(3))] {
            names.touches(op, Heap::Independent, &mut touches);
        }
        let mut again: Names = Vec::from(names.clone()).into();
        assert_eq!(again.len(), names.len());
        assert_eq!(again.granule((1 << 60) + 3), touches[2].object);
    }
}
