//! A race told in sentences: what it is, which two accesses, and why nothing orders them.

use crate::words::{Names, counted, noun, number, verb};
use crate::{Evidence, Party, Race};
use deadheat_trace::{LockId, Span, Symbols};

/// Why the detector holds that nothing orders the two accesses, in one sentence.
pub fn why(race: &Race, symbols: &Symbols) -> String {
    let story = Story { race, names: Names(symbols) };
    match &race.evidence {
        Evidence::Clocks { prior, known, .. } => story.clocks(prior.0, known.0),
        Evidence::Label { known } => story.label(*known as u64),
        Evidence::Steps { prior, known, .. } => story.steps(*prior, *known),
        Evidence::Locks { prior, current } => story.locks(prior, current),
    }
}

/// A race with the names to tell it by.
#[derive(Clone, Copy)]
pub(crate) struct Story<'a> {
    pub race: &'a Race,
    pub names: Names<'a>,
}

impl Story<'_> {
    /// `write-after-read on counter`.
    pub fn headline(self) -> String {
        format!("{} on {}", self.race.kind().name(), self.names.span(self.race.span))
    }

    /// `T1 read at bank.c:30`: one access under a headline that names the memory.
    pub fn access(self, party: &Party) -> String {
        let at = self.names.place(party.loc).map_or_else(String::new, |place| format!(" at {place}"));
        format!("{} {}{at}", self.names.thread(party.tid), verb(party.mode))
    }

    /// Which bytes both touched; nothing for a variable with a name, which is one whole.
    pub fn bytes(self) -> Option<String> {
        let Span { addr, size } = self.race.span;
        match (addr.name_index(), size) {
            (Some(_), _) => None,
            (None, 1) => Some(format!("Both touch 1 byte: {:#x}.", addr.0)),
            (None, _) => {
                Some(format!("Both touch {size} bytes: {:#x} to {:#x}.", addr.0, addr.0 + (size - 1)))
            }
        }
    }

    /// The two threads, earlier first.
    fn threads(self) -> (String, String) {
        (self.names.thread(self.race.prior.tid), self.names.thread(self.race.current.tid))
    }

    fn clocks(self, prior: u64, known: u64) -> String {
        let (u, t) = self.threads();
        if known == 0 {
            return format!(
                "Nothing enforces this order: {t} had never synchronised with {u}, not even through other threads."
            );
        }
        let (read, wrote) = (verb(self.race.prior.mode), verb(self.race.current.mode));
        let (prior, known) = (number(prior), number(known));
        format!(
            "Nothing enforces this order: when {t} {wrote}, it knew {u} only up to time {known}; {u} {read} at its time {prior}."
        )
    }

    fn label(self, known: u64) -> String {
        let (u, t) = self.threads();
        let (prior, current) = (noun(self.race.prior.mode), noun(self.race.current.mode));
        let known = match known {
            0 => format!("no access is known to happen before {t}'s {current}."),
            1 => format!("{u}'s {prior} is not the one access known to happen before {t}'s {current}."),
            n => format!(
                "{u}'s {prior} is not among the {} accesses known to happen before {t}'s {current}.",
                number(n)
            ),
        };
        format!("Nothing enforces this order: {known}")
    }

    fn steps(self, prior: u64, known: u64) -> String {
        let (u, t) = self.threads();
        let (earlier, later) = (noun(self.race.prior.mode), noun(self.race.current.mode));
        let known = match known {
            0 => format!("none of {u}'s steps happens"),
            1 => format!("of {u}'s steps only the first happens"),
            n => format!("of {u}'s steps only the first {} happen", number(n)),
        };
        let prior = number(prior);
        format!(
            "Nothing enforces this order: {known} before {t}'s {later}, and the {earlier} was {u}'s step {prior}."
        )
    }

    fn locks(self, prior: &[LockId], current: &[LockId]) -> String {
        let (u, t) = self.threads();
        let (prior, current) = (self.held(prior), self.held(current));
        format!(
            "A candidate only: no lock is common to both. {u} held {prior}, {t} held {current}; something else may still order them."
        )
    }

    fn held(self, locks: &[LockId]) -> String {
        /// Nobody reads more than a few; a program that leaks locks may hold thousands.
        const SHOWN: usize = 5;
        if locks.is_empty() {
            return "no lock".into();
        }
        let names: Vec<_> = locks.iter().take(SHOWN).map(|&l| self.names.lock(l)).collect();
        let rest = locks.len().saturating_sub(SHOWN) as u64;
        let rest = if rest == 0 { String::new() } else { format!(" and {}", counted(rest, "more", "more")) };
        format!("{{{}}}{rest}", names.join(", "))
    }
}
