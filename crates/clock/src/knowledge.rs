//! What a thread can know about the past, whatever a detector uses to write it down.

use crate::Tid;

/// A join-semilattice of knowledge about earlier steps.
///
/// Locks, channels, barriers, volatiles and threads carry knowledge from one thread to another, and none of them asks what
/// it is made of: a [`VectorClock`](crate::VectorClock) in VectorClock, FastTrack and VerifiedFT, a set of access labels in the
/// happens-before sets of *Ready, Set, Go!*. `Default` is ⊥, the knowledge of nothing.
pub trait Knowledge: Clone + Default {
    /// What thread `t` knows before its first step: itself, if anything.
    fn of_thread(t: Tid) -> Self;

    /// `self := self ⊔ other`.
    fn join(&mut self, other: &Self);

    /// `self := other`, in place.
    fn assign(&mut self, other: &Self) {
        self.clone_from(other);
    }

    /// Does this cover every step of `owner`, whose last knowledge was `last`? Then another thread may go on under its name,
    /// at a later time, and nobody can tell the two apart who should. Knowledge that does not name threads says no.
    fn outlives(&self, _owner: Tid, _last: &Self) -> bool {
        false
    }

    /// Called when `owner` has just published its knowledge: its later steps must not be covered by what was published.
    fn advance(&mut self, owner: Tid);
}
