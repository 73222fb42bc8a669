//! The detectors by name.

use crate::detector::Detector;
use crate::fasttrack::FastVar;
use crate::hb_sets::after_write::AfterWriteVar;
use crate::hb_sets::all_races::AllRacesVar;
use crate::hb_sets::collected::Collected;
use crate::locksets::eraser::Eraser;
use crate::locksets::limited::Limited;
use crate::precise::Precise;
use crate::sync::JoinRule;
use crate::vector_clock::VarClocks;
use crate::verifiedft::VerifiedVar;
use deadheat_report::Precision;

/// A detector that can be chosen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum DetectorKind {
    VectorClock,
    MultiJoin,
    FastTrack,
    VerifiedFt,
    HbSetsAfterWrite,
    HbSets,
    HbSetsGc,
    Lockset,
    LimitedHb,
    Oracle,
}

use DetectorKind::*;

impl DetectorKind {
    /// All of them.
    pub const ALL: [DetectorKind; 10] = [
        VectorClock,
        MultiJoin,
        FastTrack,
        VerifiedFt,
        HbSetsAfterWrite,
        HbSets,
        HbSetsGc,
        Lockset,
        LimitedHb,
        Oracle,
    ];

    /// How often `hb-sets-gc` collects garbage if nobody says otherwise.
    pub const GC_EVERY: u64 = 10_000;

    /// The name on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            VectorClock => "vector-clock",
            MultiJoin => "multi-join",
            FastTrack => "fasttrack",
            VerifiedFt => "verifiedft",
            HbSetsAfterWrite => "hb-sets-after-write",
            HbSets => "hb-sets",
            HbSetsGc => "hb-sets-gc",
            Lockset => "lockset",
            LimitedHb => "limited-hb",
            Oracle => "oracle",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            VectorClock => "two vector clocks per location (Verifying Dynamic Race Detection, Fig. 2)",
            MultiJoin => "vector clocks, several joins of one thread (same, §3.4)",
            FastTrack => "epochs, and vector clocks where reads are shared (same, Fig. 3)",
            VerifiedFt => "the default: FastTrack's successor with proven handlers (VerifiedFT, Fig. 2)",
            HbSetsAfterWrite => {
                "happens-before sets, races after a write only (Ready, Set, Go!, Figs 2-3; short traces)"
            }
            HbSets => "happens-before sets, all races (same, Figs 6-7; short traces)",
            HbSetsGc => "happens-before sets with garbage collection (same, Figs 10-11)",
            Lockset => "Eraser: variables without a common lock; imprecise, candidates only",
            LimitedHb => {
                "must-happen-before and locksets (Iterative Deepening, Def. 11); imprecise, candidates only"
            }
            Oracle => "happens-before from its definition, every racing pair (short traces)",
        }
    }

    /// Which races it reports.
    pub fn precision(self) -> Precision {
        match self {
            HbSetsAfterWrite => Precision::AfterWrite,
            Lockset | LimitedHb => Precision::Candidates,
            _ => Precision::Precise,
        }
    }

    /// Does its cost grow with the square of the trace?
    pub fn takes_short_traces_only(self) -> bool {
        matches!(self, HbSetsAfterWrite | HbSets | Oracle)
    }

    /// A new detector of that kind; `gc_every` is for `hb-sets-gc` alone.
    pub fn build(self, gc_every: u64) -> Box<dyn Detector> {
        match self {
            VectorClock => Box::new(Precise::<VarClocks>::new(JoinRule::Increment)),
            MultiJoin => Box::new(Precise::<VarClocks>::new(JoinRule::Keep)),
            FastTrack => Box::new(Precise::<FastVar>::new(JoinRule::Increment)),
            VerifiedFt => Box::new(Precise::<VerifiedVar>::new(JoinRule::Keep)),
            HbSetsAfterWrite => Box::new(Precise::<AfterWriteVar>::new(JoinRule::Keep)),
            HbSets => Box::new(Precise::<AllRacesVar>::new(JoinRule::Keep)),
            HbSetsGc => Box::new(Collected::new(gc_every)),
            Lockset => Box::new(Eraser::default()),
            LimitedHb => Box::new(Limited::default()),
            Oracle => Box::new(crate::oracle::Oracle::default()),
        }
    }
}
