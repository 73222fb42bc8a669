//! Which findings users do not want to see, in ThreadSanitizer's syntax: `race:^third_party::`, one to a line.
//!
//! A line is a sort, a colon and a pattern; `#` starts a comment line. A finding is suppressed if a pattern of its sort matches
//! the function, the file or the module of any frame of any of its stacks; for races, also the name or module of the variable.
//! `race_top` looks only at the innermost frame of each access. `called_from_lib` names libraries whose calls into the C library
//! are not to be checked; the runtime asks for those by [`Suppressions::check_library`].

mod pattern;

use crate::words::printable;
use crate::{Finding, Frame, Kind, Memory, Stack};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use pattern::Pattern;

/// What a suppression is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Sort {
    /// Races, by any frame.
    Race,
    /// Races, by the innermost frame.
    RaceTop,
    /// Leaked threads.
    Thread,
    /// Misused mutexes.
    Mutex,
    /// Bugs in signal handlers.
    Signal,
    /// Lock-order inversions.
    Deadlock,
    /// Calls from a library.
    CalledFromLib,
}

impl Sort {
    const ALL: [Sort; 7] = [
        Sort::Race,
        Sort::RaceTop,
        Sort::Thread,
        Sort::Mutex,
        Sort::Signal,
        Sort::Deadlock,
        Sort::CalledFromLib,
    ];

    /// The word before the colon.
    pub fn name(self) -> &'static str {
        match self {
            Sort::Race => "race",
            Sort::RaceTop => "race_top",
            Sort::Thread => "thread",
            Sort::Mutex => "mutex",
            Sort::Signal => "signal",
            Sort::Deadlock => "deadlock",
            Sort::CalledFromLib => "called_from_lib",
        }
    }

    /// The sort for findings of that kind.
    pub fn of(kind: Kind) -> Sort {
        match kind {
            Kind::DataRace | Kind::DataRaceOnVptr | Kind::UseAfterFree | Kind::UseAfterFreeOnVptr => {
                Sort::Race
            }
            Kind::LockOrderInversion => Sort::Deadlock,
            Kind::DoubleLock
            | Kind::UnlockUnlocked
            | Kind::UnlockForeign
            | Kind::ReadLockMisuse
            | Kind::ReadUnlockMisuse
            | Kind::DestroyLocked
            | Kind::UseOfDestroyedMutex => Sort::Mutex,
            Kind::ThreadLeak => Sort::Thread,
            Kind::SignalUnsafeCall | Kind::SignalErrnoSpoiled => Sort::Signal,
        }
    }
}

/// One line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suppression {
    /// What it is about.
    pub sort: Sort,
    pattern: Pattern,
    /// How many findings it has suppressed.
    pub hits: u64,
}

impl Suppression {
    fn matches_frame(&self, frame: &Frame) -> bool {
        let names = [&frame.function, &frame.file, &frame.module];
        names.into_iter().flatten().any(|name| self.pattern.matches(name))
    }

    fn matches_stack(&self, stack: &Stack) -> bool {
        stack.0.iter().any(|frame| self.matches_frame(frame))
    }

    fn matches(&self, finding: &Finding) -> bool {
        let mut accesses = finding.accesses.iter();
        if self.sort == Sort::RaceTop {
            return finding.kind.is_race()
                && accesses.any(|access| access.stack.top().is_some_and(|top| self.matches_frame(top)));
        }
        self.sort == Sort::of(finding.kind)
            && (stacks(finding).any(|stack| self.matches_stack(stack))
                || self.matches_memory(&finding.memory))
    }

    fn matches_memory(&self, memory: &Memory) -> bool {
        match memory {
            Memory::Global { name, module, .. } => {
                [name, module].into_iter().flatten().any(|name| self.pattern.matches(name))
            }
            Memory::Heap { stack, .. } | Memory::FileDescriptor { stack, .. } => self.matches_stack(stack),
            Memory::Unknown | Memory::ThreadLocal { .. } | Memory::Stack { .. } => false,
        }
    }
}

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.sort.name(), self.pattern)
    }
}

/// All stacks of a finding that say where its bug is.
fn stacks(finding: &Finding) -> impl Iterator<Item = &Stack> {
    let accesses = finding.accesses.iter().map(|access| &access.stack);
    let places = finding.places.iter().map(|place| &place.stack);
    let edges = finding.cycle.iter().flat_map(|edge| [&edge.stack, &edge.held_stack]);
    let threads = finding.threads.iter().map(|thread| &thread.created);
    accesses.chain(places).chain(edges).chain(threads)
}

/// A line that is no suppression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuppressionError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for SuppressionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", printable(&self.file), self.line, self.reason)
    }
}

impl core::error::Error for SuppressionError {}

