//! What the shortest way of an access finds where: of an access that is the first of an epoch, aligned, to memory that is the thread's own at present or that is shared (`bias`), from a place that the thread has been at lately. That
//! way is assembly, in `rt-tsan`; whoever does not come through goes the next longer way (`first`), which decides the same.

use crate::bias::{self, Owner};
use crate::chunks::{self, Open};
use crate::place::{self, Cached, Call, Placer};
use crate::thread::Thread;
use core::mem::offset_of;
use deadheat_online::ThreadState;

/// Byte offsets within a [`Thread`].
pub mod thread_at {
    use super::*;
    const STATE: usize = offset_of!(Thread, state);
    const PLACER: usize = offset_of!(Thread, placer);
    /// Above zero in the runtime.
    pub const BUSY: usize = offset_of!(Thread, busy);
    /// Whether signals wait.
    pub const PENDING: usize = offset_of!(Thread, pending);
    /// What it is as an owner.
    pub const OWNER: usize = offset_of!(Thread, owner);
    /// Words up to which slots are known.
    pub const MEMO: usize = STATE + ThreadState::MEMO_AT;
    /// The first clock of the current epoch.
    pub const START: usize = STATE + ThreadState::START_AT;
    /// The latest clock.
    pub const NOW: usize = STATE + ThreadState::NOW_AT;
    /// Stamps before that one are not used again.
    pub const FLOOR: usize = PLACER + Placer::FLOOR_AT;
    /// Stamps at hand.
    pub const STAMPS: usize = PLACER + Placer::STAMPS_AT;
    /// How many there are, less one.
    pub const LAST_STAMP: usize = PLACER + Placer::LAST_STAMP_AT;
    /// Where its frames begin.
    pub const BOTTOM: usize = PLACER + Placer::BOTTOM_AT;
    /// Sites of calls at hand.
    pub const CALLS: usize = PLACER + Placer::CALLS_AT;
    /// The chunk of its log.
    pub const CHUNK: usize = PLACER + Placer::CHUNK_AT;
    /// The number of that chunk, if it says which mutexes are held.
    pub const READY: usize = PLACER + Placer::READY_AT;
}

/// Byte offsets within an [`Owner`], and what says which blocks are its own.
pub mod owner_at {
    use super::*;
    /// What its blocks have in the table.
    pub const TAG: usize = Owner::TAG_AT;
    /// 1 in a moment of its.
    pub const INSIDE: usize = Owner::INSIDE_AT;
    pub use bias::{BLOCKS, CELLS, SHARED, SPREAD, TABLE, TAG as TAG_BITS};
}

/// Byte offsets within a stamp at hand.
pub mod stamp_at {
    use super::*;
    const _: () = assert!(size_of::<Cached>() == 24);
    /// The program counter, and the note in its upper 16 bits.
    pub const KEY: usize = Cached::KEY_AT;
    /// The stamp.
    pub const WORD: usize = Cached::WORD_AT;
    /// The site of the function's caller.
    pub const CALLER: usize = Cached::CALLER_AT;
    /// The site of the place.
    pub const SITE: usize = Cached::SITE_AT;
    pub use place::SITE_SHIFT as SHIFT;
}

/// Byte offsets within a frame of the shadow stack.
pub mod frame_at {
    use super::*;
    /// Where the function was called from.
    pub const PC: usize = place::PC_OF_FRAME;
    /// The site of that.
    pub const SITE: usize = place::SITE_OF_FRAME;
    /// Bytes of a frame.
    pub const SIZE: usize = place::FRAME;
}

/// Byte offsets within a call at hand, and where it is among others.
pub mod call_at {
    use super::*;
    const _: () = assert!(size_of::<Call>() == 16);
    /// Where it was made.
    pub const PC: usize = Call::PC_AT;
    /// The site of the function in which it was made.
    pub const CALLER: usize = Call::CALLER_AT;
    /// Its site.
    pub const SITE: usize = Call::SITE_AT;
    pub use place::{CALL_BITS as BITS, CALL_FACTOR as FACTOR, CALL_SHIFT as SHIFT, CALLS as COUNT};
}

/// A chunk of a log.
pub mod log_at {
    use super::*;
    /// Where the site of its first clock is.
    pub const SITES: usize = Open::SITES_AT;
    pub use chunks::CLOCKS;
}
