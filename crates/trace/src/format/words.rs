//! Every operation's words in the text formats, its number in the binary one, and which operands it has.
//!
//! [`Word::read_op`] and [`write_op`] are the only places that know the operands of an operation. A format implements
//! [`Operands`] and [`Spelling`] to say how *it* spells a piece of memory, a name, an order and a number.

use super::orders::Order;
use crate::{
    BarrierId, ChanId, CondId, LabelId, LockId, Namespace, Op, Scope, Span, Tid, VolatileId, format::message,
};

macro_rules! words {
    ($($word:ident $std:literal $json:literal),* $(,)?) => {
        /// An operation without its operands. The discriminant is its number in the binary format: append only.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        #[repr(u8)]
        pub(super) enum Word { $($word),* }

        impl Word {
            pub(super) const ALL: &[Word] = &[$(Word::$word),*];

            /// The word in STD text.
            pub(super) fn std(self) -> &'static str {
                match self { $(Word::$word => $std),* }
            }

            /// The word in JSON Lines.
            pub(super) fn json(self) -> &'static str {
                match self { $(Word::$word => $json),* }
            }

            // The comparisons run in the order of the table, so the common words come first.
            #[inline]
            pub(super) fn from_std(text: &[u8]) -> Option<Word> {
                match text { $(t if t == $std.as_bytes() => Some(Word::$word),)* _ => None }
            }

            pub(super) fn from_json(text: &str) -> Option<Word> {
                match text { $($json => Some(Word::$word),)* _ => None }
            }
        }
    };
}

words! {
    Read "r" "read",
    Write "w" "write",
    Acquire "acq" "acquire",
    Release "rel" "release",
    AcquireShared "racq" "acquire_shared",
    ReleaseShared "rrel" "release_shared",
    Fork "fork" "fork",
    Join "join" "join",
    Start "start" "start",
    Exit "exit" "exit",
    VolatileRead "vr" "volatile_read",
    VolatileWrite "vw" "volatile_write",
    AtomicLoad "load" "atomic_load",
    AtomicStore "store" "atomic_store",
    AtomicRmw "rmw" "atomic_rmw",
    Fence "fence" "fence",
    Wait "wait" "wait",
    Woken "woken" "woken",
    Notify "notify" "notify",
    NotifyAll "notifyall" "notify_all",
    BarrierMake "barrier" "barrier_make",
    BarrierEnter "enter" "barrier_enter",
    BarrierLeave "leave" "barrier_leave",
    ChanMake "make" "chan_make",
    Send "send" "send",
    Receive "recv" "receive",
    ReceiveClosed "recvclosed" "receive_closed",
    Close "close" "close",
    Alloc "alloc" "alloc",
    Free "free" "free",
    Begin "begin" "begin",
    End "end" "end",
}

/// A number among the operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Count {
    /// Threads in a round of a barrier.
    Parties,
    /// Values that fit into a channel.
    Capacity,
}

impl Count {
    pub(super) fn name(self) -> &'static str {
        match self {
            Count::Parties => "parties",
            Count::Capacity => "capacity",
        }
    }
}

/// How a format reads operands; asked for in the order in which the operation has them.
pub(super) trait Operands {
    fn memory(&mut self) -> Result<Span, String>;
    fn name(&mut self, space: Namespace) -> Result<u32, String>;
    fn order(&mut self) -> Result<Order, String>;
    fn number(&mut self, what: Count) -> Result<u32, String>;
}

/// How a format writes an operation: the word, then its operands in order.
pub(super) trait Spelling: Sized {
    fn word(&mut self, word: Word) -> Result<&mut Self, String>;
    fn memory(&mut self, span: Span) -> Result<&mut Self, String>;
    fn name(&mut self, space: Namespace, index: u32) -> Result<&mut Self, String>;
    fn order(&mut self, order: Order) -> Result<&mut Self, String>;
    fn number(&mut self, what: Count, n: u32) -> Result<&mut Self, String>;
}

impl Word {
    /// The operation with that number in the binary format.
    pub(super) fn from_number(n: u8) -> Option<Word> {
        Word::ALL.get(usize::from(n)).copied()
    }

    /// How many operands stand between the parentheses in STD text.
    #[inline]
    pub(super) fn arity(self) -> usize {
        use Word::*;
        match self {
            Start | Exit => 0,
            AtomicLoad | AtomicStore | AtomicRmw | Wait | Woken | BarrierMake | ChanMake => 2,
            _ => 1,
        }
    }