/// Which suppression matched.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Match(usize);

/// All suppressions of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

impl Suppressions {
    /// Adds those in the text of that file. Lines that are wrong are handed back; the others count.
    pub fn parse(&mut self, text: &str, file: &str) -> Vec<SuppressionError> {
        let mut errors = Vec::new();
        for (nth, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match parse_line(line) {
                Ok(suppression) => self.0.push(suppression),
                Err(reason) => errors.push(SuppressionError { file: file.into(), line: nth + 1, reason }),
            }
        }
        errors
    }

    /// The suppression that hides this finding.
    pub fn check(&self, finding: &Finding) -> Option<Match> {
        self.0.iter().position(|suppression| suppression.matches(finding)).map(Match)
    }

    /// The suppression because of which calls from that library are not checked.
    pub fn check_library(&self, path: &str) -> Option<Match> {
        let matches = |s: &Suppression| s.sort == Sort::CalledFromLib && s.pattern.matches(path);
        self.0.iter().position(matches).map(Match)
    }

    /// Counts a match.
    pub fn record(&mut self, matched: Match) {
        if let Some(suppression) = self.0.get_mut(matched.0) {
            suppression.hits += 1;
        }
    }

    /// All of them, with how often each matched.
    pub fn iter(&self) -> impl Iterator<Item = &Suppression> {
        self.0.iter()
    }

    /// Writes what `print_suppressions` asks for: those that matched; nothing if none did.
    pub fn write_matched(&self, out: &mut dyn fmt::Write, pid: u32) -> fmt::Result {
        let matched = || self.iter().filter(|suppression| suppression.hits > 0);
        let total: u64 = matched().map(|suppression| suppression.hits).sum();
        if total == 0 {
            return Ok(());
        }
        writeln!(out, "ThreadSanitizer: Matched {total} suppressions (pid={pid}):")?;
        for suppression in matched() {
            writeln!(out, "{} {}", suppression.hits, printable(&format!("{suppression}")))?;
        }
        Ok(())
    }
}

fn parse_line(line: &str) -> Result<Suppression, String> {
    let Some((sort, pattern)) = line.split_once(':') else {
        return Err(format!("`{}` is no suppression: expected sort:pattern", printable(line)));
    };
    let Some(known) = Sort::ALL.into_iter().find(|known| known.name() == sort) else {
        let names = Sort::ALL.map(Sort::name).join(", ");
        return Err(format!("unknown sort `{}`: expected one of {names}", printable(sort)));
    };
    if pattern.is_empty() {
        return Err(format!("`{sort}:` has no pattern; `{sort}:*` matches everything"));
    }
    Ok(Suppression { sort: known, pattern: Pattern::parse(pattern), hits: 0 })
}

/// A line that suppresses this finding and little else. `None` if nothing about it has a name.
///
/// For a race: the innermost function of one side, the variable, or a function further out, but not `main`, through which half of all
/// races go. For other findings the innermost function with source. The module if there is nothing else.
pub fn suppression_for(finding: &Finding) -> Option<String> {
    let stack = finding.main_stack();
    let by_module = || {
        let module = Pattern::exactly(stack?.top()?.module.as_deref()?);
        Some(line(Sort::of(finding.kind), module))
    };
    let by_name = match finding.kind.is_race() {
        true => race_by_name(finding),
        false => {
            let frame = stack.and_then(|stack| stack.source().or(stack.top()));
            frame.and_then(function).map(|pattern| line(Sort::of(finding.kind), pattern))
        }
    };
    by_name.or_else(by_module)
}

fn race_by_name(finding: &Finding) -> Option<String> {
    let is_main = |frame: &&Frame| frame.function.as_deref() == Some("main");
    let tops = || finding.accesses.iter().filter_map(|access| access.stack.top());
    let inner = tops().filter(|frame| frame.file.is_some() && !is_main(frame)).find_map(function);
    let variable = || match &finding.memory {
        Memory::Global { name: Some(name), .. } => Some(Pattern::exactly(name)),
        _ => None,
    };
    let sources = finding.accesses.iter().filter_map(|access| access.stack.source());
    let outer = || sources.filter(|frame| !is_main(frame)).find_map(function);
    let any = || tops().find_map(function);
    inner
        .map(|pattern| line(Sort::RaceTop, pattern))
        .or_else(|| variable().or_else(outer).map(|pattern| line(Sort::Race, pattern)))
        .or_else(|| any().map(|pattern| line(Sort::RaceTop, pattern)))
}

fn function(frame: &Frame) -> Option<Pattern> {
    frame.function.as_deref().map(Pattern::exactly)
}

fn line(sort: Sort, pattern: Pattern) -> String {
    format!("{}:{pattern}", sort.name())
}

#[cfg(test)]
mod tests;
