//! Clocks and waiting.

use super::arch::{number, syscall};
use super::{Errno, check};

/// Seconds and nanoseconds, as the kernel has them.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct Timespec {
    /// Whole seconds.
    pub seconds: i64,
    /// Nanoseconds, below a thousand million.
    pub nanoseconds: i64,
}

impl Timespec {
    /// All of it in nanoseconds.
    pub fn as_nanoseconds(self) -> i128 {
        self.seconds as i128 * 1_000_000_000 + self.nanoseconds as i128
    }
}

/// One of the kernel's clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// The time of day, which may jump.
    Realtime = 0,
    /// Time since some fixed point, which never goes back.
    Monotonic = 1,
    /// What this process has used of the processors.
    ProcessCpu = 2,
}

/// What a clock shows.
pub fn clock_gettime(clock: Clock) -> Timespec {
    let mut now = Timespec::default();
    // SAFETY: the structure is the kernel's, and ours to write. The call cannot fail for the clocks named above.
    unsafe { syscall(number::CLOCK_GETTIME, [clock as usize, &raw mut now as usize, 0, 0, 0, 0]) };
    now
}

/// Waits for a time, or until a signal arrives.
pub fn nanosleep(time: Timespec) -> Result<(), Errno> {
    // SAFETY: the kernel only reads the structure.
    check(unsafe { syscall(number::NANOSLEEP, [&raw const time as usize, 0, 0, 0, 0, 0]) }).map(drop)
}

/// Lets other threads run.
pub fn sched_yield() {
    // SAFETY: touches no memory, and always succeeds.
    unsafe { syscall(number::SCHED_YIELD, [0; 6]) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_monotonic_clock_advances() {
        let before = clock_gettime(Clock::Monotonic);
        nanosleep(Timespec { seconds: 0, nanoseconds: 1000 }).unwrap();
        let after = clock_gettime(Clock::Monotonic);
        assert!(after.as_nanoseconds() >= before.as_nanoseconds() + 1000);
        sched_yield();
    }
}
