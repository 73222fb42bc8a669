//! `docs/rules.md` is complete and true: every rule of the detectors has its row, and what a row names exists.

mod pages;

use pages::{names, read, sources};
use std::collections::BTreeSet;

fn rows() -> Vec<Vec<String>> {
    pages::rows("docs/rules.md")
}

/// `Name = "name",` in the macro that makes the rules of `detect`: the counter and what it is called.
fn counters() -> Vec<(String, String)> {
    let source = read("crates/detect/src/rule.rs");
    let entries = source.lines().filter_map(|line| line.trim().strip_suffix("\",")?.split_once(" = \""));
    entries.map(|(counter, name)| (counter.to_owned(), name.to_owned())).collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').collect()
}

#[test]
fn every_rule_has_its_row() {
    let rows: Vec<(String, String)> =
        rows().into_iter().map(|row| (row[3].trim_matches('`').to_owned(), row[0].clone())).collect();
    let counters = counters();
    assert!(counters.len() > 40, "the rules were not found in their source");
    assert_eq!(rows, counters, "docs/rules.md and crates/detect/src/rule.rs, in order");
    let source = read("crates/online/src/rules.rs");
    let online = source.lines().filter_map(|line| line.trim().strip_suffix("\",")?.split_once(" => \""));
    for (_, name) in online {
        assert!(rows.iter().any(|(_, rule)| rule == name), "the online rule {name} has no row");
    }
}

#[test]
fn every_function_and_test_exists() {
    for row in rows() {
        for place in names(&row[2]).chain(names(&row[6])) {
            let (file, function) = place.split_once("::").expect("file::function");
            let found = read(file).contains(&format!("fn {function}"));
            assert!(found, "{}: there is no {function} in {file}", row[0]);
        }
        assert!(
            names(&row[2]).next().is_some() && names(&row[6]).next().is_some(),
            "{}: no place or no test",
            row[0]
        );
    }
}

#[test]
fn every_name_of_the_proofs_exists() {
    for (column, text) in [(4, sources("proofs/coq", "v")), (5, sources("proofs/civl", "bpl"))] {
        let words = words(&text);
        for row in rows() {
            let cell = &row[column];
            assert!(cell == "–" || names(cell).next().is_some(), "{}: neither a name nor a dash", row[0]);
            for name in names(cell) {
                assert!(words.contains(name), "{}: the proofs have no {name}", row[0]);
            }
        }
    }
}
