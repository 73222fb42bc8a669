//! Rules broken on purpose, to show that the tests would notice.

/// Which rule is broken. For tests only: everything but [`Weaken::Nothing`] loses races.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Weaken {
    #[default]
    Nothing,
    /// `[REL]` forgets to end the span at an unlock.
    Release,
    /// A fork does not end the span.
    Fork,
    /// A volatile write does not end the span.
    VolatileWrite,
    /// A read covers a write.
    ReadsAndWrites,
    /// `[WRITE]` keeps the facts about loads that the store may change.
    AliasingStores,
    /// `[CALL]` forgets that the callee may release.
    CallReleases,
    /// A loop invariant is not checked on the back edge.
    LoopInvariant,
    /// `[IF]` takes one branch's context.
    Meet,
    /// A proxy may be accessed after an acquire.
    ProxyAcquire,
}
