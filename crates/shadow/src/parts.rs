//! The bytes of a granule in parts that share one history: two as a rule (the halves of an array of ints), eight at most.

use alloc::boxed::Box;
use deadheat_online::{Pair, Sets};

/// Some bytes and what is remembered of them. The words' own extents mean nothing here; a set of reads is held once by each part.
#[derive(Clone, Copy, Default, Debug)]
pub(crate) struct Part {
    pub extent: u8,
    pub state: Pair,
}

/// Disjoint parts; bytes in none of them have no history. Two of them need no memory beside.
#[derive(Default)]
pub(crate) struct Parts {
    few: [Part; 2],
    many: Option<Box<[Part; 8]>>,
    len: u8,
}

impl Parts {
    pub fn as_slice(&self) -> &[Part] {
        let all: &[Part] = self.many.as_deref().map_or(&self.few, |many| many);
        &all[..self.len as usize]
    }

    pub fn as_mut_slice(&mut self) -> &mut [Part] {
        let all: &mut [Part] = self.many.as_deref_mut().map_or(&mut self.few, |many| many);
        &mut all[..self.len as usize]
    }

    /// All bytes that have a history.
    pub fn extent(&self) -> u8 {
        self.as_slice().iter().fold(0, |extent, part| extent | part.extent)
    }

    /// Adds bytes that are in no part yet.
    pub fn push(&mut self, part: Part) {
        debug_assert!(part.extent != 0 && self.extent() & part.extent == 0);
        if self.len as usize == self.few.len() && self.many.is_none() {
            let mut many = Box::new([Part::default(); 8]);
            many[..self.few.len()].copy_from_slice(&self.few);
            self.many = Some(many);
        }
        self.len += 1;
        if let Some(last) = self.as_mut_slice().last_mut() {
            *last = part;
        }
    }

    fn swap_remove(&mut self, i: usize) -> Part {
        let all = self.as_mut_slice();
        let last = all.len() - 1;
        all.swap(i, last);
        let part = all[last];
        self.len -= 1;
        if self.len as usize <= self.few.len()
            && let Some(many) = self.many.take()
        {
            self.few.copy_from_slice(&many[..2]);
        }
        part
    }

    /// Cuts parts in two so that each lies within the extent or outside of it.
    pub fn cut(&mut self, extent: u8, sets: &Sets) {
        for i in 0..self.as_slice().len() {
            let Part { extent: whole, state } = self.as_slice()[i];
            let (inside, outside) = (whole & extent, whole & !extent);
            if inside == 0 || outside == 0 {
                continue;
            }
            if state.r.is_special() {
                sets.retain(state.r);
            }
            self.as_mut_slice()[i].extent = inside;
            self.push(Part { extent: outside, state });
        }
    }

    /// Parts with one and the same history become one.
    pub fn unite(&mut self, sets: &Sets) {
        let mut i = 0;
        while i < self.as_slice().len() {
            let Part { extent, state } = self.as_slice()[i];
            match self.as_slice()[..i].iter().position(|p| p.state == state) {
                Some(first) => {
                    self.swap_remove(i);
                    self.as_mut_slice()[first].extent |= extent;
                    if state.r.is_special() {
                        sets.release(state.r);
                    }
                }
                None => i += 1,
            }
        }
    }

    /// The bytes of the extent have no history any more.
    pub fn forget(&mut self, extent: u8, sets: &Sets) {
        self.cut(extent, sets);
        let mut i = 0;
        while i < self.as_slice().len() {
            if self.as_slice()[i].extent & extent == 0 {
                i += 1;
                continue;
            }
            let Part { state, .. } = self.swap_remove(i);
            if state.r.is_special() {
                sets.release(state.r);
            }
        }
    }
}
