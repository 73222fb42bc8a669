//! The process: who it is, its limits, its signals, its end.

use super::arch::{number, syscall};
use super::{Errno, check};
use core::ffi::{CStr, c_char};

/// The process's number.
pub fn getpid() -> i32 {
    // SAFETY: touches no memory, and always succeeds.
    unsafe { syscall(number::GETPID, [0; 6]) as i32 }
}

/// The calling thread's number in the kernel.
pub fn gettid() -> i32 {
    // SAFETY: touches no memory, and always succeeds.
    unsafe { syscall(number::GETTID, [0; 6]) as i32 }
}

/// Ends the process and all its threads at once, without running anything at exit.
pub fn exit_group(status: i32) -> ! {
    loop {
        // SAFETY: ends the process; nothing runs afterwards.
        unsafe { syscall(number::EXIT_GROUP, [status as usize, 0, 0, 0, 0, 0]) };
    }
}

/// Sends a signal to a process (or a group: the kernel's negative numbers).
pub fn kill(process: i32, signal: i32) -> Result<(), Errno> {
    // SAFETY: touches no memory of ours.
    check(unsafe { syscall(number::KILL, [process as usize, signal as usize, 0, 0, 0, 0]) }).map(drop)
}

/// Sends a signal to a thread of a process.
pub fn tgkill(process: i32, thread: i32, signal: i32) -> Result<(), Errno> {
    let arguments = [process as usize, thread as usize, signal as usize, 0, 0, 0];
    // SAFETY: touches no memory of ours.
    check(unsafe { syscall(number::TGKILL, arguments) }).map(drop)
}

/// Sends a signal to the calling thread once more, with all that is known of it.
///
/// # Safety
/// `info` must be what the kernel passed to a handler.
pub unsafe fn requeue_signal(signal: i32, info: *const u8) -> Result<(), Errno> {
    let arguments = [getpid() as usize, gettid() as usize, signal as usize, info as usize, 0, 0];
    // SAFETY: the kernel reads the caller's information.
    check(unsafe { syscall(number::RT_TGSIGQUEUEINFO, arguments) }).map(drop)
}

/// Replaces the program of this process; returns only if that fails.
///
/// # Safety
/// `arguments` and `environment` must be arrays of strings that end in a null pointer.
pub unsafe fn execve(
    path: &CStr,
    arguments: *const *const c_char,
    environment: *const *const c_char,
) -> Errno {
    let all = [path.as_ptr() as usize, arguments as usize, environment as usize, 0, 0, 0];
    // SAFETY: the caller's promise; the path ends in a zero byte.
    match check(unsafe { syscall(number::EXECVE, all) }) {
        Err(errno) => errno,
        Ok(_) => Errno::EINVAL,
    }
}

/// A limit on what the process may use: what holds now, and how far it may be raised.
#[repr(C)]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RLimit {
    /// What holds now.
    pub current: u64,
    /// How far the process may raise it.
    pub maximum: u64,
}

impl RLimit {
    /// No limit.
    pub const INFINITY: u64 = u64::MAX;
}

/// What a limit limits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Resource {
    /// Writable private memory (`ulimit -d`).
    Data = 2,
    /// The stack of the main thread (`ulimit -s`).
    Stack = 3,
    /// The length of core files (`ulimit -c`).
    Core = 4,
    /// Open files (`ulimit -n`).
    Files = 7,
    /// Address space (`ulimit -v`).
    AddressSpace = 9,
}

/// The limit of this process, set to `new` if that is given; returns what it was.
pub fn prlimit(resource: Resource, new: Option<RLimit>) -> Result<RLimit, Errno> {
    let mut old = RLimit { current: 0, maximum: 0 };
    let new = new.as_ref().map_or(core::ptr::null(), |limit| limit as *const RLimit);
    // SAFETY: the kernel reads `new` and writes `old`; 0 means this process.
    check(unsafe {
        syscall(number::PRLIMIT64, [0, resource as usize, new as usize, &raw mut old as usize, 0, 0])
    })?;
    Ok(old)
}

/// The limit of this process.
pub fn getrlimit(resource: Resource) -> Result<RLimit, Errno> {
    prlimit(resource, None)
}

/// The bit of [`personality`] that puts everything at the same address in every run.
pub const ADDR_NO_RANDOMIZE: u32 = 0x0004_0000;

