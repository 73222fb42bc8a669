//! Reading numbers from the records of a block, without a bounds check a byte.

/// How many bytes an event can have at most (a head, a word, an order and four varints are 43), rounded up to a power of two.
pub(super) const WINDOW: usize = 64;

/// The longest varint: ten times seven bits hold 64.
const MAX_VARINT: usize = 10;

/// A place in the records of a block. `window` starts at a record and reaches beyond its last byte.
pub(super) struct Cursor<'a> {
    window: &'a [u8; WINDOW],
    at: usize,
}

impl<'a> Cursor<'a> {
    #[inline]
    pub(super) fn new(window: &'a [u8; WINDOW]) -> Cursor<'a> {
        Cursor { window, at: 0 }
    }

    /// How many bytes have been read.
    #[inline]
    pub(super) fn position(&self) -> usize {
        self.at
    }

    #[inline]
    pub(super) fn byte(&mut self) -> u8 {
        // The mask never changes the index, it shows the compiler that it is in bounds.
        let b = self.window[self.at % WINDOW];
        self.at += 1;
        b
    }

    /// A LEB128 number of the shortest length.
    pub(super) fn varint(&mut self) -> Result<u64, String> {
        let mut n = 0;
        for i in 0..MAX_VARINT {
            let b = self.byte();
            n |= u64::from(b & 0x7f) << (7 * i);
            if b < 0x80 {
                let shortest = b != 0 || i == 0;
                // The tenth byte has room for one bit.
                let fits = i + 1 < MAX_VARINT || b <= 1;
                return if shortest && fits { Ok(n) } else { Err(bad_varint()) };
            }
        }
        Err(bad_varint())
    }
}

/// The number that starts at `bytes[at]` and where it ends; `None` if it is longer than eight bytes or not the shortest.
///
/// Lengths up to three are told apart by branches: even on random accesses that is 2 ns an event faster than computing the length,
/// because the processor goes on with the next number before it knows this one. Longer ones (a step from the heap to the stack)
/// have their 7-bit groups pushed together without branches, in pairs, fours and eights.
#[inline(always)]
pub(super) fn quick_varint(bytes: &[u8; WINDOW], at: usize) -> Option<(u64, usize)> {
    // No caller is that far, but the compiler can tell from the mask that the eight bytes are in bounds.
    let rest: &[u8; 8] = bytes[at % (WINDOW / 2)..].first_chunk()?;
    let x = u64::from_le_bytes(*rest);
    if x & 0x80 == 0 {
        return Some((x & 0x7f, at + 1));
    }
    if x & 0x8000 == 0 {
        return (x & 0x7f00 != 0).then_some((x & 0x7f | x >> 1 & 0x3f80, at + 2));
    }
    if x & 0x80_0000 == 0 {
        return (x & 0x7f_0000 != 0).then_some((x & 0x7f | x >> 1 & 0x3f80 | x >> 2 & 0x1f_c000, at + 3));
    }
    let ends = !x & 0x8080_8080_8080_8080;
    if ends == 0 {
        return None;
    }
    // All bits up to the end of the last byte, whose value must not be 0.
    let x = x & (ends ^ (ends - 1));
    let last = ends.trailing_zeros();
    if x >> (last - 7) == 0 {
        return None;
    }
    let x = (x & 0x007f_007f_007f_007f) | (x & 0x7f00_7f00_7f00_7f00) >> 1;
    let x = (x & 0x0000_3fff_0000_3fff) | (x & 0x3fff_0000_3fff_0000) >> 2;
    let x = (x & 0x0fff_ffff) | (x & 0x0fff_ffff_0000_0000) >> 4;
    Some((x, at + last as usize / 8 + 1))
}

#[cold]
fn bad_varint() -> String {
    "a number is encoded in too many bytes".to_owned()
}

/// Appends a number as LEB128.
#[inline]
pub(super) fn push_varint(out: &mut Vec<u8>, mut n: u64) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<(u64, usize), String> {
        let mut window = [0; WINDOW];
        window[..bytes.len()].copy_from_slice(bytes);
        let mut cursor = Cursor::new(&window);
        Ok((cursor.varint()?, cursor.position()))
    }

    fn quick(bytes: &[u8]) -> Option<(u64, usize)> {
        let mut window = [0x55; WINDOW];
        window[3..3 + bytes.len()].copy_from_slice(bytes);
        quick_varint(&window, 3).map(|(n, end)| (n, end - 3))
    }

    #[test]
    fn numbers_come_back() {
        for shift in 0..64 {
            for n in [(1u64 << shift) - 1, 1 << shift, (1 << shift) + 1, u64::MAX >> shift] {
                let mut bytes = Vec::new();
                push_varint(&mut bytes, n);
                assert_eq!(read(&bytes), Ok((n, bytes.len())));
                let expected = (bytes.len() <= 8).then_some((n, bytes.len()));
                assert_eq!(quick(&bytes), expected);
            }
        }
    }

    #[test]
    fn only_the_shortest_encoding_is_one() {
        for bytes in [
            &[0x80, 0][..],
            &[0xff, 0],
            &[0x80, 0x80, 0],
            &[0xff, 0xff, 0xff, 0],
            &[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 2],
            &[0xff; 11],
        ] {
            assert_eq!(read(bytes), Err("a number is encoded in too many bytes".to_owned()), "{bytes:x?}");
            assert_eq!(quick(bytes), None, "{bytes:x?}");
        }
    }
}
