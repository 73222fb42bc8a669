//! The names behind a trace's dense identifiers.

use crate::{Addr, BarrierId, ChanId, CondId, EventId, LabelId, Loc, LockId, Span, VolatileId};
use deadheat_clock::Tid;
use foldhash::fast::RandomState;
use hashbrown::HashTable;
use std::fmt;
use std::hash::{BuildHasher, Hasher};

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
    index: HashTable<Slot>,
    /// Seeded afresh in every run: no file can be made whose names all fall together.
    hasher: RandomState,
}

/// A name in the hash table, found without a look at `text` if it is short: most names of a large trace are, and a look-up
/// for each line then misses the cache once instead of three times.
#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    index: u32,
}

/// A name of up to seven bytes itself, or the hash of a longer one.
///
/// ```text
///   63               8 7    0
///  ┌──────────────────┬──────┐
///  │ bytes of name    │ len  │   0 … 7
///  │ 56 bits of hash  │ 0xff │   longer
///  └──────────────────┴──────┘
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key(u64);

impl Key {
    const LONG: u64 = 0xff;

    #[inline]
    fn of(name: &[u8], hasher: &RandomState) -> Key {
        let n = name.len();
        let bytes = match name {
            [] => 0,
            // The first, the middle and the last are all bytes of a name of up to three, in a fixed order.
            [a, ..] if n < 4 => word(&[*a, name[n / 2], name[n - 1], 0]),
            // The first four and the last four overlap where both have the same byte.
            _ if n < 8 => word(name) | word(&name[n - 4..]) << (8 * (n - 4)),
            _ => return Key(Self::hash(name, hasher) << 8 | Self::LONG),
        };
        Key(bytes << 8 | n as u64)
    }

    fn hash(name: &[u8], hasher: &RandomState) -> u64 {
        let mut state = hasher.build_hasher();
        state.write(name);
        state.finish()
    }

    #[inline]
    fn is_long(self) -> bool {
        self.0 & 0xff == Self::LONG
    }

    /// Where in the table to look.
    #[inline]
    fn spread(self, hasher: &RandomState) -> u64 {
        hasher.hash_one(self.0)
    }
}

/// The first four bytes as a number.
#[inline]
fn word(bytes: &[u8]) -> u64 {
    bytes.first_chunk().map_or(0, |b| u32::from_le_bytes(*b).into())
}

impl Table {
    fn get(&self, i: u32) -> Option<&str> {
        let i = i as usize;
        let end = *self.ends.get(i)?;
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        Some(&self.text[start..end])
    }

    #[inline]
    fn find(&self, name: &[u8]) -> Option<u32> {
        let key = Key::of(name, &self.hasher);
        let same = |slot: &Slot| slot.key == key && (!key.is_long() || self.is(slot.index, name));
        self.index.find(key.spread(&self.hasher), same).map(|slot| slot.index)
    }

    fn is(&self, i: u32, name: &[u8]) -> bool {
        self.get(i).map(str::as_bytes) == Some(name)
    }

    fn intern(&mut self, name: &str) -> u32 {
        if let Some(i) = self.find(name.as_bytes()) {
            return i;
        }
        let index = u32::try_from(self.ends.len()).expect("fewer than 2^32 names fit in memory");
        self.text.push_str(name);
        self.ends.push(self.text.len());
        let hasher = &self.hasher;
        let key = Key::of(name.as_bytes(), hasher);
        let slot = Slot { key, index };
        self.index.insert_unique(key.spread(hasher), slot, |slot| slot.key.spread(hasher));
        index
    }
}

impl fmt::Debug for Symbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names =
            |space| (0..self.count(space)).filter_map(move |i| self.name(space, i)).collect::<Vec<_>>();
        let used = Namespace::ALL.into_iter().filter(|&space| self.count(space) > 0);
        f.debug_map().entries(used.map(|space| (space, names(space)))).finish()
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
        self.tables[space as usize].find(name.as_bytes())
    }

    /// The index of the name with those bytes, which need not be UTF-8: then there is none.
    #[inline]
    pub fn find_bytes(&self, space: Namespace, name: &[u8]) -> Option<u32> {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that differ in one byte, or by a byte of zero, at every length around the seven that fit into a key.
    #[test]
    fn similar_names_stay_apart() {
        let mut names = vec![String::new()];
        for len in 1..20 {
            for at in 0..len {
                for byte in ['b', '\0'] {
                    let mut name = vec!['a'; len];
                    name[at] = byte;
                    names.push(name.iter().collect());
                }
            }
        }
        let mut symbols = Symbols::default();
        for round in 0..2 {
            for (i, name) in names.iter().enumerate() {
                assert_eq!(symbols.find(Namespace::Var, name), (round == 1).then_some(i as u32), "{name:?}");
                assert_eq!(symbols.intern(Namespace::Var, name), i as u32);
            }
        }
        assert_eq!(symbols.count(Namespace::Var) as usize, names.len());
    }
}
