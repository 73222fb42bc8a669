//! `docs/trust.md` claims what `Assumptions.v` asks about: no more, so that nothing is called proved that is not checked, and no less.

mod pages;

use pages::{names, read, rows, sources};
use std::collections::BTreeSet;

const PAGE: &str = "docs/trust.md";

/// The theorems whose assumptions are printed and checked.
fn checked() -> BTreeSet<String> {
    let text = read("proofs/coq/Assumptions.v");
    let asked = text.lines().filter_map(|line| line.strip_prefix("Print Assumptions ")?.strip_suffix('.'));
    asked.map(str::to_owned).collect()
}

/// What is stated with a proof in that Coq text.
fn theorems(text: &str) -> BTreeSet<&str> {
    let kinds = ["Theorem ", "Lemma ", "Corollary ", "Example "];
    let statements = text.lines().filter_map(|line| kinds.iter().find_map(|kind| line.strip_prefix(kind)));
    statements.filter_map(|rest| rest.split([' ', ':']).next()).collect()
}

#[test]
fn every_theorem_that_is_claimed_is_checked() {
    let checked = checked();
    let rows = rows(PAGE);
    assert!(rows.len() > 15 && checked.len() > 50, "the table or the list was not found");
    for row in &rows {
        let text: String = names(&row[1]).map(|file| read(&format!("proofs/coq/{file}"))).collect();
        for name in names(&row[0]) {
            assert!(theorems(&text).contains(name), "{} has no theorem {name}", row[1]);
            assert!(checked.contains(name), "Assumptions.v does not ask about {name}");
        }
    }
}

#[test]
fn so_is_every_theorem_that_the_text_names() {
    let (page, text, checked) = (read(PAGE), sources("proofs/coq", "v"), checked());
    let theorems = theorems(&text);
    for name in page.lines().flat_map(names).filter(|name| theorems.contains(name)) {
        assert!(checked.contains(name), "Assumptions.v does not ask about {name}");
    }
}

#[test]
fn every_theorem_that_is_checked_is_on_the_page() {
    let page = read(PAGE);
    let named: BTreeSet<&str> = page.lines().flat_map(names).collect();
    for name in checked() {
        assert!(named.contains(name.as_str()), "{PAGE} does not say what {name} is");
    }
}
