//! The input of the packers: text, records and noise in turn, the same in every run.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

/// The file of so many KiB in that folder, made if it is not there.
pub fn file(folder: &Path, kib: u32) -> io::Result<PathBuf> {
    let path = folder.join(format!("input-{kib}k"));
    if !path.exists() {
        fs::create_dir_all(folder)?;
        let part = path.with_extension("part");
        let mut out = BufWriter::new(File::create(&part)?);
        write(&mut out, kib)?;
        out.into_inner()?.sync_all()?;
        fs::rename(part, &path)?;
    }
    Ok(path)
}

/// Blocks of 16 KiB: five of text, two of records and one of noise, again and again.
fn write(out: &mut impl Write, kib: u32) -> io::Result<()> {
    const BLOCK: usize = 16 << 10;
    let mut random = Random(43);
    let words = vocabulary(&mut random);
    let mut left = kib as usize * 1024;
    for block in 0.. {
        let mut bytes = match block % 8 {
            0..5 => text(&mut random, &words, BLOCK),
            5 | 6 => records(&mut random, BLOCK),
            _ => noise(&mut random, BLOCK),
        };
        bytes.truncate(BLOCK.min(left));
        out.write_all(&bytes)?;
        left -= bytes.len();
        if left == 0 {
            break;
        }
    }
    Ok(())
}

fn vocabulary(random: &mut Random) -> Vec<String> {
    let word = |random: &mut Random| {
        let syllables = 1 + random.below(4);
        (0..syllables)
            .map(|_| {
                let pick = |from: &[u8], n: u64| from[n as usize % from.len()] as char;
                format!("{}{}", pick(b"bcdfghklmnprstvw", random.next()), pick(b"aeiou", random.next()))
            })
            .collect()
    };
    (0..4096).map(|_| word(random)).collect()
}

/// Words, short ranks more often than long ones.
fn text(random: &mut Random, words: &[String], length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length + 16);
    while out.len() < length {
        let range = words.len() as u64 >> random.below(12);
        out.extend(words[random.below(range.max(1)) as usize].as_bytes());
        out.push(if random.below(12) == 0 { b'\n' } else { b' ' });
    }
    out
}

/// Numbers that grow a little from one record to the next, as tables in a binary file do.
fn records(random: &mut Random, length: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(length + 16);
    let (mut id, mut value) = (random.below(1 << 20) as u32, random.below(1 << 16) as u32);
    while out.len() < length {
        id += 1 + random.below(3) as u32;
        value = value.wrapping_add(random.below(64) as u32);
        out.extend(id.to_le_bytes());
        out.extend(value.to_le_bytes());
        out.extend([random.below(4) as u8, 0, 0, 0]);
    }
    out
}

fn noise(random: &mut Random, length: usize) -> Vec<u8> {
    (0..length / 8).flat_map(|_| random.next().to_le_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_input_is_always_the_same() {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        write(&mut first, 200).unwrap();
        write(&mut second, 200).unwrap();
        assert_eq!(first.len(), 200 * 1024);
        assert!(first == second);
        assert!(first[..1000].is_ascii() && !first.is_ascii());
    }
}
