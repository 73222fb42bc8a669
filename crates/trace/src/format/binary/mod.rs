//! The binary format, "DHT": a third to a tenth of the size of STD text, four times as fast to read, never cut off unnoticed.
//!
//! ```text
//! file     magic 89 "DHT" 0D 0A 1A 0A │ version u32 │ block … │ end block
//! block    events u32 │ length u32 │ crc u32 │ length bytes of records
//! end      FFFFFFFF   │ 8          │ crc u32 │ number of all events u64
//!
//! record   an event:     head │ thread?  │ operands │ location?
//!          or a name:    0F   │ namespace u8 │ length varint │ UTF-8
//!
//! head      7   6   5   4   3   2   1   0
//!         ┌───────┬───┬───────────────────┐
//!         │  loc  │ s │      opcode       │
//!         └───────┴───┴───────────────────┘
//!           loc  0 none, 1 as before, 2 one more than before, 3 a zigzag varint follows: the difference
//!           s    1 the thread is that of the event before, 0 a varint follows
//!
//! opcode  0 1    read, write a named variable: zigzag varint, difference of its index to the one before
//!         2 … 9  read, write 1, 2, 4, 8 bytes: zigzag varint, difference of the address to the one before
//!         10 11  read, write: size varint, then the difference; a size of 0 is a named variable
//!         12 13  acquire, release: lock varint
//!         14     anything else: word u8, operands
//! ```
//!
//! Numbers of fixed width are little-endian, varints are LEB128 of the shortest length. The checksum is CRC-32 (IEEE) over the
//! first 8 bytes of the header and the records. "Before" means before in the same block and, but for the thread, in the same lane:
//! a thread's lane is its index modulo 64. A block starts with thread 0 and, in all lanes, location 0, variable 0 and address 0. A name gets the next index of its namespace and stands before its first use, so a reader
//! needs no second pass. `docs/trace-formats.md` has the rest.
//!
//! Accesses have opcodes of their own because nine of ten events are accesses; differences are small because each thread walks
//! through memory and the source, however the threads are interleaved. The records are decoded from a padded buffer, without a bounds check for each byte: 90 to 115
//! instructions an event (`examples/read_speed.rs` under callgrind).

mod block;
mod cursor;
mod reader;
mod writer;

pub(super) use reader::BinaryReader;
pub(super) use writer::BinaryWriter;

use crate::Namespace;

/// The first byte is not text and the rest shows whether line ends were "converted" on the way (as in PNG).
pub(super) const MAGIC: [u8; 8] = *b"\x89DHT\r\n\x1a\n";
/// How much of the magic makes the file ours; what follows may be damaged.
pub(super) const SIGNATURE: &[u8] = b"\x89DHT";
const VERSION: u32 = 1;
const FILE_HEADER: usize = MAGIC.len() + 4;
const BLOCK_HEADER: usize = 12;

/// A writer ends a block when its records reach this length.
const BLOCK_TARGET: usize = 64 << 10;
/// The longest name: no line of text is longer.
const MAX_NAME: usize = 1 << 20;
/// The most a reader accepts: a block that was one byte short of its target, and then the longest name.
const MAX_BLOCK: usize = 2 << 20;
/// In place of a number of events: the end block.
const END: u32 = u32::MAX;

/// Low five bits of a head.
mod opcode {
    pub(super) const MASK: u8 = 31;
    /// Below: reads (even) and writes (odd), by what is accessed in the order of [`super::KINDS`].
    pub(super) const SIZED: u8 = 10;
    pub(super) const SIZED_WRITE: u8 = 11;
    pub(super) const ACQUIRE: u8 = 12;
    pub(super) const RELEASE: u8 = 13;
    pub(super) const OTHER: u8 = 14;
    pub(super) const NAME: u8 = 15;
}

/// Bit of a head: the thread is that of the event before.
const SAME_THREAD: u8 = 1 << 5;
/// Where the location's two bits are.
const LOC_SHIFT: u32 = 6;

/// What the opcodes below [`opcode::SIZED`] access, two opcodes each: a named variable, or that many bytes.
const KINDS: [u64; 5] = [0, 1, 2, 4, 8];

/// The state that differences refer to; it starts afresh in each block, so that damage does not spread.
#[derive(Clone)]
struct Before {
    tid: u32,
    lanes: [Lane; LANES],
}

/// How many lanes there are: enough that few threads share one, and few enough to stay in the first-level cache.
const LANES: usize = 64;

/// What was before in the events of some threads.
#[derive(Clone, Copy, Default)]
struct Lane {
    loc: u32,
    /// Index of the last named variable.
    var: u64,
    addr: u64,
}

impl Default for Before {
    fn default() -> Before {
        Before { tid: 0, lanes: [Lane::default(); LANES] }
    }
}

impl Before {
    /// The lane of the thread of the present event.
    #[inline]
    fn lane(&mut self) -> &mut Lane {
        &mut self.lanes[self.tid as usize % LANES]
    }
}

/// A namespace's number in a name record.
fn namespace(number: u8) -> Option<Namespace> {
    Namespace::ALL.get(usize::from(number)).copied()
}

/// Small differences of either sign as small numbers: 0, -1, 1, -2, 2, …
#[inline]
fn zigzag(difference: i64) -> u64 {
    ((difference << 1) ^ (difference >> 63)) as u64
}

#[inline]
fn unzigzag(n: u64) -> u64 {
    (n >> 1) ^ (n & 1).wrapping_neg()
}

/// The checksum in a block's header.
fn checksum(header: &[u8], records: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(header);
    crc.update(records);
    crc.finalize()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zigzag_comes_back() {
        for n in [0, 1, -1, 2, -2, 1 << 40, i64::MAX, i64::MIN] {
            assert_eq!(unzigzag(zigzag(n)) as i64, n);
        }
        assert_eq!([0, -1, 1, -2, 2].map(zigzag), [0, 1, 2, 3, 4]);
    }
}
