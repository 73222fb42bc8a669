//! Live blocks of memory: what may be freed.
//!
//! Memory that is handed out while it seems to be in use was freed unseen: logs miss frees (`realloc`, `munmap`, libraries). That is
//! no violation, because nothing hangs on it: an alloc starts a new history whether the free was seen or not.

use super::Rule;
use crate::Span;
use std::collections::BTreeMap;

/// Sizes of the live blocks by their first byte; no two overlap.
#[derive(Clone, Default)]
pub(super) struct Blocks(BTreeMap<u64, u64>);

/// The last byte of a block. An empty one still has an address of its own, as `malloc(0)` has.
fn last(addr: u64, size: u64) -> u64 {
    addr.saturating_add(size.saturating_sub(1))
}

impl Blocks {
    /// The live blocks that share a byte with this one, from the top.
    fn overlapping(&self, span: Span) -> impl Iterator<Item = Span> {
        let blocks = self.0.range(..=last(span.addr.0, span.size)).rev();
        let reaching = blocks.take_while(move |&(&addr, &size)| last(addr, size) >= span.addr.0);
        reaching.map(|(&addr, &size)| Span::new(addr, size))
    }

    pub(super) fn check_free(&self, span: Span) -> Result<(), Rule> {
        match self.0.get(&span.addr.0) {
            Some(&size) if size == span.size => Ok(()),
            _ => Err(Rule::NotAllocated { span }),
        }
    }

    pub(super) fn record_alloc(&mut self, span: Span) {
        let gone: Vec<Span> = self.overlapping(span).collect();
        gone.into_iter().for_each(|block| self.record_free(block));
        self.0.insert(span.addr.0, span.size);
    }

    pub(super) fn record_free(&mut self, span: Span) {
        self.0.remove(&span.addr.0);
    }
}