    /// Is it one of the markers, whose operand is whatever follows the word?
    pub(super) fn is_marker(self) -> bool {
        matches!(self, Word::Begin | Word::End)
    }

    /// What to say about a word that is none, with the known words that look like it.
    pub(super) fn unknown(text: &[u8], spell: fn(Word) -> &'static str) -> String {
        // The word of the other text format is the best guess there is.
        let other = |w: &&Word| [w.std(), w.json()].iter().any(|name| name.as_bytes() == text);
        let near = |w: &&Word| [w.std(), w.json()].iter().any(|name| message::resembles(text, name));
        let names = |words: Vec<&Word>| words.into_iter().map(|&w| spell(w)).collect::<Vec<_>>();
        let mut guesses = names(Word::ALL.iter().filter(other).collect());
        if guesses.is_empty() {
            guesses = names(Word::ALL.iter().filter(near).collect());
        }
        let found = message::excerpt(text);
        match guesses.as_slice() {
            [] => {
                format!(
                    "unknown operation {found}; there are {}",
                    names(Word::ALL.iter().collect()).join(", ")
                )
            }
            near => format!("unknown operation {found}; did you mean {}?", near.join(" or ")),
        }
    }

    /// The operation that this word and those operands are.
    #[inline]
    pub(super) fn read_op(self, from: &mut impl Operands) -> Result<Op, String> {
        use Namespace as N;
        Ok(match self {
            Word::Read => Op::Read(from.memory()?),
            Word::Write => Op::Write(from.memory()?),
            Word::Acquire => Op::Acquire(LockId(from.name(N::Lock)?)),
            Word::Release => Op::Release(LockId(from.name(N::Lock)?)),
            Word::AcquireShared => Op::AcquireShared(LockId(from.name(N::Lock)?)),
            Word::ReleaseShared => Op::ReleaseShared(LockId(from.name(N::Lock)?)),
            Word::Fork => Op::Fork(Tid(from.name(N::Thread)?)),
            Word::Join => Op::Join(Tid(from.name(N::Thread)?)),
            Word::Start => Op::Start,
            Word::Exit => Op::Exit,
            Word::VolatileRead => Op::VolatileRead(VolatileId(from.name(N::Volatile)?)),
            Word::VolatileWrite => Op::VolatileWrite(VolatileId(from.name(N::Volatile)?)),
            Word::AtomicLoad => Op::AtomicLoad(from.memory()?, from.order()?.try_into()?),
            Word::AtomicStore => Op::AtomicStore(from.memory()?, from.order()?.try_into()?),
            Word::AtomicRmw => Op::AtomicRmw(from.memory()?, from.order()?.into()),
            Word::Fence => Op::Fence(from.order()?.try_into()?),
            Word::Wait => Op::Wait(CondId(from.name(N::Cond)?), LockId(from.name(N::Lock)?)),
            Word::Woken => Op::Woken(CondId(from.name(N::Cond)?), LockId(from.name(N::Lock)?)),
            Word::Notify => Op::Notify(CondId(from.name(N::Cond)?), Scope::One),
            Word::NotifyAll => Op::Notify(CondId(from.name(N::Cond)?), Scope::All),
            Word::BarrierMake => {
                Op::BarrierMake(BarrierId(from.name(N::Barrier)?), from.number(Count::Parties)?)
            }
            Word::BarrierEnter => Op::BarrierEnter(BarrierId(from.name(N::Barrier)?)),
            Word::BarrierLeave => Op::BarrierLeave(BarrierId(from.name(N::Barrier)?)),
            Word::ChanMake => Op::ChanMake(ChanId(from.name(N::Chan)?), from.number(Count::Capacity)?),
            Word::Send => Op::Send(ChanId(from.name(N::Chan)?)),
            Word::Receive => Op::Receive(ChanId(from.name(N::Chan)?)),
            Word::ReceiveClosed => Op::ReceiveClosed(ChanId(from.name(N::Chan)?)),
            Word::Close => Op::Close(ChanId(from.name(N::Chan)?)),
            Word::Alloc => Op::Alloc(from.memory()?),
            Word::Free => Op::Free(from.memory()?),
            Word::Begin => Op::Begin(LabelId(from.name(N::Label)?)),
            Word::End => Op::End(LabelId(from.name(N::Label)?)),
        })
    }
}

