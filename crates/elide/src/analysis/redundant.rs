//! Checks that an earlier one of the same span has made already, on every path.
//!
//! A forward analysis over *keys*: an address as a linear form, a number of bytes, a mode. A key holds where all of its bytes have been checked in that mode since the span began.
//! - A check makes its key hold, and every key that it covers, or that it completes with others that hold.
//! - What may publish ends the span: nothing holds behind it (`effects` argues it). What only learns changes nothing.
//! - The definition of a root (a φ, a load, a call's result) ends all keys whose address is made of it: they were about its last value. Stores end nothing: forms are about values, not about memory.
//! - Where paths meet, what holds on all of them does. Loops begin with everything and lose what is not so.

use super::cfg::Cfg;
use super::checks::{Check, Mode, Range};
use super::effects::Effects;
use super::linear::{Atom, Forms};
use crate::ir::{BlockId, Function, Module, Value};
use hashbrown::HashMap;

/// A set of keys.
#[derive(Clone, PartialEq, Eq)]
struct Keys(Vec<u64>);

impl Keys {
    fn none(count: usize) -> Keys {
        Keys(vec![0; count.div_ceil(64)])
    }

    fn all(count: usize) -> Keys {
        Keys(vec![u64::MAX; count.div_ceil(64)])
    }

    fn has(&self, key: usize) -> bool {
        self.0[key / 64] >> (key % 64) & 1 != 0
    }

    fn add(&mut self, key: usize) {
        self.0[key / 64] |= 1 << (key % 64);
    }

    fn remove(&mut self, key: usize) {
        self.0[key / 64] &= !(1 << (key % 64));
    }

    fn clear(&mut self) {
        self.0.fill(0);
    }

    fn keep_common(&mut self, other: &Keys) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a &= b);
    }
}

/// Bytes at a constant distance from something, in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
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

    fn covers(&self, other: &Key) -> bool {
        self.mode.covers(other.mode) && self.start <= other.start && self.end() >= other.end()
    }
}

/// Classes with more keys than this are not searched for keys that complete each other.
const MANY: usize = 64;

/// The analysis of one function.
struct Analysis {
    keys: Vec<Key>,
    /// The keys of each class.
    classes: Vec<Vec<usize>>,
    /// The key of each check.
    of: Vec<Option<usize>>,
    /// The keys that are about a root.
    about: HashMap<Value, Vec<usize>, foldhash::fast::FixedState>,
}

