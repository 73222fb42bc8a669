//! Our own solver against Z3 on the programs of the language: where the verdicts differ, ours keeps a check that Z3 does without. `cargo xtask test` installs `z3`.
#![allow(missing_docs)]

mod common;

use common::{subject, with_proxies};
use deadheat_lang_redcard::elide;
use deadheat_redcard::solver::{Builtin, Z3};
use deadheat_redcard::{Config, Mode};
use std::path::{Path, PathBuf};

/// Every program of the language in a folder, and in those within it.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries =
        std::fs::read_dir(folder).expect("the folder is there").map(|entry| entry.expect("an entry").path());
    let (folders, mut files): (Vec<PathBuf>, Vec<PathBuf>) = entries.partition(|path| path.is_dir());
    files.retain(|path| path.extension().is_some_and(|e| e == "heat"));
    files.extend(folders.iter().flat_map(|folder| programs(folder)));
    files.sort();
    files
}

/// How many accesses go unchecked with our solver, and with Z3.
fn compare(name: &str, text: &str, config: Config) -> (usize, usize) {
    let subject = subject(text);
    let ours = elide(&subject, config, &mut Builtin::default()).unchecked;
    let theirs =
        elide(&subject, config, &mut Z3::start().expect("z3 is there: `cargo xtask test` installs it"))
            .unchecked;
    assert_eq!(ours.len(), theirs.len());
    let only_ours: Vec<usize> = (0..ours.len()).filter(|place| ours[*place] && !theirs[*place]).collect();
    assert!(only_ours.is_empty(), "{name}: unchecked with our solver only, at {only_ours:?}");
    let count = |unchecked: &[bool]| unchecked.iter().filter(|u| **u).count();
    (count(&ours), count(&theirs))
}

#[test]
fn ours_keeps_every_check_that_z3_keeps() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lang");
    let all = programs(&root);
    assert!(all.len() > 40, "only {} programs", all.len());
    let configs = [with_proxies(), Config { mode: Mode::Intra, ..Config::default() }];
    let (mut ours, mut theirs) = (0, 0);
    for path in &all {
        let text = std::fs::read_to_string(path).expect("a program");
        for config in configs {
            let found = compare(&path.display().to_string(), &text, config);
            ours += found.0;
            theirs += found.1;
        }
    }
    println!("{} programs: {ours} unchecked with our solver, {theirs} with z3", all.len());
    assert!(ours > 400, "hardly a redundant check: {ours}");
}
