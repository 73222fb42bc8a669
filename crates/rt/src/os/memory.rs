//! Mapping memory: reserve, commit, protect, give back.

use super::arch::{number, syscall};
use super::{Errno, check};

/// Bytes of a page.
pub const PAGE: usize = 4096;

/// The first page boundary at or after `address`; 0 if there is none.
#[inline]
pub const fn page_ceil(address: usize) -> usize {
    address.wrapping_add(PAGE - 1) & !(PAGE - 1)
}

/// The last page boundary at or before `address`.
#[inline]
pub const fn page_floor(address: usize) -> usize {
    address & !(PAGE - 1)
}

/// What a program may do with mapped memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// Nothing: address space only, which counts towards no limit but `ulimit -v`.
    None,
    /// Read.
    Read,
    /// Read and write.
    ReadWrite,
}

impl Access {
    fn bits(self) -> usize {
        match self {
            Access::None => 0,
            Access::Read => 1,
            Access::ReadWrite => 1 | 2,
        }
    }
}

/// Where a mapping should lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// Wherever the kernel likes.
    Anywhere,
    /// At this address if it is free, otherwise anywhere.
    Near(usize),
    /// At this address, or fail with [`Errno::EEXIST`] if something is there.
    At(usize),
}

const MAP_PRIVATE: usize = 0x02;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_NORESERVE: usize = 0x4000;
const MAP_FIXED_NOREPLACE: usize = 0x10_0000;

/// Maps `length` bytes of fresh, zeroed, private memory, for which no swap space is set aside.
pub fn map(place: Place, length: usize, access: Access) -> Result<usize, Errno> {
    let (hint, fixed) = match place {
        Place::Anywhere => (0, 0),
        Place::Near(address) => (address, 0),
        Place::At(address) => (address, MAP_FIXED_NOREPLACE),
    };
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | fixed;
    // SAFETY: an anonymous mapping that replaces nothing changes no memory that is in use.
    let start = check(unsafe { syscall(number::MMAP, [hint, length, access.bits(), flags, usize::MAX, 0]) })?;
    if fixed != 0 && start != hint {
        // A kernel before 4.17 does not know the flag and takes the address as a hint.
        // SAFETY: the mapping was made just now and nobody has its address.
        let _ = unsafe { munmap(start, length) };
        return Err(Errno::EEXIST);
    }
    Ok(start)
}

/// Maps `length` bytes of zeroed memory to read and write, anywhere.
pub fn map_zeroed(length: usize) -> Result<usize, Errno> {
    map(Place::Anywhere, length, Access::ReadWrite)
}

/// Like [`map`], at a multiple of `align`, a power of two.
pub fn map_aligned(length: usize, align: usize, access: Access) -> Result<usize, Errno> {
    if align <= PAGE {
        return map(Place::Anywhere, length, access);
    }
    let length = length.checked_next_multiple_of(PAGE).ok_or(Errno::ENOMEM)?;
    let wide = length.checked_add(align).ok_or(Errno::ENOMEM)?;
    let start = map(Place::Anywhere, wide, access)?;
    let aligned = start.next_multiple_of(align);
    // SAFETY: both ranges are parts of the mapping made just now, outside what is handed out.
    unsafe {
        if aligned > start {
            munmap(start, aligned - start)?;
        }
        munmap(aligned + length, start + wide - (aligned + length))?;
    }
    Ok(aligned)
}

/// Unmaps whole pages.
///
/// # Safety
/// Nobody may use the memory any more.
pub unsafe fn munmap(start: usize, length: usize) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    check(unsafe { syscall(number::MUNMAP, [start, length, 0, 0, 0, 0]) }).map(drop)
}

/// Grows or shrinks a mapping, moving it if it must, and returns where it is now.
///
/// # Safety
/// `start` and `old` must be a whole mapping of [`map`], to which nobody keeps a pointer.
pub unsafe fn remap(start: usize, old: usize, new: usize) -> Result<usize, Errno> {
    const MAY_MOVE: usize = 1;
    // SAFETY: the caller's promise.
    check(unsafe { syscall(number::MREMAP, [start, old, new, MAY_MOVE, 0, 0]) })
}

/// Changes what may be done with whole pages.
///
/// # Safety
/// The pages must be the runtime's own, or the program must be meant to feel it.
pub unsafe fn mprotect(start: usize, length: usize, access: Access) -> Result<(), Errno> {
    // SAFETY: the caller's promise.
    check(unsafe { syscall(number::MPROTECT, [start, length, access.bits(), 0, 0, 0]) }).map(drop)
}

/// What the kernel is told about pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Advice {
    /// Their contents are not needed: private anonymous pages read as zero afterwards.
    DontNeed,
    /// They should not be made into huge pages.
    NoHugePage,
    /// They should not be written to core dumps.
    DontDump,
    /// They will be written to soon, all of them (Linux 5.14).
    PopulateWrite,
}