impl Analysis {
    fn new<'a: 'b, 'b>(checks: impl Iterator<Item = &'b Check<'a>>, forms: &Forms<'_>) -> Analysis {
        let mut analysis =
            Analysis { keys: Vec::new(), classes: Vec::new(), of: Vec::new(), about: HashMap::default() };
        type Class<'a> = (&'a [(Atom, i64)], Option<&'a Range>);
        let mut classes: HashMap<Class<'_>, usize, foldhash::fast::FixedState> = HashMap::default();
        let mut known: HashMap<Key, usize, foldhash::fast::FixedState> = HashMap::default();
        for check in checks {
            let Some(address) = &check.address else {
                analysis.of.push(None);
                continue;
            };
            let next = classes.len();
            let class = *classes.entry((&address.terms, check.range.as_ref())).or_insert(next);
            if class == analysis.classes.len() {
                analysis.classes.push(Vec::new());
            }
            let key = Key { class, start: address.offset, size: check.what.size, mode: check.what.mode };
            let number = *known.entry(key).or_insert_with(|| {
                let number = analysis.keys.len();
                analysis.keys.push(key);
                analysis.classes[class].push(number);
                let roots = forms
                    .roots_of(address)
                    .into_iter()
                    .chain(check.range.iter().flat_map(|r| forms.roots_of(&r.more)));
                for root in roots {
                    analysis.about.entry(root).or_default().push(number);
                }
                number
            });
            analysis.of.push(Some(number));
        }
        analysis
    }

    /// The key holds from now on, and what it covers or completes.
    fn gain(&self, held: &mut Keys, key: usize) {
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

/// What was found.
pub struct Found {
    /// For each of the checks, whether it is redundant.
    pub redundant: Vec<bool>,
    /// For each of the questions, whether it holds at the end of its block.
    pub answers: Vec<bool>,
}

/// Which of the checks are redundant; they are in the order of blocks and instructions. Questions are checks that are not made: would they be redundant at the ends of their blocks?
pub fn find<'a>(
    module: &Module<'a>,
    function: &Function<'a>,
    cfg: &Cfg,
    forms: &Forms<'a>,
    effects: &Effects<'a>,
    checks: &[Check<'a>],
    questions: &[Check<'a>],
) -> Found {
    let analysis = Analysis::new(checks.iter().chain(questions), forms);
    let count = analysis.keys.len();
    let mut redundant = vec![false; checks.len()];
    if count == 0 {
        return Found { redundant, answers: vec![false; questions.len()] };
    }
    let steps = steps(module, function, effects, checks, &analysis);
    let mut after: Vec<Option<Keys>> = vec![None; function.blocks.len()];
    let before = |after: &[Option<Keys>], block: BlockId| {
        let mut from = cfg.before[block.0 as usize].iter().filter_map(|b| after[b.0 as usize].as_ref());
        if block == BlockId(0) {
            return Keys::none(count);
        }
        let mut held = from.next().cloned().unwrap_or_else(|| Keys::all(count));
        from.for_each(|other| held.keep_common(other));
        held
    };
    let mut changed = true;
    while changed {
        changed = false;
        for block in &cfg.order {
            let mut held = before(&after, *block);
            for step in &steps[block.0 as usize] {
                step.apply(&analysis, &mut held);
            }
            if after[block.0 as usize].as_ref() != Some(&held) {
                after[block.0 as usize] = Some(held);
                changed = true;
            }
        }
    }
    for block in &cfg.order {
        let mut held = before(&after, *block);
        for step in &steps[block.0 as usize] {
            if let Step::Check { check, key } = step {
                redundant[*check] = held.has(*key);
            }
            step.apply(&analysis, &mut held);
        }
    }
    let asked = questions.iter().zip(&analysis.of[checks.len()..]);
    let holds = |(question, key): (&Check<'a>, &Option<usize>)| {
        key.is_some_and(|key| after[question.block.0 as usize].as_ref().is_some_and(|held| held.has(key)))
    };
    Found { redundant, answers: asked.map(holds).collect() }
}

/// What matters of an instruction.
enum Step {
    /// A check, with its key.
    Check { check: usize, key: usize },
    /// The span ends.
    End,
    /// A root is defined that keys are about.
    Define(Value),
}

impl Step {
    fn apply(&self, analysis: &Analysis, held: &mut Keys) {
        match self {
            Step::Check { key, .. } => {
                if !held.has(*key) {
                    analysis.gain(held, *key);
                }
            }
            Step::End => held.clear(),
            Step::Define(root) => analysis.about[root].iter().for_each(|key| held.remove(*key)),
        }
    }
}

fn steps<'a>(
    module: &Module<'a>,
    function: &Function<'a>,
    effects: &Effects<'a>,
    checks: &[Check<'a>],
    analysis: &Analysis,
) -> Vec<Vec<Step>> {
    let mut next = checks.iter().enumerate().peekable();
    let mut all = Vec::new();
    for block in function.ids() {
        let mut steps = Vec::new();
        for (at, inst) in function.block(block).insts.iter().enumerate() {
            if effects.of(module, inst).publishes {
                steps.push(Step::End);
            }
            if let Some(root) = inst.result.filter(|v| analysis.about.contains_key(v)) {
                steps.push(Step::Define(root));
            }
            // Checks that are not there yet come before the end of their block, which only jumps.
            while let Some((check, _)) = next.next_if(|(_, c)| c.block == block && c.at == at) {
                steps.extend(analysis.of[check].map(|key| Step::Check { check, key }));
            }
        }
        all.push(steps);
    }
    all
}
