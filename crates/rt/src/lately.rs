//! What a thread has lately accessed in its epoch, of granules whose cells do not say so by themselves: where threads read pieces of the same words, or use atomics beside plain data, that stands in a line, a set or a detail, which
//! would have to be looked at, under a lock or elsewhere in memory, for every access.
//!
//! To access the same bytes again tells nothing new while the epoch lasts and the memory is what it was, as [`ranges::Made`](crate::ranges::Made) says of ranges. So nobody has to be asked, and nothing here is shared.

use alloc::boxed::Box;
use deadheat_online::Word;
use deadheat_shadow::Access;

/// So many granules are remembered at most.
const ROOM: usize = 2048;

/// A granule and its bytes, in one word.
///
/// ```text
/// 63 … 54   53        52 … 8       7 … 0
///  turn   written   granule / 8    bytes
/// ```
type Entry = u64;

const WRITTEN: u64 = 1 << 53;
const TURN: u32 = 54;

/// What a thread remembers that has nothing to remember yet.
static NOTHING: [Entry; ROOM] = [0; ROOM];

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
    present: Present,
}

impl Lately {
    pub(crate) const fn new() -> Lately {
        let present = Present { epoch: Word::NONE, changes: 0 };
        Lately { entries: &raw const NOTHING, turn: 1 << TURN, present }
    }

    /// What is of another present is of the past from now on.
    #[inline(always)]
    fn renew(&mut self, present: Present) {
        if self.present != present {
            self.present = present;
            self.turn = self.turn.wrapping_add(1 << TURN);
            if self.turn == 0 {
                self.start_over();
            }
        }
    }

    /// All turns were used: the entries of the first are not to be taken for new ones.
    #[cold]
    fn start_over(&mut self) {
        self.turn = 1 << TURN;
        if self.is_own() {
            // SAFETY: its own table, of which there is no other reference.
            unsafe { (*self.entries.cast_mut()).fill(0) };
        }
    }

    fn is_own(&self) -> bool {
        !core::ptr::eq(self.entries, &NOTHING)
    }

    /// The entry of those bytes, and its place.
    #[inline(always)]
    fn entry(&self, granule: u64, access: Access) -> (Entry, usize) {
        let written = if access.mode.writes() { WRITTEN } else { 0 };
        let place = ((granule / 8) ^ (granule >> 15) ^ (written >> 44)) as usize % ROOM;
        (self.turn | written | (granule << 5) & (WRITTEN - 1) | access.extent as u64, place)
    }

    /// The thread has accessed those bytes in its epoch, as far as it remembers.
    #[inline(always)]
    pub(crate) fn has(&mut self, granule: u64, access: Access, present: Present) -> bool {
        self.renew(present);
        let (entry, place) = self.entry(granule, access);
        // SAFETY: its own table, or the one that nobody writes.
        let kept = unsafe { (*self.entries)[place] };
        (kept ^ entry) >> 8 == 0 && entry & !kept == 0
    }

    /// The thread has just accessed those bytes.
    #[inline(never)]
    pub(crate) fn add(&mut self, granule: u64, access: Access, present: Present) {
        self.renew(present);
        if !self.is_own() {
            self.entries = Box::into_raw(Box::new([0; ROOM]));
        }
        let (entry, place) = self.entry(granule, access);
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
    use deadheat_online::{Clock, Slot};
    use deadheat_shadow::Mode;

    fn at(clock: u64, changes: u64) -> Present {
        Present { epoch: Word::new(Slot(1), Clock(clock), Word::WHOLE), changes }
    }

    fn access(mode: Mode, extent: u8) -> Access {
        Access { mode, extent }
    }

    #[test]
    fn what_was_accessed_in_the_epoch_is_remembered() {
        let (mut lately, granule, now) = (Lately::new(), 0x7fff_1234_5678, at(5, 0));
        let [read, write] = [Mode::Read, Mode::Write].map(|mode| move |extent| access(mode, extent));
        assert!(!lately.has(granule, read(1), now));
        lately.add(granule, read(0x0f), now);
        lately.add(granule, read(0x30), now);
        assert!(lately.has(granule, read(0x3f), now) && lately.has(granule, read(0x18), now));
        assert!(!lately.has(granule, read(0x40), now) && !lately.has(granule, write(1), now));
        assert!(!lately.has(granule + 8, read(1), now) && !lately.has(granule ^ 1 << 46, read(1), now));
        lately.add(granule, write(0xff), now);
        assert!(lately.has(granule, write(0x80), now) && lately.has(granule, read(0x3f), now));
    }

    #[test]
    fn another_epoch_or_memory_given_back_is_another_turn() {
        let (mut lately, granule, read) = (Lately::new(), 0x1000, access(Mode::Read, 1));
        // More turns than there are numbers for.
        for clock in 1..5000 {
            assert!(!lately.has(granule, read, at(clock, 7)), "{clock}");
            lately.add(granule, read, at(clock, 7));
            assert!(lately.has(granule, read, at(clock, 7)), "{clock}");
        }
        assert!(!lately.has(granule, read, at(4999, 8)));
    }
}
