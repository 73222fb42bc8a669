//! Size classes: which sizes of blocks there are, and which one a request gets.
//!
//! Multiples of 16 up to 64 bytes, then four classes per doubling up to 256 KiB:
//! 16 32 48 64 | 80 96 112 128 | 160 192 224 256 | … | 163840 196608 229376 262144.
//! Beyond 64 bytes a block is less than 25 % larger than what was asked for.

/// How many classes there are.
pub const CLASSES: usize = 52;
/// The largest block of a class.
pub const LARGEST: usize = 256 * 1024;
/// Every block begins at a multiple of this.
pub const GRAIN: usize = 16;

/// One of the size classes: a number below [`CLASSES`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Class(u8);

impl Class {
    /// All classes, from the smallest blocks to the largest.
    pub fn all() -> impl Iterator<Item = Class> {
        (0..CLASSES as u8).map(Class)
    }

    /// The class with this number.
    #[inline]
    pub const fn from_index(index: usize) -> Class {
        debug_assert!(index < CLASSES, "no such class");
        Class(index as u8)
    }

    /// The smallest class whose blocks hold `size` bytes, at most [`LARGEST`].
    #[inline]
    pub fn of_size(size: usize) -> Class {
        debug_assert!(size <= LARGEST, "too large for a class");
        match SMALL.get(size.div_ceil(GRAIN)) {
            Some(&class) => class,
            None => Class::compute(size),
        }
    }

    /// What [`Class::of_size`] says, without its table.
    const fn compute(size: usize) -> Class {
        if size <= 64 {
            return Class((size.saturating_sub(1) / GRAIN) as u8);
        }
        // The last byte's number has its highest bit at `log`; the two bits below say which quarter of the doubling.
        let last = size - 1;
        let log = last.ilog2() as usize;
        let quarter = (last >> (log - 2)) & 3;
        Class((4 + (log - 6) * 4 + quarter) as u8)
    }

    /// The smallest class that holds `size` bytes at multiples of `align`, if there is one. Blocks lie at multiples
    /// of their size, from a start that is aligned to [`LARGEST`], so the size must be a multiple of `align`.
    #[inline]
    pub fn of(size: usize, align: usize) -> Option<Class> {
        if size.max(align) > LARGEST {
            None
        } else if align <= GRAIN {
            Some(Class::of_size(size))
        } else if size.max(align) <= 64 {
            // All multiples of 16 are classes here, and alignments are powers of two.
            Some(Class::of_size((size.max(align) + align - 1) & !(align - 1)))
        } else {
            Class::of_size(size.max(align)).aligned(align)
        }
    }

    /// This class or the first larger one whose blocks lie at multiples of `align`.
    fn aligned(self, align: usize) -> Option<Class> {
        (self.0..CLASSES as u8).map(Class).find(|class| class.size().is_multiple_of(align))
    }

    /// The next larger class whose blocks lie at multiples of `align`.
    pub fn larger(self, align: usize) -> Option<Class> {
        Class(self.0 + 1).aligned(align)
    }

    /// The class's number, below [`CLASSES`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Bytes of its blocks.
    pub const fn size(self) -> usize {
        let index = self.index();
        if index < 4 {
            GRAIN * (index + 1)
        } else {
            let (doubling, quarter) = ((index - 4) / 4, (index - 4) % 4);
            (64 << doubling) + (16 << doubling) * (quarter + 1)
        }
    }

    /// Whether its blocks are whole pages, and enough of them to be worth a call to the kernel.
    pub const fn is_whole_pages(self) -> bool {
        self.size() >= 16 * 1024
    }
}

/// The classes of sizes up to 1 KiB, by multiples of 16.
static SMALL: [Class; 1024 / GRAIN + 1] = {
    let mut classes = [Class(0); 1024 / GRAIN + 1];
    let mut index = 0;
    while index < classes.len() {
        classes[index] = Class::compute(index * GRAIN);
        index += 1;
    }
    classes
};

/// Divides offsets by a block size with one multiplication.
///
/// With `r = ⌈2⁶⁴ / size⌉` the product `offset · r` exceeds `offset · 2⁶⁴ / size` by less than `offset`, and that is too
/// little to reach the next multiple of 2⁶⁴ as long as `offset · size < 2⁶⁴`: offsets are at most 2³⁶, sizes 2¹⁸.
#[derive(Clone, Copy)]
pub struct Divisor(u64);

impl Divisor {
    /// The divisor for blocks of `size` bytes, at least 2.
    pub const fn new(size: usize) -> Divisor {
        Divisor(u64::MAX / size as u64 + 1)
    }

    /// `offset / size`.
    #[inline]
    pub const fn divide(self, offset: usize) -> usize {
        ((offset as u128 * self.0 as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_gets_the_smallest_class_that_holds_it() {
        for size in 0..=LARGEST {
            let class = Class::of_size(size);
            assert!(class.size() >= size);
            assert!(class.index() == 0 || Class::from_index(class.index() - 1).size() < size);
            assert!(size <= 64 || class.size() * 4 < size * 5, "{size} wastes a quarter");
        }
        assert_eq!(Class::of_size(LARGEST).index(), CLASSES - 1);
        assert_eq!(Class::of_size(LARGEST).size(), LARGEST);
    }

    #[test]
    fn alignment_needs_a_multiple() {
        for align in (0..=18).map(|bit| 1usize << bit) {
            for size in [0, 1, 16, 17, 100, 4096, 5000, 100_000, LARGEST] {
                let class = Class::of(size, align).unwrap();
                assert!(class.size() >= size && class.size().is_multiple_of(align));
            }
        }
        assert_eq!(Class::of(LARGEST + 1, 16), None);
        assert_eq!(Class::of(1, LARGEST * 2), None);
        assert_eq!(Class::of(72, 32).unwrap().size(), 96);
        assert_eq!(Class::of(LARGEST, 16).unwrap().larger(16), None);
    }

    #[test]
    fn multiplying_divides() {
        for size in Class::all().map(Class::size) {
            let divisor = Divisor::new(size);
            let last = (1usize << 36) / size;
            for block in [0, 1, 2, 3, 1000, last / 3, last - 2, last - 1] {
                assert_eq!(divisor.divide(block * size), block);
                assert_eq!(divisor.divide(block * size + size - 1), block);
            }
        }
    }

    #[test]
    fn whole_pages_are_whole() {
        let whole = |class: &Class| class.size().is_multiple_of(crate::os::PAGE);
        assert!(Class::all().filter(|class| class.is_whole_pages()).all(|class| whole(&class)));
    }
}
