//! FastTrack, in the form that *Verifying Dynamic Race Detection* (CPP 2017) proves: §3.3 and Figure 3. Its rules are in `epochs.rs`;
//! here is what VerifiedFT later changed.
//!
//! Deviations: `[Read Share]` in Figure 3 has no premise `R_x ⋠ C_t` and so overlaps with `[Read Exclusive]`; as in the original FastTrack, an
//! ordered read takes `[Read Exclusive]`. `[Write Shared]`'s reset takes place after a race too: the write then stands for the reads.

use crate::epochs::{EpochRules, EpochVar};
use crate::history::History;
use deadheat_clock::Epoch;

/// FastTrack's own ways; `[Join]`'s is [`JoinRule::Increment`](crate::sync::JoinRule).
#[derive(Clone, Default)]
pub struct FastTrack;

/// A variable under FastTrack's rules.
pub type FastVar = EpochVar<FastTrack>;

impl EpochRules for FastTrack {
    /// There is no `[Read Shared Same Epoch]`.
    #[inline(always)]
    fn read_shared_same_epoch(_: &History, _: Epoch) -> bool {
        false
    }

    /// `[Write Shared]` forgets the reads, `R_x := ⊥ₑ`: from now on `W_x` stands for them.
    #[inline(always)]
    fn after_write_shared(r: &mut Epoch, v: &mut Option<Box<History>>) {
        (*r, *v) = (Epoch::BOTTOM, None);
    }
}
