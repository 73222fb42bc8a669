//! What a thread has lately accessed in its epoch, of granules whose cells do not say so by themselves: where threads read pieces of the same words, or use atomics beside plain data, that stands in a line, a set or a detail, which
//! would have to be looked at, under a lock or elsewhere in memory, for every access.
//!
//! To access the same bytes again tells nothing new while the epoch lasts and the memory is what it was, as [`ranges::Made`](crate::ranges::Made) says of ranges. So nobody has to be asked, and nothing here is shared. The
//! assembly of the fast paths looks here too: where the table is and what its entries of the present begin with stand in thread-local words.

use crate::access::FORGOTTEN;
use crate::tls::{self, offset};
use alloc::boxed::Box;
use core::sync::atomic::Ordering;
use deadheat_online::Word;
use deadheat_shadow::Access;

/// So many granules are remembered at most.
pub const ROOM: usize = 2048;

/// A granule and its bytes, in one word.
///
/// ```text
/// 63 … 54   53        52 … 8       7 … 0
///  turn   written   granule / 8    bytes
/// ```
pub(crate) type Entry = u64;

/// Where the bit is that says so.
pub const WRITTEN: u32 = 53;
pub(crate) const FIRST_TURN: u64 = 1 << TURN;
const TURN: u32 = 54;

/// In the place of an entry: written ones have others.
pub const WRITTEN_PLACE: usize = 512;
/// Bits of the address that the place takes from above those that come first.
pub const FOLD: u32 = 12;

/// What a thread remembers that has nothing to remember yet.
pub(crate) static NOTHING: [Entry; ROOM] = [0; ROOM];

/// While it lasts, an access that was made need not be made again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Present {
    /// The thread's epoch.
    pub epoch: Word,
    /// How often memory has become something else.
    pub changes: u64,
}

/// What a thread remembers.
pub struct Lately {
    entries: *const [Entry; ROOM],
    /// What the entries of the present begin with; others are of the past. Never zero.
    turn: u64,
    /// There are entries of the present.
    is_used: bool,
    /// How often memory had become something else, beside `malloc` and `free`, when the turn began.
    forgotten: u64,
}

/// The entry of those bytes, but for its turn, and its place.
#[inline(always)]
fn entry(granule: u64, access: Access) -> (Entry, usize) {
    let (written, place) = if access.mode.writes() { (1 << WRITTEN, WRITTEN_PLACE) } else { (0, 0) };
    let at = granule / 8;
    (written | at << 8 | access.extent as u64, ((at ^ at >> FOLD) as usize ^ place) % ROOM)
}

/// The current thread has accessed those bytes in its epoch, as far as it remembers.
#[inline(always)]
pub(crate) fn has(granule: u64, access: Access) -> bool {
    let (entry, place) = entry(granule, access);
    // SAFETY: the current thread's table, or the one that nobody writes.
    let kept = unsafe { (*(tls::get::<{ offset::LATELY }>() as *const [Entry; ROOM]))[place] };
    let entry = entry | tls::get::<{ offset::TURN }>();
    let is_present = tls::get::<{ offset::FORGOTTEN }>() == FORGOTTEN.load(Ordering::Relaxed);
    (kept ^ entry) >> 8 == 0 && entry & !kept == 0 && is_present
}

impl Lately {
    pub(crate) const fn new() -> Lately {
        Lately { entries: &raw const NOTHING, turn: FIRST_TURN, is_used: false, forgotten: 0 }
    }

    /// It is the current thread's from now on.
    pub(crate) fn install(&self) {
        tls::set::<{ offset::LATELY }>(self.entries as u64);
        tls::set::<{ offset::TURN }>(self.turn);
        tls::set::<{ offset::FORGOTTEN }>(self.forgotten);
    }

    /// The current thread has none any more.
    pub(crate) fn uninstall() {
        Lately::new().install();
    }

    /// What the current thread remembers is of the past from now on: an epoch has begun, or it has given memory back.
    #[inline(always)]
    pub(crate) fn renew(&mut self) {
        if self.is_used {
            self.begin();
        }
    }

    #[inline(never)]
    fn begin(&mut self) {
        self.is_used = false;
        self.turn = self.turn.wrapping_add(FIRST_TURN);
        if self.turn == 0 {
            // All turns were used: the entries of the first are not to be taken for new ones.
            self.turn = FIRST_TURN;
            // SAFETY: its own table, since it was used, of which there is no other reference.
            unsafe { (*self.entries.cast_mut()).fill(0) };
        }
        tls::set::<{ offset::TURN }>(self.turn);
    }

    fn is_own(&self) -> bool {
        !core::ptr::eq(self.entries, &NOTHING)
    }

    /// The current thread has just accessed those bytes.
    #[inline(never)]
    pub(crate) fn add(&mut self, granule: u64, access: Access) {
        let forgotten = FORGOTTEN.load(Ordering::Relaxed);
        if self.forgotten != forgotten {
            self.renew();
            self.forgotten = forgotten;
            tls::set::<{ offset::FORGOTTEN }>(forgotten);
        }
        if !self.is_own() {
            self.entries = Box::into_raw(Box::new([0; ROOM]));
            tls::set::<{ offset::LATELY }>(self.entries as u64);
        }
        self.is_used = true;
        let (entry, place) = entry(granule, access);
        let entry = entry | self.turn;
        // SAFETY: its own table, of which there is no other reference.
        let kept = unsafe { &mut (*self.entries.cast_mut())[place] };
        *kept = if (*kept ^ entry) >> 8 == 0 { *kept | entry } else { entry };
    }
}

impl Drop for Lately {
    fn drop(&mut self) {
        if self.is_own() {
            // SAFETY: it came from a box, and nobody else has it.
            drop(unsafe { Box::from_raw(self.entries.cast_mut()) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use deadheat_shadow::Mode;

    fn access(mode: Mode, extent: u8) -> Access {
        Access { mode, extent }
    }

    /// One after the other: what counts for all threads is counted in one of them.
    #[test]
    fn what_was_accessed_is_remembered_while_the_epoch_and_the_memory_last() {
        remembers();
        forgets();
    }

    fn remembers() {
        let (mut lately, granule) = (Lately::new(), 0x7fff_1234_5678);
        lately.install();
        let [read, write] = [Mode::Read, Mode::Write].map(|mode| move |extent| access(mode, extent));
        assert!(!has(granule, read(1)));
        lately.add(granule, read(0x0f));
        lately.add(granule, read(0x30));
        assert!(has(granule, read(0x3f)) && has(granule, read(0x18)));
        assert!(!has(granule, read(0x40)) && !has(granule, write(1)));
        assert!(!has(granule + 8, read(1)) && !has(granule ^ 1 << 46, read(1)));
        lately.add(granule, write(0xff));
        assert!(has(granule, write(0x80)) && has(granule, read(0x3f)));
        Lately::uninstall();
        assert!(!has(granule, write(0x80)));
    }

    fn forgets() {
        let (mut lately, granule, read) = (Lately::new(), 0x1000, access(Mode::Read, 1));
        lately.install();
        // More turns than there are numbers for.
        for turn in 1..5000 {
            assert!(!has(granule, read), "{turn}");
            lately.add(granule, read);
            assert!(has(granule, read), "{turn}");
            lately.renew();
        }
        lately.add(granule, read);
        FORGOTTEN.fetch_add(1, Ordering::Relaxed);
        assert!(!has(granule, read));
        lately.add(granule + 8, read);
        assert!(has(granule + 8, read) && !has(granule, read));
        Lately::uninstall();
    }
}
