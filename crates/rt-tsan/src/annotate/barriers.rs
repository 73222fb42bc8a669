//! The barriers of ThreadSanitizer's own tests, which order threads in time and must not be seen to order anything else.

use crate::entries;
use core::ffi::c_uint;
use core::sync::atomic::{AtomicU32, Ordering};
use deadheat_rt::os;

/// A barrier in eight bytes of the program: how many make a round, and how many have ever arrived.
#[repr(C)]
struct Barrier {
    parties: u32,
    arrived: AtomicU32,
}

entries! {
    fn __tsan_testonly_barrier_init(pc; barrier: *mut Barrier, parties: c_uint) {
        // SAFETY: the program's eight bytes.
        unsafe { *barrier = Barrier { parties: parties.max(1), arrived: AtomicU32::new(0) } };
    }

    fn __tsan_testonly_barrier_wait(pc; barrier: *const Barrier) {
        // SAFETY: as above.
        let Barrier { parties, arrived } = unsafe { &*barrier };
        let before = arrived.fetch_add(1, Ordering::AcqRel);
        let (round, mut now) = (before / parties, before + 1);
        if now / parties != round {
            os::futex_wake(arrived, u32::MAX >> 1);
        }
        while now / parties == round {
            let _: Result<(), _> = os::futex_wait(arrived, now, None);
            now = arrived.load(Ordering::Acquire);
        }
    }
}
