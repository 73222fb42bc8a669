//! Keys: what checks are about, so that sets of them can be followed through a function.

use super::checks::{Check, Mode, Range};
use super::linear::{Atom, Forms};
use crate::ir::Value;
use hashbrown::HashMap;

/// A set of keys.
#[derive(Clone, PartialEq, Eq)]
pub struct Keys(Vec<u64>);

impl Keys {
    pub fn none(count: usize) -> Keys {
        Keys(vec![0; count.div_ceil(64)])
    }

    pub fn all(count: usize) -> Keys {
        Keys(vec![u64::MAX; count.div_ceil(64)])
    }

    pub fn has(&self, key: usize) -> bool {
        self.0[key / 64] >> (key % 64) & 1 != 0
    }

    pub fn add(&mut self, key: usize) {
        self.0[key / 64] |= 1 << (key % 64);
    }

    pub fn remove(&mut self, key: usize) {
        self.0[key / 64] &= !(1 << (key % 64));
    }

    pub fn clear(&mut self) {
        self.0.fill(0);
    }

    pub fn keep_common(&mut self, other: &Keys) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }

    pub fn add_all(&mut self, other: &Keys) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
}

/// Bytes at a constant distance from something, in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// Which something: forms that differ in their offset only have the same. Ranges that are as long and go in the same steps are a class too: what holds of the bytes of one step holds of all.
    class: usize,
    start: i64,
    size: u64,
    mode: Mode,
}

impl Key {
    fn end(&self) -> i64 {
        self.start.saturating_add(self.size as i64)
    }

    /// The other's bytes are among its own, and whatever races with an access of the other's mode races with one of its own.
    pub fn covers(&self, other: &Key) -> bool {
        self.mode.covers(other.mode) && self.start <= other.start && self.end() >= other.end()
    }
}

/// Classes with more keys than this are not searched for keys that complete each other.
const MANY: usize = 64;

/// The keys of a function.
pub struct Table {
    /// The keys.
    pub keys: Vec<Key>,
    /// The keys of each class.
    classes: Vec<Vec<usize>>,
    /// The key of each check.
    pub of: Vec<Option<usize>>,
    /// The keys that are about a root.
    pub about: HashMap<Value, Vec<usize>, foldhash::fast::FixedState>,
}

impl Table {
    /// The keys of those checks.
    pub fn new<'a: 'b, 'b>(checks: impl Iterator<Item = &'b Check<'a>>, forms: &Forms<'_>) -> Table {
        let mut table =
            Table { keys: Vec::new(), classes: Vec::new(), of: Vec::new(), about: HashMap::default() };
        type Class<'a> = (&'a [(Atom, i64)], Option<&'a Range>);
        let mut classes: HashMap<Class<'_>, usize, foldhash::fast::FixedState> = HashMap::default();
        let mut known: HashMap<Key, usize, foldhash::fast::FixedState> = HashMap::default();
        for check in checks {
            let Some(address) = &check.address else {
                table.of.push(None);
                continue;
            };
            let next = classes.len();
            let class = *classes.entry((&address.terms, check.range.as_ref())).or_insert(next);
            if class == table.classes.len() {
                table.classes.push(Vec::new());
            }
            let key = Key { class, start: address.offset, size: check.what.size, mode: check.what.mode };
            let number = *known.entry(key).or_insert_with(|| {
                let number = table.keys.len();
                table.keys.push(key);
                table.classes[class].push(number);
                let roots = forms
                    .roots_of(address)
                    .into_iter()
                    .chain(check.range.iter().flat_map(|r| forms.roots_of(&r.more)));
                for root in roots {
                    table.about.entry(root).or_default().push(number);
                }
                number
            });
            table.of.push(Some(number));
        }
        table
    }

    /// The key holds from now on, and what it covers or completes.
    pub fn gain(&self, held: &mut Keys, key: usize) {
        let new = self.keys[key];
        let class = &self.classes[new.class];
        held.add(key);
        for other in class {
            if !held.has(*other)
                && (new.covers(&self.keys[*other]) || self.is_complete(held, class, &self.keys[*other]))
            {
                held.add(*other);
            }
        }
    }

    /// Whoever has made a check with the one key need not make one with the other.
    pub fn covers(&self, key: usize, other: usize) -> bool {
        self.keys[key].class == self.keys[other].class && self.keys[key].covers(&self.keys[other])
    }

    /// All bytes of the key are in keys that hold.
    fn is_complete(&self, held: &Keys, class: &[usize], key: &Key) -> bool {
        if class.len() > MANY {
            return false;
        }
        let mut reached = key.start;
        loop {
            let next = class
                .iter()
                .filter(|k| {
                    held.has(**k) && self.keys[**k].mode.covers(key.mode) && self.keys[**k].start <= reached
                })
                .map(|k| self.keys[*k].end())
                .max();
            match next.filter(|n| *n > reached) {
                Some(next) if next >= key.end() => return true,
                Some(next) => reached = next,
                None => return false,
            }
        }
    }
}
