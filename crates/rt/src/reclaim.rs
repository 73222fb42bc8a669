//! Slots that nobody will ever know more of, found by looking at all that anybody knows.
//!
//! A slot goes to a new thread only if the creator knows what the last thread in it released. A detached thread may release its last steps to a mutex that is destroyed before
//! anybody takes it: then no creator ever will know them, and the slot would wait for ever. So when no slot was fit and enough threads have ended, everything that holds knowledge is
//! looked at while nobody is in the runtime: threads, those that wait to be joined, and what is attached to addresses. What nobody knows of an ended thread's slot nobody can learn any
//! more, since knowledge comes from who has it: those accesses are orphans, as if they had never been released, and the slot can be had by whoever knows the rest.

use crate::sync::Things;
use crate::thread::Thread;
use crate::{gate, registry, slots};
use core::sync::atomic::{AtomicBool, Ordering};
use deadheat_online::Most;
use deadheat_shadow::roll;

static FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Slots are not reclaimed from now on: somebody moves cells, or learns what nobody released.
pub fn forbid() {
    FORBIDDEN.store(true, Ordering::Relaxed);
}

/// Looks for slots if it is time to. The calling thread is in the runtime, holds nothing, and is about to ask for a slot.
#[inline]
pub fn if_due(thread: &Thread) {
    if !FORBIDDEN.load(Ordering::Relaxed) && slots::is_due(&thread.state) {
        look(thread);
    }
}

#[cold]
fn look(thread: &Thread) {
    gate::shut(Some(thread));
    let mut most = Most::new();
    gate::each(|thread| thread.add_to(&mut most));
    registry::each_clock(|clock| clock.add_to(&mut most));
    // SAFETY: all details of this process have `Things` attached; nobody is in the runtime, and threads that it does not know go on.
    let all = unsafe { roll::each::<Things>(|detail| detail.attached.each_clock(|c| c.add_to(&mut most))) };
    slots::reclaim(all.then_some(&most));
    gate::open();
}