/// Writes an operation's word and operands: [`Word::read_op`] backwards.
pub(super) fn write_op<S: Spelling>(op: &Op, to: &mut S) -> Result<(), String> {
    use Namespace as N;
    match *op {
        Op::Read(s) => to.word(Word::Read)?.memory(s)?,
        Op::Write(s) => to.word(Word::Write)?.memory(s)?,
        Op::Acquire(l) => to.word(Word::Acquire)?.name(N::Lock, l.0)?,
        Op::Release(l) => to.word(Word::Release)?.name(N::Lock, l.0)?,
        Op::AcquireShared(l) => to.word(Word::AcquireShared)?.name(N::Lock, l.0)?,
        Op::ReleaseShared(l) => to.word(Word::ReleaseShared)?.name(N::Lock, l.0)?,
        Op::Fork(t) => to.word(Word::Fork)?.name(N::Thread, t.0)?,
        Op::Join(t) => to.word(Word::Join)?.name(N::Thread, t.0)?,
        Op::Start => to.word(Word::Start)?,
        Op::Exit => to.word(Word::Exit)?,
        Op::VolatileRead(v) => to.word(Word::VolatileRead)?.name(N::Volatile, v.0)?,
        Op::VolatileWrite(v) => to.word(Word::VolatileWrite)?.name(N::Volatile, v.0)?,
        Op::AtomicLoad(s, o) => to.word(Word::AtomicLoad)?.memory(s)?.order(o.into())?,
        Op::AtomicStore(s, o) => to.word(Word::AtomicStore)?.memory(s)?.order(o.into())?,
        Op::AtomicRmw(s, o) => to.word(Word::AtomicRmw)?.memory(s)?.order(o.into())?,
        Op::Fence(o) => to.word(Word::Fence)?.order(o.into())?,
        Op::Wait(c, l) => to.word(Word::Wait)?.name(N::Cond, c.0)?.name(N::Lock, l.0)?,
        Op::Woken(c, l) => to.word(Word::Woken)?.name(N::Cond, c.0)?.name(N::Lock, l.0)?,
        Op::Notify(c, Scope::One) => to.word(Word::Notify)?.name(N::Cond, c.0)?,
        Op::Notify(c, Scope::All) => to.word(Word::NotifyAll)?.name(N::Cond, c.0)?,
        Op::BarrierMake(b, n) => {
            to.word(Word::BarrierMake)?.name(N::Barrier, b.0)?.number(Count::Parties, n)?
        }
        Op::BarrierEnter(b) => to.word(Word::BarrierEnter)?.name(N::Barrier, b.0)?,
        Op::BarrierLeave(b) => to.word(Word::BarrierLeave)?.name(N::Barrier, b.0)?,
        Op::ChanMake(c, n) => to.word(Word::ChanMake)?.name(N::Chan, c.0)?.number(Count::Capacity, n)?,
        Op::Send(c) => to.word(Word::Send)?.name(N::Chan, c.0)?,
        Op::Receive(c) => to.word(Word::Receive)?.name(N::Chan, c.0)?,
        Op::ReceiveClosed(c) => to.word(Word::ReceiveClosed)?.name(N::Chan, c.0)?,
        Op::Close(c) => to.word(Word::Close)?.name(N::Chan, c.0)?,
        Op::Alloc(s) => to.word(Word::Alloc)?.memory(s)?,
        Op::Free(s) => to.word(Word::Free)?.memory(s)?,
        Op::Begin(l) => to.word(Word::Begin)?.name(N::Label, l.0)?,
        Op::End(l) => to.word(Word::End)?.name(N::Label, l.0)?,
    };
    Ok(())
}

/// What an operation is called in JSON Lines, and in statistics.
pub fn operation_name(op: &Op) -> &'static str {
    /// Takes the word and lets the operands go.
    struct Name(&'static str);
    impl Spelling for Name {
        fn word(&mut self, word: Word) -> Result<&mut Self, String> {
            self.0 = word.json();
            Ok(self)
        }
        fn memory(&mut self, _: Span) -> Result<&mut Self, String> {
            Ok(self)
        }
        fn name(&mut self, _: Namespace, _: u32) -> Result<&mut Self, String> {
            Ok(self)
        }
        fn order(&mut self, _: Order) -> Result<&mut Self, String> {
            Ok(self)
        }
        fn number(&mut self, _: Count, _: u32) -> Result<&mut Self, String> {
            Ok(self)
        }
    }
    let mut name = Name("");
    match write_op(op, &mut name) {
        Ok(()) | Err(_) => name.0,
    }
}