/// Sets how the kernel treats the process and returns how it did; `None` only asks.
pub fn personality(new: Option<u32>) -> Result<u32, Errno> {
    let new = new.unwrap_or(u32::MAX);
    // SAFETY: touches no memory.
    check(unsafe { syscall(number::PERSONALITY, [new as usize, 0, 0, 0, 0, 0]) }).map(|old| old as u32)
}

/// A set of signals: bit `n - 1` is signal `n`.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SignalSet(pub u64);

impl SignalSet {
    /// Every signal.
    pub const ALL: SignalSet = SignalSet(u64::MAX);
    /// None.
    pub const EMPTY: SignalSet = SignalSet(0);

    /// Whether the signal is in the set.
    pub const fn contains(self, signal: i32) -> bool {
        signal >= 1 && signal <= 64 && self.0 & (1 << (signal - 1)) != 0
    }

    /// The set with the signal (1 to 64) in it.
    pub const fn with(self, signal: i32) -> SignalSet {
        SignalSet(self.0 | 1 << (signal - 1))
    }

    /// The set without the signal (1 to 64).
    pub const fn without(self, signal: i32) -> SignalSet {
        SignalSet(self.0 & !(1 << (signal - 1)))
    }
}

/// How the set of blocked signals changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MaskChange {
    /// These too.
    Block = 0,
    /// These no longer.
    Unblock = 1,
    /// Exactly these.
    Set = 2,
}

/// Every thread of the process passes a full memory barrier before this returns. False if the kernel does not know how.
pub fn barrier_in_all_threads() -> bool {
    const PRIVATE_EXPEDITED: usize = 1 << 3;
    const REGISTER_PRIVATE_EXPEDITED: usize = 1 << 4;
    [REGISTER_PRIVATE_EXPEDITED, PRIVATE_EXPEDITED].into_iter().all(|command| {
        // SAFETY: touches no memory.
        check(unsafe { syscall(number::MEMBARRIER, [command, 0, 0, 0, 0, 0]) }).is_ok()
    })
}

/// Changes which signals the calling thread holds back, and returns which it held back before.
pub fn change_signal_mask(change: MaskChange, set: SignalSet) -> SignalSet {
    let mut old = SignalSet::EMPTY;
    let arguments =
        [change as usize, &raw const set as usize, &raw mut old as usize, size_of::<SignalSet>(), 0, 0];
    // SAFETY: the kernel reads `set` and writes `old`; with a right size and right addresses it cannot fail.
    unsafe { syscall(number::RT_SIGPROCMASK, arguments) };
    old
}

/// Holds back every signal that can be; [`change_signal_mask`] with [`MaskChange::Set`] and the result undoes it.
pub fn block_all_signals() -> SignalSet {
    change_signal_mask(MaskChange::Set, SignalSet::ALL)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_knows_its_number() {
        assert_eq!(getpid() as u32, std::process::id());
        assert_ne!(std::thread::spawn(gettid).join().unwrap(), gettid());
        assert_eq!(kill(getpid(), 0), Ok(()));
        assert_eq!(tgkill(getpid(), gettid(), 0), Ok(()));
    }

    #[test]
    fn limits_and_personality_can_be_read() {
        let limit = getrlimit(Resource::Files).unwrap();
        assert!(limit.current > 0 && limit.current <= limit.maximum);
        assert_eq!(prlimit(Resource::Files, Some(limit)), Ok(limit));
        personality(None).unwrap();
    }

    #[test]
    fn a_blocked_signal_waits() {
        const SIGKILL: i32 = 9;
        const SIGUSR1: i32 = 10;
        let before = block_all_signals();
        let during = change_signal_mask(MaskChange::Set, before);
        assert!(during.contains(SIGUSR1) && !during.contains(SIGKILL));
        assert_eq!(change_signal_mask(MaskChange::Block, SignalSet::EMPTY), before);
        assert!(!SignalSet::ALL.without(SIGUSR1).contains(SIGUSR1));
        assert_eq!(SignalSet::EMPTY.with(SIGUSR1).without(SIGUSR1), SignalSet::EMPTY);
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_run() {
        let none = [core::ptr::null()];
        // SAFETY: both arrays end in a null pointer.
        let errno = unsafe { execve(c"/no/such/program", none.as_ptr(), none.as_ptr()) };
        assert_eq!(errno, Errno::ENOENT);
    }
}
