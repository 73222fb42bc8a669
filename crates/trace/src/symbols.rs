//! The names behind a trace's dense identifiers.

use crate::{Addr, BarrierId, ChanId, CondId, EventId, LabelId, Loc, LockId, Span, VolatileId};
use deadheat_clock::Tid;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// What kind of thing a name is for; the same name may stand in several.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Namespace {
    Thread,
    Var,
    Lock,
    Volatile,
    Cond,
    Barrier,
    Chan,
    Label,
    Loc,
}

impl Namespace {
    /// All of them, in the order of their numbers.
    pub const ALL: [Namespace; 9] = {
        use Namespace::*;
        [Thread, Var, Lock, Volatile, Cond, Barrier, Chan, Label, Loc]
    };
}

/// Names by namespace and index.
#[derive(Clone, Default)]
pub struct Symbols {
    tables: [Table; Namespace::ALL.len()],
}

/// The names of one namespace, back to back in one string.
#[derive(Clone, Default)]
struct Table {
    text: String,
    /// Where each name ends in `text`.
    ends: Vec<usize>,
    index: HashTable<u32>,
    hasher: foldhash::fast::FixedState,
}

impl Table {
    fn get(&self, i: u32) -> Option<&str> {
        let i = i as usize;
        let end = *self.ends.get(i)?;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        Some(&self.text[start..end])
    }

    fn find(&self, name: &str) -> Option<u32> {
        self.index.find(self.hasher.hash_one(name), |&i| self.get(i) == Some(name)).copied()
    }

    fn intern(&mut self, name: &str) -> u32 {
        if let Some(i) = self.find(name) {
            return i;
        }
        let i = u32::try_from(self.ends.len()).expect("fewer than 2^32 names fit in memory");
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let Table { text, ends, index, hasher } = self;
        let hash_of = |&i: &u32| {
            let start = if i == 0 { 0 } else { ends[i as usize - 1] };
            hasher.hash_one(&text[start..ends[i as usize]])
        };
        index.insert_unique(hasher.hash_one(name), i, hash_of);
        i
    }
}

impl Symbols {
    /// The index of that name, new or known.
    #[inline]
    pub fn intern(&mut self, space: Namespace, name: &str) -> u32 {
        self.tables[space as usize].intern(name)
    }

    /// The index of that name, if it is known.
    pub fn find(&self, space: Namespace, name: &str) -> Option<u32> {
        self.tables[space as usize].find(name)
    }

    /// The name with that index.
    pub fn name(&self, space: Namespace, index: u32) -> Option<&str> {
        self.tables[space as usize].get(index)
    }

    /// How many names the namespace has.
    pub fn count(&self, space: Namespace) -> u32 {
        self.tables[space as usize].ends.len() as u32
    }

    fn or_number(&self, space: Namespace, index: u32, prefix: &str) -> String {
        self.name(space, index).map_or_else(|| format!("{prefix}{index}"), str::to_owned)
    }

    /// How to call that thread.
    pub fn thread(&self, t: Tid) -> String {
        self.or_number(Namespace::Thread, t.0, "thread ")
    }

    /// How to call that lock.
    pub fn lock(&self, l: LockId) -> String {
        self.or_number(Namespace::Lock, l.0, "lock ")
    }

    /// How to call that volatile.
    pub fn volatile(&self, v: VolatileId) -> String {
        self.or_number(Namespace::Volatile, v.0, "volatile ")
    }

    /// How to call that condition variable.
    pub fn cond(&self, c: CondId) -> String {
        self.or_number(Namespace::Cond, c.0, "condition ")
    }

    /// How to call that barrier.
    pub fn barrier(&self, b: BarrierId) -> String {
        self.or_number(Namespace::Barrier, b.0, "barrier ")
    }

    /// How to call that channel.
    pub fn chan(&self, c: ChanId) -> String {
        self.or_number(Namespace::Chan, c.0, "channel ")
    }

    /// The text of that marker.
    pub fn label(&self, l: LabelId) -> String {
        self.or_number(Namespace::Label, l.0, "label ")
    }

    /// How to call that memory: a name, or `0x7f10:8` for eight bytes from 0x7f10.
    pub fn span(&self, s: Span) -> String {
        match s.addr.name_index() {
            Some(i) => self.or_number(Namespace::Var, i, "variable "),
            None => format!("{:#x}:{}", s.addr.0, s.size),
        }
    }

    /// How to call that place in the source; `None` where the trace does not say.
    pub fn loc(&self, l: Loc) -> Option<String> {
        match (l.as_number(), l.name_index()) {
            (Some(n), _) => Some(n.to_string()),
            (_, Some(i)) => Some(self.or_number(Namespace::Loc, i, "place ")),
            _ => None,
        }
    }

    /// How to call an event: numbered from 1, as lines are.
    pub fn event(e: EventId) -> String {
        format!("event {}", e.0 + 1)
    }

    /// The thread of that name.
    pub fn intern_thread(&mut self, name: &str) -> Tid {
        Tid(self.intern(Namespace::Thread, name))
    }

    /// The variable of that name.
    pub fn intern_var(&mut self, name: &str) -> Span {
        Span { addr: Addr::named(self.intern(Namespace::Var, name)), size: 1 }
    }
}
