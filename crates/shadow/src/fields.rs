//! Granules of several fields, or that several threads read: where accesses come again, epoch by epoch, the new ones take the places of the earlier ones in a line. They come to what
//! [`Memory::ordered`](crate::Memory::ordered) would make of them, with less to do; but accesses of one epoch from different places stay apart here.

use crate::access::{Access, Mode, change};
use crate::history::{History, MOST};
use core::sync::atomic::{AtomicU64, Ordering};
use deadheat_online::{Pair, ThreadState, VarState, Word};

/// The granule has a line, at least when it was seen.
#[inline(always)]
pub fn has_line(seen: Pair) -> bool {
    History::is_line(seen.w) || History::is_line(seen.r)
}

/// An access, from the place of that stamp, by a thread that has not made it in its current epoch, to a granule with a line. False, and nothing is done, if it takes more than to put it in the place of another one, or beside
/// all others where there is room.
#[inline(always)]
pub fn renewed(thread: &ThreadState, cell: &VarState, access: Access, stamp: Word) -> bool {
    change(cell, |seen| after(thread, seen, access, stamp.with_extent(access.extent)))
}

/// What W and R are afterwards.
#[inline(always)]
fn after(thread: &ThreadState, seen: Pair, access: Access, new: Word) -> Option<Pair> {
    let (w, r) = (History(seen.w), History(seen.r));
    if !access.mode.writes() {
        let is_known = w.is_known(thread, access.extent);
        return if is_known { Some(Pair { r: renew(r, thread, new, access.mode)?, ..seen }) } else { None };
    }
    let is_known = r.is_known(thread, access.extent);
    let w = if is_known { renew(w, thread, new, access.mode)? } else { return None };
    // The write stands for the reads of its bytes.
    Some(Pair { w, r: r.without_some(access.extent).0 })
}

/// The history after that access: the word that names it.
#[inline(always)]
fn renew(history: History, thread: &ThreadState, new: Word, mode: Mode) -> Option<Word> {
    let old = history.0;
    if let Some(line) = history.line() {
        let is_done = put_in_line(line, thread, new, mode) || renew_line(line, thread, new, mode);
        return is_done.then_some(old);
    }
    let stays = old.extent() & !new.extent();
    if old.is_special() || old.extent() & new.extent() != 0 && !thread.covers(old) {
        return None;
    }
    match stays {
        0 => Some(new),
        _ if old.epoch() == new.epoch() => Some(new.with_extent(new.extent() | stays)),
        _ => None,
    }
}

/// As `renew_line`, where the new access takes the place of just one, of the same bytes, as most do that come again.
#[inline(always)]
fn put_in_line(line: &[AtomicU64], thread: &ThreadState, new: Word, mode: Mode) -> bool {
    let (mut place, mut others, mut other) = (None, 0, Word::NONE);
    let (mut is_shared, mut is_apart, mut are_alike) = (false, false, true);
    for (i, at) in line.iter().enumerate() {
        let word = Word(at.load(Ordering::Relaxed));
        if word.is_none() {
            break;
        }
        if word.extent() & new.extent() == 0 {
            if word.epoch() == new.epoch() {
                return false;
            }
            is_apart |= thread.is_current(word);
        } else if thread.covers(word) {
            if word.extent() != new.extent() || place.is_some() {
                return false;
            }
            place = Some(i);
            continue;
        } else if mode.writes() {
            return false;
        } else {
            is_shared = true;
        }
        are_alike &= word.extent() == new.extent();
        (others, other) = (others + 1, word);
    }
    let Some(place) = place else { return false };
    let is_one = others == 0 || others == 1 && other.slot() == new.slot();
    if is_one || is_shared && (is_apart || are_alike) {
        return false;
    }
    // The latest is the first. Who looks for its own without the lock goes the other way, and misses none.
    for i in (0..place).rev() {
        line[i + 1].store(line[i].load(Ordering::Relaxed), Ordering::Relaxed);
    }
    line[0].store(new.0, Ordering::Relaxed);
    true
}

/// Not if one word could tell all that is left, if there is no room for it, if concurrent reads are all of the same bytes, which makes a set that other granules may have too, or if the thread reads piece by piece what others read: that may become one.
#[inline(always)]
fn renew_line(line: &[AtomicU64], thread: &ThreadState, new: Word, mode: Mode) -> bool {
    let (mut words, mut len, mut bytes) = ([Word::NONE; MOST + 1], 1, new.extent());
    let (mut is_shared, mut is_apart) = (false, false);
    for at in line {
        let word = Word(at.load(Ordering::Relaxed));
        let mut stays = word.extent();
        if stays & new.extent() != 0 {
            if thread.covers(word) {
                stays &= !new.extent();
            } else if mode.writes() {
                return false;
            } else {
                is_shared = true;
            }
        }
        if word.epoch() == new.epoch() {
            bytes |= stays;
        } else if stays != 0 {
            is_apart |= thread.is_current(word);
            words[len] = word.with_extent(stays);
            len += 1;
        }
    }
    words[0] = new.with_extent(bytes);
    let is_one = len == 1 || len == 2 && words[1].slot() == new.slot();
    let are_alike = || words[..len].iter().all(|word| word.extent() == bytes);
    if is_one || len > line.len() || is_shared && (is_apart || are_alike()) {
        return false;
    }
    line.iter().zip(words).for_each(|(at, word)| at.store(word.0, Ordering::Relaxed));
    true
}
