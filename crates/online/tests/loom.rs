//! All interleavings of small programs, weak memory included, give what some serial order of the same operations gives: checked by loom.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p deadheat-online --release --test loom`
//!
//! Bounds: two or three threads, up to three variables and a lock, two preemptions or three; fewer for FastTrack where three threads meet.
#![cfg(loom)]

mod common;
mod interleavings;

use common::{Rules, Variant};
use deadheat_online::mutants::{self, Mutant};
use interleavings::Op::{Acq, R, Rel, W};
use interleavings::{Program, X, Y, Z, check};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A write against a read and a write: all races are found in either order.
fn writes() -> Program {
    Program { setup: vec![], threads: vec![vec![W(X)], vec![R(X), W(X)]], after: vec![] }
}

/// R grows from nothing to a set of three.
fn readers() -> Program {
    Program { setup: vec![], threads: vec![vec![R(X)], vec![R(X)], vec![R(X)]], after: vec![W(X)] }
}

/// Reads in the same epoch beside reads that change the set.
fn same_epochs() -> Program {
    Program {
        setup: vec![(0, R(X)), (1, R(X))],
        threads: vec![vec![R(X)], vec![], vec![R(X), R(X)]],
        after: vec![],
    }
}

/// The lock orders everything: no race in any interleaving.
fn locked() -> Program {
    Program {
        setup: vec![],
        threads: vec![vec![Acq, W(X), Rel], vec![Acq, R(X), W(X), Rel]],
        after: vec![R(X)],
    }
}

/// A new epoch in either thread: sets held once are changed in place while the other thread looks at its own entry.
fn in_place() -> Program {
    Program {
        setup: vec![(0, R(X)), (1, R(X))],
        threads: vec![vec![Acq, Rel, R(X)], vec![R(X), Acq, Rel, R(X)]],
        after: vec![W(X)],
    }
}

/// One set for two variables; either variable then gets one of its own.
fn shared_set() -> Program {
    Program {
        setup: vec![(0, R(X)), (0, R(Y)), (1, R(X)), (1, R(Y))],
        threads: vec![vec![Acq, Rel, R(X)], vec![Acq, Rel, R(Y)]],
        after: vec![W(X), W(Y)],
    }
}

/// Two threads make the same sets for two variables at once, through what they remember of sets made lately.
fn sharing() -> Program {
    Program {
        setup: vec![(0, R(X)), (0, R(Y))],
        threads: vec![vec![], vec![R(X), R(Y)], vec![R(X), R(Y)]],
        after: vec![],
    }
}

/// Thread 1 looks for itself in the set of X, which meanwhile is recycled for Y, where thread 1 did read in this epoch.
fn recycled() -> Program {
    Program {
        setup: vec![(0, R(X)), (2, R(X)), (0, R(Y)), (1, R(Y))],
        threads: vec![vec![], vec![R(X)], vec![], vec![R(X), R(Y)]],
        after: vec![W(X)],
    }
}

/// The set of Y is recycled for X. Thread 1, which read Y in this epoch but not X, finds it there.
fn published() -> Program {
    Program {
        setup: vec![(0, R(X)), (0, R(Y)), (1, R(Y))],
        threads: vec![vec![], vec![R(X)], vec![R(Y), R(X)]],
        after: vec![W(X)],
    }
}

/// Thread 0 remembers the set that it made for X and wants it for Y, while thread 1 changes it in place.
fn changed_share() -> Program {
    Program {
        setup: vec![(1, R(X)), (1, R(Y)), (0, R(X))],
        threads: vec![vec![R(Y)], vec![Acq, Rel, R(X)]],
        after: vec![W(Y)],
    }
}

/// Thread 0 remembers the set that it made for X and wants it for Z, while thread 2 recycles it for Y.
fn recycled_share() -> Program {
    Program {
        setup: vec![(1, R(X)), (1, R(Y)), (1, R(Z)), (0, R(X))],
        threads: vec![vec![R(Z)], vec![], vec![R(X), R(Y)]],
        after: vec![W(Z)],
    }
}

/// A write forgets a set (FastTrack) that others are about to use or to make again.
fn forgotten() -> Program {
    Program {
        setup: vec![(1, R(X)), (2, R(X))],
        threads: vec![vec![W(X)], vec![R(X), R(Y)], vec![R(Y)]],
        after: vec![],
    }
}

/// Thread 0 knows the reads of X and forgets them by its write; their set is recycled for Y, while thread 1 reads X again.
fn known_reads() -> Program {
    let reads = [(1, R(X)), (2, R(X)), (3, R(Y))];
    let told = [(1, Rel), (2, Acq), (2, Rel), (0, Acq)];
    Program {
        setup: [reads.as_slice(), told.as_slice()].concat(),
        threads: vec![vec![W(X), R(Y)], vec![R(X)], vec![], vec![]],
        after: vec![W(X)],
    }
}

