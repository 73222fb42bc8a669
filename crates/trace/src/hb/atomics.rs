//! Release sequences, byte by byte, and fences: which heads an operation acquires from.

use crate::{Event, FenceOrder, Op, Span, Tid};
use std::collections::{BTreeMap, HashMap};

/// Events at whose completion edges leave: the heads of the sequences that a byte's value belongs to, or the release fences in their
/// place. Of each thread only the last, since program order brings the earlier ones along.
type Heads = BTreeMap<Tid, usize>;

/// Which thread does it, and as which event.
#[derive(Clone, Copy)]
struct Step {
    i: usize,
    tid: Tid,
}

#[derive(Default)]
pub(super) struct Atomics {
    /// The heads of each byte's sequence; a byte whose last write ended its sequence is absent.
    bytes: BTreeMap<u64, Heads>,
    threads: HashMap<Tid, Thread>,
}

#[derive(Default)]
struct Thread {
    release_fence: Option<usize>,
    /// What loads that do not acquire have read; it waits for the next acquire fence.
    pending: Heads,
}

impl Atomics {
    /// Takes any event; returns the heads from which edges arrive at it.
    pub(super) fn read(&mut self, i: usize, event: &Event) -> Vec<usize> {
        let step = Step { i, tid: event.tid };
        match event.op {
            Op::AtomicLoad(span, order) => {
                let read = self.heads(span);
                if order.acquires() { read.into_values().collect() } else { self.put_off(step, read) }
            }
            Op::AtomicStore(span, order) => {
                let head = if order.releases() { Some(i) } else { self.release_fence(step) };
                self.end(span);
                if let Some(head) = head {
                    self.join_sequence(span, step, head);
                }
                Vec::new()
            }
            Op::AtomicRmw(span, order) => {
                let read = self.heads(span);
                if order.acquires() && order.releases() {
                    // Its completion comes after all the heads that it has read from, so it can stand for them.
                    self.end(span);
                }
                let head = if order.releases() { Some(i) } else { self.release_fence(step) };
                if let Some(head) = head {
                    self.join_sequence(span, step, head);
                }
                if order.acquires() { read.into_values().collect() } else { self.put_off(step, read) }
            }
            Op::Fence(order) => self.fence(step, order),
            Op::Write(span) | Op::Free(span) | Op::Alloc(span) => {
                self.end(span);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    /// The heads of all sequences that these bytes belong to.
    fn heads(&self, span: Span) -> Heads {
        let mut all = Heads::new();
        for heads in self.bytes.range(span.addr.0..span.end()).map(|(_, heads)| heads) {
            merge(&mut all, heads);
        }
        all
    }

    fn end(&mut self, span: Span) {
        let bytes: Vec<u64> = self.bytes.range(span.addr.0..span.end()).map(|(&byte, _)| byte).collect();
        for byte in bytes {
            self.bytes.remove(&byte);
        }
    }

    fn join_sequence(&mut self, span: Span, step: Step, head: usize) {
        for byte in span.addr.0..span.end() {
            merge(self.bytes.entry(byte).or_default(), &Heads::from([(step.tid, head)]));
        }
    }

    fn release_fence(&self, step: Step) -> Option<usize> {
        self.threads.get(&step.tid)?.release_fence
    }

    fn put_off(&mut self, step: Step, read: Heads) -> Vec<usize> {
        merge(&mut self.threads.entry(step.tid).or_default().pending, &read);
        Vec::new()
    }

    fn fence(&mut self, step: Step, order: FenceOrder) -> Vec<usize> {
        let thread = self.threads.entry(step.tid).or_default();
        if order.releases() {
            thread.release_fence = Some(step.i);
        }
        if order.acquires() {
            std::mem::take(&mut thread.pending).into_values().collect()
        } else {
            Vec::new()
        }
    }
}

fn merge(into: &mut Heads, heads: &Heads) {
    for (&t, &head) in heads {
        let last = into.entry(t).or_insert(head);
        *last = head.max(*last);
    }
}