/// Advises the kernel about whole pages.
///
/// # Safety
/// [`Advice::DontNeed`] erases the memory: nobody may need its contents.
pub unsafe fn madvise(start: usize, length: usize, advice: Advice) -> Result<(), Errno> {
    let advice = match advice {
        Advice::DontNeed => 4,
        Advice::NoHugePage => 15,
        Advice::DontDump => 16,
        Advice::PopulateWrite => 23,
    };
    // SAFETY: the caller's promise.
    check(unsafe { syscall(number::MADVISE, [start, length, advice, 0, 0, 0]) }).map(drop)
}

/// Says for each page whether it is in memory: bit 0 of the byte for it in `pages`.
pub fn mincore(start: usize, length: usize, pages: &mut [u8]) -> Result<(), Errno> {
    if pages.len() * PAGE < length {
        return Err(Errno::EINVAL);
    }
    let into = pages.as_mut_ptr() as usize;
    // SAFETY: the kernel writes one byte a page into `pages`, which has room.
    check(unsafe { syscall(number::MINCORE, [start, length, into, 0, 0, 0]) }).map(drop)
}

/// Maps a file to be read, for good.
pub fn map_file(fd: super::Fd, length: usize) -> Result<&'static [u8], Errno> {
    let arguments = [0, length, Access::Read.bits(), MAP_PRIVATE, fd.0 as usize, 0];
    // SAFETY: a new mapping changes no memory that is in use.
    let start = check(unsafe { syscall(number::MMAP, arguments) })?;
    // SAFETY: the mapping is never undone. If somebody cuts the file short, reading beyond its end ends the process.
    Ok(unsafe { core::slice::from_raw_parts(start as *const u8, length) })
}

/// Maps `length` bytes of a file from `offset` on, to be read and written: what is written there is in the file, whatever becomes of the process.
pub fn map_shared(fd: super::Fd, offset: u64, length: usize) -> Result<usize, Errno> {
    const MAP_SHARED: usize = 0x01;
    let arguments = [0, length, Access::ReadWrite.bits(), MAP_SHARED, fd.0 as usize, offset as usize];
    // SAFETY: a new mapping changes no memory that is in use.
    check(unsafe { syscall(number::MMAP, arguments) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapping_is_zeroed_writable_and_can_be_erased() {
        let start = map_zeroed(2 * PAGE).unwrap();
        let byte = start as *mut u8;
        // SAFETY: the two pages were mapped just now, and nobody else has them.
        unsafe {
            assert_eq!(*byte, 0);
            *byte = 7;
            madvise(start, PAGE, Advice::DontNeed).unwrap();
            assert_eq!(*byte, 0);
            munmap(start, 2 * PAGE).unwrap();
        }
    }

    #[test]
    fn a_fixed_place_is_never_taken_from_another_mapping() {
        let start = map_zeroed(PAGE).unwrap();
        assert_eq!(map(Place::At(start), PAGE, Access::None), Err(Errno::EEXIST));
        // SAFETY: mapped above, used by nobody.
        unsafe { munmap(start, PAGE).unwrap() };
    }

    #[test]
    fn alignment_is_honoured() {
        for align in [1, 16, PAGE, 1 << 16, 1 << 22] {
            let start = map_aligned(3 * PAGE, align, Access::ReadWrite).unwrap();
            assert_eq!(start % align, 0);
            // SAFETY: mapped just now; the last byte must be there, and nobody else uses it.
            unsafe {
                *((start + 3 * PAGE - 1) as *mut u8) = 1;
                munmap(start, 3 * PAGE).unwrap();
            }
        }
    }

    #[test]
    fn only_touched_pages_are_in_memory() {
        let start = map_zeroed(3 * PAGE).unwrap();
        let mut resident = [0; 3];
        // SAFETY: mapped just now, and used by nobody else.
        unsafe {
            madvise(start, 3 * PAGE, Advice::NoHugePage).unwrap();
            *((start + PAGE) as *mut u8) = 1;
            mincore(start, 3 * PAGE, &mut resident).unwrap();
            munmap(start, 3 * PAGE).unwrap();
        }
        assert_eq!(resident.map(|page| page & 1), [0, 1, 0]);
        assert_eq!(mincore(start, 4 * PAGE, &mut resident), Err(Errno::EINVAL));
        // The lowest pages are nobody's, while what was unmapped may be another test's by now.
        assert_eq!(mincore(PAGE, 3 * PAGE, &mut resident), Err(Errno::ENOMEM));
    }

    #[test]
    fn impossible_lengths_fail() {
        assert_eq!(map_zeroed(usize::MAX & !(PAGE - 1)), Err(Errno::ENOMEM));
        assert_eq!(map_aligned(usize::MAX - 10, 1 << 20, Access::None), Err(Errno::ENOMEM));
    }
}
