//! The sentence that says which ordering was missing between two accesses that race.

use crate::{Access, AccessMode, Hold, MutexId, ThreadId};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Why the earlier access does not happen before the later one. Let `u` be the earlier thread and `t` the later one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Missing {
    /// `t` knows nothing of `u`, not even through other threads.
    NeverMet,
    /// `u` has not released anything since its access.
    NotReleased,
    /// `u` has released since, but nothing that `t` acquired.
    NotAcquired,
    /// `u` created `t`, directly or not, before its access, and that is all `t` knows of `u`.
    SinceCreation,
    /// `t` created `u`, directly or not, and has not waited for it.
    NotJoined,
    /// `t` slept: time passed, but sleep orders nothing.
    OnlySleep,
    /// The clocks say no more than that nothing orders them.
    Unknown,
}

/// Which ordering was missing, and what the mutexes held and the modes of the accesses say about it.
pub fn why(prior: &Access, current: &Access, missing: Missing) -> String {
    let (u, t) = (name(prior.thread), name(current.thread));
    let (earlier, later) = (prior.mode.noun(), current.mode.noun());
    let mut out = format!("Nothing orders {u}'s {earlier} before {t}'s {later}");
    let reason = match missing {
        Missing::NeverMet => format!("{t} has never synchronised with {u}, not even through other threads"),
        Missing::NotReleased => format!("{u} has released nothing since"),
        Missing::NotAcquired => format!("{t} has acquired nothing that {u} released since"),
        Missing::SinceCreation => {
            format!("{u} made it after {t} was created, and {t} has acquired nothing from it since")
        }
        Missing::NotJoined => format!("{t} has not joined {u}, nor acquired anything that it released since"),
        Missing::OnlySleep => format!("{t} only slept in between, and sleep orders nothing"),
        Missing::Unknown => String::new(),
    };
    if !reason.is_empty() {
        out.push_str(": ");
        out.push_str(&reason);
    }
    out.push('.');
    for remark in [mutexes(prior, current), modes(prior, current)].into_iter().flatten() {
        out.push(' ');
        out.push_str(&remark);
    }
    out
}

/// What the mutexes held say: none in common, or only for reading.
fn mutexes(prior: &Access, current: &Access) -> Option<String> {
    let (u, t) = (name(prior.thread), name(current.thread));
    let common = prior.held.iter().find(|a| current.held.iter().any(|b| a.mutex == b.mutex));
    if let Some(held) = common {
        let reads = |access: &Access| {
            access.held.iter().filter(|h| h.mutex == held.mutex).all(|h| h.hold == Hold::Read)
        };
        let both_read = reads(prior) && reads(current);
        return both_read.then(|| format!("Both held {}, but only for reading.", held.mutex));
    }
    match (prior.held.is_empty(), current.held.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("Only {u} held a mutex ({}).", list(prior))),
        (true, false) => Some(format!("Only {t} held a mutex ({}).", list(current))),
        (false, false) => {
            let (prior, current) = (list(prior), list(current));
            Some(format!("They held different mutexes: {u} {prior}, {t} {current}."))
        }
    }
}

/// What the modes say: one atomic access does not make the other safe.
fn modes(prior: &Access, current: &Access) -> Option<String> {
    let (earlier, later) = (prior.mode, current.mode);
    let (atomic, plain) = match (earlier.atomic(), later.atomic()) {
        (true, false) => (prior, current),
        (false, true) => (current, prior),
        _ => return None,
    };
    if plain.mode == AccessMode::Free {
        return None;
    }
    let (atomic, plain) = (name(atomic.thread), name(plain.thread));
    Some(format!("Only {atomic}'s access is atomic, {plain}'s is not: both would have to be."))
}

/// The thread within a sentence.
fn name(thread: ThreadId) -> String {
    match thread {
        ThreadId::MAIN => "the main thread".into(),
        other => format!("{other}"),
    }
}

fn list(access: &Access) -> String {
    let mut seen: Vec<MutexId> = Vec::new();
    let mut out = String::new();
    for held in &access.held {
        if seen.contains(&held.mutex) {
            continue;
        }
        seen.push(held.mutex);
        if !out.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&format!("{}", held.mutex));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::access;
    use crate::{AccessMode, Held};
    use expect_test::{Expect, expect};

    fn check(missing: Missing, expected: Expect) {
        let (prior, current) = (access(AccessMode::Write, 1), access(AccessMode::Read, 0));
        expected.assert_eq(&why(&prior, &current, missing));
    }

    #[test]
    fn reasons() {
        check(
            Missing::NeverMet,
            expect![
                "Nothing orders thread T1's write before the main thread's read: the main thread has never synchronised with thread T1, not even through other threads."
            ],
        );
        check(
            Missing::NotReleased,
            expect![
                "Nothing orders thread T1's write before the main thread's read: thread T1 has released nothing since."
            ],
        );
        check(
            Missing::NotAcquired,
            expect![
                "Nothing orders thread T1's write before the main thread's read: the main thread has acquired nothing that thread T1 released since."
            ],
        );
        check(
            Missing::SinceCreation,
            expect![
                "Nothing orders thread T1's write before the main thread's read: thread T1 made it after the main thread was created, and the main thread has acquired nothing from it since."
            ],
        );
        check(
            Missing::NotJoined,
            expect![
                "Nothing orders thread T1's write before the main thread's read: the main thread has not joined thread T1, nor acquired anything that it released since."
            ],
        );
        check(
            Missing::OnlySleep,
            expect![
                "Nothing orders thread T1's write before the main thread's read: the main thread only slept in between, and sleep orders nothing."
            ],
        );
        check(Missing::Unknown, expect!["Nothing orders thread T1's write before the main thread's read."]);
    }

    fn remark(prior: &[Held], current: &[Held]) -> Option<String> {
        let (mut u, mut t) = (access(AccessMode::Write, 1), access(AccessMode::Read, 0));
        (u.held, t.held) = (prior.into(), current.into());
        mutexes(&u, &t)
    }

    #[test]
    fn what_mutexes_say() {
        let write = |n| Held { mutex: MutexId(n), hold: Hold::Write };
        let read = |n| Held { mutex: MutexId(n), hold: Hold::Read };
        assert_eq!(remark(&[], &[]), None);
        assert_eq!(remark(&[write(1)], &[write(1)]), None);
        assert_eq!(remark(&[write(0), write(2)], &[]).unwrap(), "Only thread T1 held a mutex (M0, M2).");
        assert_eq!(remark(&[], &[read(3)]).unwrap(), "Only the main thread held a mutex (M3).");
        assert_eq!(
            remark(&[write(1)], &[write(2), write(2)]).unwrap(),
            "They held different mutexes: thread T1 M1, the main thread M2."
        );
        assert_eq!(remark(&[read(1)], &[read(1)]).unwrap(), "Both held M1, but only for reading.");
    }

    #[test]
    fn what_modes_say() {
        let atomic = access(AccessMode::AtomicWrite, 1);
        assert_eq!(
            modes(&atomic, &access(AccessMode::Read, 2)).unwrap(),
            "Only thread T1's access is atomic, thread T2's is not: both would have to be."
        );
        assert_eq!(modes(&atomic, &atomic), None);
        assert_eq!(modes(&atomic, &access(AccessMode::Free, 0)), None);
    }
}
