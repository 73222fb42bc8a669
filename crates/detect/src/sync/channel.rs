//! Channels as two queues of knowledge, after *Ready, Set, Go!* Figure 4.
//!
//! `c_f`, the forward queue, carries what senders knew to receivers: rule (1), the i-th send happens before the i-th receive
//! completes. `c_b`, the backward queue, carries what receivers knew to the senders that take the freed slots: rule (2), the
//! i-th receive happens before the (i+k)-th send completes. What travels is always the knowledge from *before* the
//! operation learned anything, so that sends do not order sends nor receives order receives.
//!
//! Deviations, each pinned by a test: the k dummies that `R-Make` puts into `c_b` are a counter; values are left out.

use super::ThreadState;
use crate::rule::Rule;
use deadheat_clock::{Knowledge, Tid};
use std::collections::VecDeque;

/// `c_f` and `c_b`, and the halves of a rendezvous that wait for theirs.
#[derive(Clone, Default)]
pub(super) struct Channel<K> {
    capacity: u32,
    /// How many of `c_b`'s dummies are left; they stand before all real entries.
    untouched: u32,
    forward: VecDeque<K>,
    backward: VecDeque<K>,
    /// `(⊥, E)` at the end of `c_f`: what the closing thread knew.
    closed: Option<K>,
    /// On an unbuffered channel: threads blocked in a send, or in a receive, never both.
    blocked: VecDeque<(Tid, Half)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Half {
    Send,
    Receive,
}

impl<K: Knowledge> Channel<K> {
    // [R-Make] k dummies in c_b.
    pub(super) fn make(&mut self, capacity: u32) {
        *self = Channel { capacity, untouched: capacity, ..Channel::default() };
    }

    // [R-Send] take E'' from c_b, put E into c_f, go on with E ⊔ E''.
    pub(super) fn send(&mut self, t: Tid, threads: &mut [ThreadState<K>]) -> Rule {
        if self.capacity == 0 {
            return self.meet(t, Half::Send, threads);
        }
        let thread = &mut threads[t.index()];
        let mut message = K::default();
        thread.publish(&mut message);
        self.forward.push_back(message);
        if self.untouched > 0 {
            self.untouched -= 1;
        } else if let Some(slot) = self.backward.pop_front() {
            thread.learn(&slot);
        }
        Rule::RSend
    }

    // [R-Rec] take E'' from c_f, put E into c_b, go on with E ⊔ E''.
    pub(super) fn receive(&mut self, t: Tid, threads: &mut [ThreadState<K>]) -> Rule {
        if self.capacity == 0 {
            return self.meet(t, Half::Receive, threads);
        }
        let thread = &mut threads[t.index()];
        // Nobody fills a channel of unknown capacity: its freed slots would pile up unread.
        if self.capacity < u32::MAX {
            let mut slot = K::default();
            thread.publish(&mut slot);
            self.backward.push_back(slot);
        }
        if let Some(message) = self.forward.pop_front() {
            thread.learn(&message);
        }
        Rule::RRec
    }

    // [R-Rend] both go on with E_1 ⊔ E_2. The half that comes first waits; the second completes both.
    fn meet(&mut self, t: Tid, half: Half, threads: &mut [ThreadState<K>]) -> Rule {
        if self.blocked.front().is_none_or(|&(_, waiting)| waiting == half) {
            self.blocked.push_back((t, half));
            return Rule::RRend;
        }
        let Some((partner, _)) = self.blocked.pop_front() else { return Rule::RRend };
        if let Ok([mine, theirs]) = threads.get_disjoint_mut([t.index(), partner.index()]) {
            mine.learn(&theirs.knowledge);
            theirs.knowledge.assign(&mine.knowledge);
            mine.advance();
            theirs.advance();
        }
        Rule::RRend
    }

    // [R-Close] put (⊥, E) into c_f, where it stays.
    pub(super) fn close(&mut self, thread: &mut ThreadState<K>) -> Rule {
        thread.publish(self.closed.get_or_insert_default());
        Rule::RClose
    }

    // [R-Rec-⊥] go on with E ⊔ E'', and leave (⊥, E'') for the next.
    pub(super) fn receive_closed(&mut self, thread: &mut ThreadState<K>) -> Rule {
        if let Some(closed) = &self.closed {
            thread.learn(closed);
        }
        Rule::RRecClosed
    }

    pub(super) fn each_knowledge(&mut self, f: &mut dyn FnMut(&mut K)) {
        self.forward.iter_mut().chain(&mut self.backward).chain(&mut self.closed).for_each(f);
    }
}