/// The programs that find mutants fast.
const QUICK: [fn() -> Program; 6] = [recycled, published, changed_share, recycled_share, writes, in_place];

/// Checks VerifiedFT and FastTrack with so many preemptions each; FastTrack's retries make for far more interleavings.
fn check_variants(program: fn() -> Program, verifiedft: usize, fasttrack: usize) {
    for variant in Variant::ALL {
        let preemptions = if variant.rules() == Rules::FastTrack { fasttrack } else { verifiedft };
        check(variant, &program(), preemptions);
    }
}

#[test]
fn a_write_and_a_read() {
    check_variants(writes, 3, 3);
}

#[test]
fn three_readers() {
    check_variants(readers, 2, 0);
}

#[test]
fn the_same_epoch() {
    check_variants(same_epochs, 2, 2);
}

#[test]
fn a_lock_orders_all() {
    check_variants(locked, 3, 3);
}

#[test]
fn a_set_changed_in_place() {
    check_variants(in_place, 2, 2);
}

#[test]
fn a_set_of_two_variables() {
    check_variants(shared_set, 2, 2);
}

#[test]
fn the_same_set_made_twice() {
    check_variants(sharing, 2, 1);
}

#[test]
fn a_set_recycled() {
    check_variants(recycled, 3, 3);
}

#[test]
fn a_set_recycled_and_published_again() {
    check_variants(published, 3, 2);
}

#[test]
fn a_remembered_set_that_has_changed() {
    check_variants(changed_share, 3, 3);
}

#[test]
fn a_remembered_set_that_was_recycled() {
    check_variants(recycled_share, 3, 2);
}

#[test]
fn a_set_forgotten() {
    check_variants(forgotten, 2, 1);
}

#[test]
fn a_set_of_known_reads_forgotten() {
    check_variants(known_reads, 3, 2);
}

#[test]
fn a_variable_told_byte_by_byte_meanwhile() {
    Variant::ALL.into_iter().for_each(|variant| interleavings::check_split(variant, 3));
}

fn is_caught(mutant: Mutant, checks: impl IntoIterator<Item = impl FnOnce()>) -> bool {
    mutants::choose(Some(mutant));
    let caught = checks.into_iter().any(|check| catch_unwind(AssertUnwindSafe(check)).is_err());
    mutants::choose(None);
    caught
}

/// The source line that a mutant changes.
fn line(mutant: &Mutant) -> String {
    let file = format!("{}/../../{}", env!("CARGO_MANIFEST_DIR"), mutant.site.file());
    let text = std::fs::read_to_string(file).expect("the source");
    text.lines().nth(mutant.site.line() as usize - 1).unwrap_or_default().trim().to_owned()
}

/// Every ordering in the crate is needed: each one weakened is found by some program.
///
/// Except for two which keep loads from being delayed beyond a later store by somebody else: in loom a load never reads what is stored after it.
#[test]
fn every_weaker_ordering_is_caught() {
    let variants = [Variant::V2, Variant::FtMutex];
    let each = || QUICK.iter().flat_map(move |program| variants.map(|v| (v, program())));
    each().for_each(|(variant, program)| check(variant, &program, 0));
    interleavings::check_split(Variant::V2, 0);
    let mutants = mutants::all();
    let survives = |m: &Mutant| {
        let split = [|| interleavings::check_split(Variant::V2, 2)];
        !is_caught(*m, split) && !is_caught(*m, each().map(|(v, p)| move || check(v, &p, 2)))
    };
    let (missed, caught): (Vec<_>, Vec<_>) = mutants.into_iter().partition(survives);
    assert!(caught.len() >= 9, "too few places: {caught:?}");
    let beyond_loom = ["count.compare_exchange(1, 0,", "count.fetch_sub(1,"];
    for mutant in missed {
        let line = line(&mutant);
        assert!(beyond_loom.iter().any(|l| line.contains(l)), "{:?} is enough in: {line}", mutant.order);
    }
}

/// What W points to, read after a relaxed load of W, is found to be missing, and only because loads and stores are made visible to loom. (In v2 the swap that fails makes loom look.)
#[test]
fn a_relaxed_pointer_is_caught_if_accesses_are_visible() {
    let check = || interleavings::check_split(Variant::V1_5, 2);
    check();
    let relaxed = mutants::all().into_iter().find(|m| line(m) == "Word(self.w.load(Ordering::Acquire))");
    let relaxed = relaxed.expect("W is loaded by an acquire");
    assert!(is_caught(relaxed, [check]));
    mutants::set_blind(true);
    assert!(
        !is_caught(relaxed, [check]),
        "loom sees it by itself now: `sync` could do without the visible accesses"
    );
    mutants::set_blind(false);
}
