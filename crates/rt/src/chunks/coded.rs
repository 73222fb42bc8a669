//! The sites of a full chunk in little memory, coded quickly: programs with short epochs fill many chunks.
//!
//! Places that were first come to at about the same time have numbers near each other, and what a program does in a short while is mostly of that kind: then a byte or two a clock say how far each
//! number is beyond the lowest, by loops without a branch. If numbers are too far apart, a hash table finds out whether there are few of them; and if not, each takes a word.

use super::CLOCKS;
use crate::sites::{self, Site};
use alloc::boxed::Box;

/// The sites of a full chunk's clocks.
#[derive(PartialEq, Eq)]
pub enum Sites {
    /// How far each is beyond the lowest, by [`Near::code`].
    Near(Near, Box<[u64]>),
    /// The number of each, and those there are.
    Few(Box<[u64]>, Box<[Site]>),
    /// One by one.
    Many(Box<[Site]>),
}

/// Sites within a range of numbers, coded as how far they are beyond its beginning, which is odd; with codes of their own for no site and for [`Site::SCATTERED`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Near {
    lowest: u32,
    width: Width,
}

/// Bytes of a code.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Width {
    One,
    Two,
}

impl Near {
    /// Of those sites, if two bytes suffice for each.
    fn of(sites: &[u32; CLOCKS]) -> Option<Near> {
        // One pass, of what processors compare several at a time: signed numbers. So seen, what is no site, or not one, is not above any site; one less, halved, it is not below any.
        const { assert!(sites::MOST < 1 << 31) }
        let (mut half, mut highest) = (i32::MAX, 0);
        for site in sites {
            half = half.min((site.wrapping_sub(1) >> 1) as i32);
            highest = highest.max(*site as i32);
        }
        if highest == 0 {
            return Some(Near { lowest: 0, width: Width::One });
        }
        let lowest = half as u32 * 2 + 1;
        let range = highest as u32 - lowest;
        let width = match range {
            0..=0xfd => Width::One,
            0xfe..=0xfffd => Width::Two,
            _ => return None,
        };
        Some(Near { lowest, width })
    }

    fn code(self, site: u32) -> u32 {
        let code = site.wrapping_sub(self.lowest).wrapping_add(2);
        if site == Site::NOWHERE.0 {
            0
        } else if site == Site::SCATTERED.0 {
            1
        } else {
            code
        }
    }

    fn site(self, code: u32) -> Site {
        match code {
            0 => Site::NOWHERE,
            1 => Site::SCATTERED,
            _ => Site(self.lowest + (code - 2)),
        }
    }

    /// The codes of all sites.
    fn codes(self, sites: &[u32; CLOCKS]) -> Box<[u64]> {
        match self.width {
            Width::One => words(sites.map(|site| self.code(site) as u8)),
            Width::Two => wide_words(sites.map(|site| self.code(site) as u16)),
        }
    }

    fn get(self, codes: &[u64], at: usize) -> Site {
        match self.width {
            Width::One => self.site((codes[at / 8] >> (at % 8 * 8)) as u8 as u32),
            Width::Two => self.site((codes[at / 4] >> (at % 4 * 16)) as u16 as u32),
        }
    }
}

/// Bytes as words, which are hashed and compared eight at a time.
fn words(bytes: [u8; CLOCKS]) -> Box<[u64]> {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

fn wide_words(codes: [u16; CLOCKS]) -> Box<[u64]> {
    let word = |four: &[u16; 4]| four.iter().rev().fold(0, |word, code| word << 16 | *code as u64);
    codes.as_chunks().0.iter().map(word).collect()
}

impl Sites {
    pub fn new(sites: &[u32; CLOCKS]) -> Sites {
        if let Some(near) = Near::of(sites) {
            return Sites::Near(near, near.codes(sites));
        }
        Sites::few(sites).unwrap_or_else(|| Sites::Many(sites.iter().map(|site| Site(*site)).collect()))
    }

    /// By numbers, if a byte suffices.
    fn few(all: &[u32; CLOCKS]) -> Option<Sites> {
        const MOST: usize = 1 << u8::BITS;
        // By a hash of the site, one more than its number.
        let mut numbers = [0u16; 2 * MOST];
        let (mut which, mut sites, mut count) = ([0; CLOCKS], [Site::NOWHERE; MOST], 0);
        for (number, site) in which.iter_mut().zip(all.map(Site)) {
            let mut slot = (site.0.wrapping_mul(0x9e37_79b9) >> 16) as usize % numbers.len();
            while numbers[slot] != 0 && sites[numbers[slot] as usize - 1] != site {
                slot = (slot + 1) % numbers.len();
            }
            if numbers[slot] == 0 {
                *sites.get_mut(count)? = site;
                count += 1;
                numbers[slot] = count as u16;
            }
            *number = (numbers[slot] - 1) as u8;
        }
        Some(Sites::Few(words(which), sites[..count].into()))
    }

    pub fn get(&self, at: usize) -> Site {
        match self {
            Sites::Near(near, codes) => near.get(codes, at),
            Sites::Few(which, sites) => sites[(which[at / 8] >> (at % 8 * 8)) as u8 as usize],
            Sites::Many(sites) => sites[at],
        }
    }

    /// What it holds: words and sites.
    pub fn parts(&self) -> (&[u64], &[Site]) {
        match self {
            Sites::Near(_, codes) => (codes, &[]),
            Sites::Few(which, sites) => (which, sites),
            Sites::Many(sites) => (&[], sites),
        }
    }
}
