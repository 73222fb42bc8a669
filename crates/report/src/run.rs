//! Which detector looked at how much: what a report says about the run as a whole.

/// Which races a detector reports.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Precision {
    /// A race on a variable if and only if the trace has one.
    Precise,
    /// As precise, for races after a write; write-after-read races are left out.
    AfterWrite,
    /// Candidates: some are no races, and some races are missing.
    Candidates,
}

impl Precision {
    /// In a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Precision::Precise => "precise",
            Precision::AfterWrite => "precise for races after a write",
            Precision::Candidates => "imprecise: candidates only",
        }
    }
}

/// One run of a detector over a trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Run<'a> {
    /// The detector's name, as one would give it on the command line.
    pub detector: &'a str,
    /// What its reports are worth.
    pub precision: Precision,
    /// How many events it has seen.
    pub events: u64,
}
