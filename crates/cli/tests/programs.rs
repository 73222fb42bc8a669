//! Every C and C++ program of `testdata/programs`, compiled four ways, run, and judged by the verdict it carries.
//!
//! `DEADHEAT_REPEATS=20` runs each built program that often; `DEADHEAT_PROGRAM=mutex/` judges only the programs whose name
//! contains that; `DEADHEAT_JUDGE=tsan-clang` or `tsan-gcc` lets the compiler's own ThreadSanitizer run the corpus, which
//! then has to be right but where a program says that it is known to be wrong. `DEADHEAT_CLANG=15` or `DEADHEAT_GCC=12`
//! judges with that version only, in place of the newest of both.

#[path = "programs/build.rs"]
mod build;
#[path = "programs/corpus.rs"]
mod corpus;
#[path = "programs/judge.rs"]
mod judge;
#[path = "programs/program.rs"]
mod program;
#[path = "programs/report.rs"]
mod report;
#[path = "programs/run.rs"]
mod run;

use std::collections::BTreeSet;

/// One test for each folder of the corpus.
macro_rules! themes {
    ($($theme:ident)*) => {
        /// The folders that have a test.
        const THEMES: &[&str] = &[$(stringify!($theme)),*];
        $(
            #[test]
            fn $theme() {
                corpus::judge_theme(stringify!($theme));
            }
        )*
    };
}

themes! {
    annotations
    atomics
    barrier
    c11
    channels
    cond
    cxx
    deadlock
    fences
    fibers
    library
    memory
    misuse
    mutex
    once
    plugins
    process
    rwlock
    semaphore
    signals
    spin
    strings
    threads
}

/// A sample of the corpus built with `--elide`, at every level; `DEADHEAT_ELIDED=1` takes every program (`cargo xtask elide`).
#[test]
fn elided() {
    let every = std::env::var("DEADHEAT_ELIDED")
        .map_or(23, |text| text.parse().expect("DEADHEAT_ELIDED is a number"));
    corpus::judge_elided(THEMES, every);
}

#[test]
fn every_folder_has_a_test_and_every_program_a_verdict() {
    let folders: BTreeSet<String> = corpus::folders().into_iter().collect();
    let tested: BTreeSet<String> = THEMES.iter().map(|theme| theme.to_string()).collect();
    assert_eq!(folders, tested);
    let programs: Vec<_> = THEMES.iter().flat_map(|theme| corpus::programs(theme)).collect();
    let racy = programs.iter().filter(|program| program.verdict.is_bug()).count();
    assert!(programs.len() >= 170, "only {} programs", programs.len());
    assert!(racy * 3 >= programs.len(), "only {racy} of {} programs have a bug", programs.len());
}
