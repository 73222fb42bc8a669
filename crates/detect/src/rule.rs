//! The named rules of the papers, and how often each was applied.

macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// A rule of one of the detectors. The names are the papers'.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule {
            $($(#[$doc])* #[doc = concat!("`[", $name, "]`")] $rule,)*
        }

        impl Rule {
            /// All rules, in the order of their numbers.
            pub const ALL: &[Rule] = &[$(Rule::$rule),*];

            /// The rule's name.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    // Reads: 000 Figures 2 and 3, 001 Figure 2.
    Read = "Read",
    ReadNoChange = "Read No Change",
    ReadSameEpoch = "Read Same Epoch",
    ReadSharedSameEpoch = "Read Shared Same Epoch",
    ReadExclusive = "Read Exclusive",
    ReadShare = "Read Share",
    ReadShared = "Read Shared",
    WriteReadRace = "Write-Read Race",

    // Writes.
    Write = "Write",
    WriteNoChange = "Write No Change",
    WriteSameEpoch = "Write Same Epoch",
    WriteExclusive = "Write Exclusive",
    WriteShared = "Write Shared",
    WriteWriteRace = "Write-Write Race",
    ReadWriteRace = "Read-Write Race",
    SharedWriteRace = "Shared-Write Race",

    // Happens-before sets: 004 Figures 2, 3, 6, 7, 10, 11.
    RRead = "R-Read",
    RReadRaW = "R-Read-E_RaW",
    RWrite = "R-Write",
    RWriteWaW = "R-Write-E_WaW",
    RWriteWaR = "R-Write-E_WaR",
    RGc = "R-GC",

    // Atomic accesses against plain ones.
    AtomicRead = "Atomic Read",
    AtomicWrite = "Atomic Write",
    AtomicPlainRace = "Atomic-Plain Race",

    // Eraser's states, and the pairing of 002 Definition 11.
    LocksetExclusive = "Lockset Exclusive",
    LocksetShared = "Lockset Shared",
    LocksetRefine = "Lockset Refine",
    LocksetEmpty = "Lockset Empty",
    LimitedAccess = "Limited Access",
    LimitedCandidate = "Limited Candidate",

    // Synchronisation.
    Acquire = "Acquire",
    Release = "Release",
    Reenter = "Re-enter",
    AcquireShared = "Acquire Shared",
    ReleaseShared = "Release Shared",
    Fork = "Fork",
    Join = "Join",
    Exit = "Exit",
    VolatileRead = "Volatile Read",
    VolatileWrite = "Volatile Write",
    AtomicLoadSync = "Atomic Load",
    AtomicStoreSync = "Atomic Store",
    AtomicRmwSync = "Atomic Read-Modify-Write",
    Fence = "Fence",
    Wait = "Wait",
    Woken = "Woken",
    BarrierEnter = "Barrier Enter",
    BarrierLeave = "Barrier Leave",
    RSend = "R-Send",
    RRec = "R-Rec",
    RRend = "R-Rend",
    RClose = "R-Close",
    RRecClosed = "R-Rec-⊥",
}

impl Rule {
    /// Is it a rule about memory accesses, rather than about synchronisation?
    pub fn is_access(self) -> bool {
        self < Rule::Acquire && self != Rule::RGc
    }
}

/// How often each rule was applied.
#[derive(Clone)]
pub struct Counters([u64; Rule::ALL.len()]);

impl Counters {
    /// One more application of that rule.
    #[inline]
    pub fn hit(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }

    /// The applications of that rule.
    pub fn get(&self, rule: Rule) -> u64 {
        self.0[rule as usize]
    }

    /// The rules that were applied, with how often.
    pub fn iter(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL.iter().map(|&r| (r, self.get(r))).filter(|&(_, n)| n > 0)
    }
}

impl Default for Counters {
    fn default() -> Counters {
        Counters([0; Rule::ALL.len()])
    }
}
