//! All interleavings of small programs, weak memory included, give what some serial order of the same operations gives: checked by loom.
//!
//! `RUSTFLAGS="--cfg loom" cargo test -p deadheat-online --release --test loom`
//!
//! Bounds: two or three threads, two variables and a lock, two preemptions (three where noted).
#![cfg(loom)]

mod common;
mod interleavings;

use common::Variant;
use deadheat_online::mutants::{self, Mutant};
use interleavings::Op::{Acq, R, Rel, W};
use interleavings::{Program, X, Y, check};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A write against a read and a write: all races are found in either order.
fn writes() -> Program {
    Program { threads: vec![vec![W(X)], vec![R(X), W(X)]], ..Program::default() }
}

/// R grows from nothing to a set of three.
fn readers() -> Program {
    Program {
        threads: vec![vec![R(X)], vec![R(X)], vec![R(X)]],
        after: vec![W(X)],
        ..Program::default()
    }
}

/// Reads in the same epoch beside reads that change the set.
fn same_epochs() -> Program {
    Program {
        setup: vec![(0, R(X)), (1, R(X))],
        threads: vec![vec![R(X)], vec![], vec![R(X), R(X)]],
        ..Program::default()
    }
}

/// The lock orders everything: no race in any interleaving.
fn locked() -> Program {
    Program {
        threads: vec![vec![Acq, W(X), Rel], vec![Acq, R(X), W(X), Rel]],
        after: vec![R(X)],
        ..Program::default()
    }
}

/// A new epoch in either thread: sets held once are changed in place while the other thread looks at its own entry.
fn in_place() -> Program {
    Program {
        setup: vec![(0, R(X)), (1, R(X))],
        threads: vec![vec![Acq, Rel, R(X)], vec![R(X), Acq, Rel, R(X)]],
        after: vec![W(X)],
        ..Program::default()
    }
}

/// One set for two variables; either variable then gets one of its own.
fn shared_set() -> Program {
    Program {
        setup: vec![(0, R(X)), (0, R(Y)), (1, R(X)), (1, R(Y))],
        threads: vec![vec![Acq, Rel, R(X)], vec![Acq, Rel, R(Y)]],
        after: vec![W(X), W(Y)],
        ..Program::default()
    }
}

/// Two threads make the same sets for two variables at once, through what they remember of sets made lately.
fn sharing() -> Program {
    Program {
        setup: vec![(0, R(X)), (0, R(Y))],
        threads: vec![vec![], vec![R(X), R(Y)], vec![R(X), R(Y)]],
        ..Program::default()
    }
}

/// Thread 1 looks for itself in the set of X, which meanwhile is recycled for Y, where thread 1 did read in this epoch.
fn recycled() -> Program {
    Program {
        setup: vec![(0, R(X)), (2, R(X)), (0, R(Y)), (1, R(Y))],
        threads: vec![vec![], vec![R(X)], vec![], vec![R(X), R(Y)]],
        after: vec![W(X)],
        ..Program::default()
    }
}

/// A write forgets a set (FastTrack) that others are about to use or to make again.
fn forgotten() -> Program {
    Program {
        setup: vec![(1, R(X)), (2, R(X))],
        threads: vec![vec![W(X)], vec![R(X), R(Y)], vec![R(Y)]],
        ..Program::default()
    }
}

const ALL: [fn() -> Program; 9] =
    [recycled, in_place, shared_set, writes, locked, readers, same_epochs, sharing, forgotten];

fn check_all_variants(program: fn() -> Program, preemptions: usize) {
    for variant in Variant::ALL {
        check(variant, &program(), preemptions);
    }
}

#[test]
fn a_write_and_a_read() {
    check_all_variants(writes, 3);
}

#[test]
fn three_readers() {
    check_all_variants(readers, 2);
}

#[test]
fn the_same_epoch() {
    check_all_variants(same_epochs, 2);
}

#[test]
fn a_lock_orders_all() {
    check_all_variants(locked, 3);
}

#[test]
fn a_set_changed_in_place() {
    check_all_variants(in_place, 2);
}

#[test]
fn a_set_of_two_variables() {
    check_all_variants(shared_set, 2);
}

#[test]
fn the_same_set_made_twice() {
    check_all_variants(sharing, 2);
}

#[test]
fn a_set_recycled() {
    check_all_variants(recycled, 3);
}

#[test]
fn a_set_forgotten() {
    check_all_variants(forgotten, 2);
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

/// Every ordering in the crate is needed: each one weakened is found by some program.
#[test]
fn every_weaker_ordering_is_caught() {
    let variants = [Variant::V2, Variant::FtMutex];
    let each = || ALL.iter().flat_map(move |program| variants.map(|v| (v, program())));
    each().for_each(|(variant, program)| check(variant, &program, 0));
    interleavings::check_split(Variant::V2, 0);
    let mutants = mutants::all();
    assert!(mutants.len() > 8, "too few places: {mutants:?}");
    let survivors: Vec<Mutant> = mutants
        .into_iter()
        .filter(|m| {
            let split = [|| interleavings::check_split(Variant::V2, 2)];
            !is_caught(*m, split) && !is_caught(*m, each().map(|(v, p)| move || check(v, &p, 2)))
        })
        .collect();
    assert!(survivors.is_empty(), "{survivors:#?}");
}
