//! What was done to each function.

use std::fmt;

/// Counts of one function, or of many.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Its name, as LLVM writes it.
    pub function: String,
    /// Checks that clang had put in.
    pub checks: usize,
    /// Of these, about variables that nobody else knows of.
    pub local: usize,
    /// Of these, made before in the same span.
    pub redundant: usize,
    /// Of these, told together with their neighbours.
    pub merged: usize,
    /// Of these, moved out of a loop.
    pub hoisted: usize,
    /// Checks that stand for those: of ranges, or before loops.
    pub added: usize,
    /// Of those that there are now, made only if they were not made before in the same span.
    pub once: usize,
    /// Its frame on the shadow stack is not needed.
    pub frameless: bool,
}

impl Stats {
    /// How many checks there are now.
    pub fn left(&self) -> usize {
        self.checks - self.local - self.redundant - self.merged - self.hoisted + self.added
    }

    /// The sum of all of them.
    pub fn sum<'a>(all: impl IntoIterator<Item = &'a Stats>) -> Stats {
        let mut sum = Stats { function: "all".to_owned(), ..Stats::default() };
        for one in all {
            sum.checks += one.checks;
            sum.local += one.local;
            sum.redundant += one.redundant;
            sum.merged += one.merged;
            sum.hoisted += one.hoisted;
            sum.added += one.added;
            sum.once += one.once;
        }
        sum
    }
}

impl fmt::Display for Stats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Stats { function, checks, local, redundant, merged, hoisted, added, once, frameless } = self;
        write!(
            f,
            "{}: {checks} checks, {local} local, {redundant} redundant, {merged} merged, {hoisted} out of loops, {added} added, ",
            function.trim_start_matches('@')
        )?;
        write!(f, "{} left, {once} of them once{}", self.left(), if *frameless { ", no frame" } else { "" })
    }
}
