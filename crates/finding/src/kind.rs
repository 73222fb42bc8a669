//! The kinds of bugs that the runtime finds: their names, ThreadSanitizer's words for them, and what a rule says about them.

use serde::{Deserialize, Serialize};

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two accesses to the same memory, at least one a write, not both atomic, that nothing orders.
    DataRace,
    /// The same on an object's pointer to its virtual functions: it is built or torn down while another thread calls it.
    DataRaceOnVptr,
    /// One of the two accesses gave the memory back.
    UseAfterFree,
    /// One gave the memory back, the other called a virtual function.
    UseAfterFreeOnVptr,
    /// Mutexes are taken in orders that can end in a deadlock.
    LockOrderInversion,
    /// A thread locks a mutex, which is not recursive, that it holds.
    DoubleLock,
    /// A mutex that nobody holds is unlocked.
    UnlockUnlocked,
    /// A mutex is unlocked by a thread that does not hold it.
    UnlockForeign,
    /// A read-write lock is taken for reading by the thread that holds it for writing.
    ReadLockMisuse,
    /// A read-write lock held for writing is unlocked as if it were held for reading.
    ReadUnlockMisuse,
    /// A mutex is destroyed while a thread holds it.
    DestroyLocked,
    /// A mutex is used that is destroyed, or was never made.
    UseOfDestroyedMutex,
    /// A thread has ended, or the program has, and nobody has joined or detached it.
    ThreadLeak,
    /// A signal handler calls a function that may be interrupted halfway by that very signal.
    SignalUnsafeCall,
    /// A signal handler changes `errno` under the interrupted code.
    SignalErrnoSpoiled,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Kind; 15] = [
        Kind::DataRace,
        Kind::DataRaceOnVptr,
        Kind::UseAfterFree,
        Kind::UseAfterFreeOnVptr,
        Kind::LockOrderInversion,
        Kind::DoubleLock,
        Kind::UnlockUnlocked,
        Kind::UnlockForeign,
        Kind::ReadLockMisuse,
        Kind::ReadUnlockMisuse,
        Kind::DestroyLocked,
        Kind::UseOfDestroyedMutex,
        Kind::ThreadLeak,
        Kind::SignalUnsafeCall,
        Kind::SignalErrnoSpoiled,
    ];

    /// The name in JSON and SARIF.
    pub fn name(self) -> &'static str {
        match self {
            Kind::DataRace => "data-race",
            Kind::DataRaceOnVptr => "data-race-on-vptr",
            Kind::UseAfterFree => "use-after-free",
            Kind::UseAfterFreeOnVptr => "use-after-free-on-vptr",
            Kind::LockOrderInversion => "lock-order-inversion",
            Kind::DoubleLock => "double-lock",
            Kind::UnlockUnlocked => "unlock-unlocked",
            Kind::UnlockForeign => "unlock-foreign",
            Kind::ReadLockMisuse => "read-lock-misuse",
            Kind::ReadUnlockMisuse => "read-unlock-misuse",
            Kind::DestroyLocked => "destroy-locked",
            Kind::UseOfDestroyedMutex => "use-of-destroyed-mutex",
            Kind::ThreadLeak => "thread-leak",
            Kind::SignalUnsafeCall => "signal-unsafe-call",
            Kind::SignalErrnoSpoiled => "signal-errno-spoiled",
        }
    }

    /// What ThreadSanitizer calls it, for the parsers of its reports.
    pub fn title(self) -> &'static str {
        match self {
            Kind::DataRace => "data race",
            Kind::DataRaceOnVptr => "data race on vptr (ctor/dtor vs virtual call)",
            Kind::UseAfterFree => "heap-use-after-free",
            Kind::UseAfterFreeOnVptr => "heap-use-after-free (virtual call vs free)",
            Kind::LockOrderInversion => "lock-order-inversion (potential deadlock)",
            Kind::DoubleLock => "double lock of a mutex",
            Kind::UnlockUnlocked | Kind::UnlockForeign => {
                "unlock of an unlocked mutex (or by a wrong thread)"
            }
            Kind::ReadLockMisuse => "read lock of a write locked mutex",
            Kind::ReadUnlockMisuse => "read unlock of a write locked mutex",
            Kind::DestroyLocked => "destroy of a locked mutex",
            Kind::UseOfDestroyedMutex => "use of an invalid mutex (e.g. uninitialized or destroyed)",
            Kind::ThreadLeak => "thread leak",
            Kind::SignalUnsafeCall => "signal-unsafe call inside of a signal",
            Kind::SignalErrnoSpoiled => "signal handler spoils errno",
        }
    }

    /// What it means and what to do about it, in a few sentences.
    pub fn explanation(self) -> &'static str {
        match self {
            Kind::DataRace => {
                "Two threads access the same memory, at least one writes, and nothing orders them: in C and C++ the behaviour is \
                 undefined. Hold one mutex around both accesses, make both atomic, or let one thread wait for the other."
            }
            Kind::DataRaceOnVptr => {
                "One thread constructs or destroys an object while another calls its virtual functions: the call may reach the wrong \
                 class. Let the other thread finish before the object is destroyed, for example by joining it before the destructor."
            }
            Kind::UseAfterFree => {
                "One thread frees memory that another accesses, and nothing orders them: the access may hit memory that belongs to \
                 somebody else. Free it only after the other thread is known to be done with it."
            }
            Kind::UseAfterFreeOnVptr => {
                "One thread frees an object while another calls its virtual functions, and nothing orders them. Free it only after the \
                 other thread is known to be done with it."
            }
            Kind::LockOrderInversion => {
                "Threads take the same mutexes in different orders: if each gets its first one, all wait forever. Take them in one \
                 order everywhere, or both at once (std::scoped_lock)."
            }
            Kind::DoubleLock => {
                "A thread locks a mutex that it holds already. The mutex is not recursive: the thread waits for itself forever."
            }
            Kind::UnlockUnlocked => "A mutex is unlocked that no thread holds.",
            Kind::UnlockForeign => {
                "A thread unlocks a mutex that another thread holds, whose critical section is then open to everyone."
            }
            Kind::ReadLockMisuse => {
                "A thread that holds a read-write lock for writing takes it for reading: the behaviour is undefined."
            }
            Kind::ReadUnlockMisuse => {
                "A read-write lock held for writing is given back as if it were held for reading."
            }
            Kind::DestroyLocked => {
                "A mutex is destroyed while a thread holds it; its unlock will touch a dead mutex."
            }
            Kind::UseOfDestroyedMutex => {
                "A mutex is used after it was destroyed, or without ever having been initialised."
            }
            Kind::ThreadLeak => {
                "A thread was neither joined nor detached: its stack and its result are never given back."
            }
            Kind::SignalUnsafeCall => {
                "A signal handler calls a function that is not async-signal-safe: if the signal interrupts that function, it finds its \
                 data half changed, or deadlocks."
            }
            Kind::SignalErrnoSpoiled => {
                "A signal handler changes errno: the interrupted code may take it for its own. Save and restore it in the handler."
            }
        }
    }

    /// Is it about two accesses to memory?
    pub fn is_race(self) -> bool {
        matches!(self, Kind::DataRace | Kind::DataRaceOnVptr | Kind::UseAfterFree | Kind::UseAfterFreeOnVptr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;
    use std::collections::BTreeSet;

    #[test]
    fn one_name_each_and_the_same_in_json() {
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
        assert_eq!(Kind::ALL.iter().collect::<BTreeSet<_>>().len(), Kind::ALL.len());
    }
}
