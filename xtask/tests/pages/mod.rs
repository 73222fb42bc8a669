//! What the tests of the documentation read: its pages, and the sources that these name.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is in the repository").to_owned()
}

pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// The cells of each row of the page's table.
pub fn rows(page: &str) -> Vec<Vec<String>> {
    let text = read(page);
    let lines = text.lines().filter(|line| line.starts_with("| ")).skip(2);
    lines.map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// What stands between back-quotes.
pub fn names(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

/// All text of the files of that kind in that folder.
pub fn sources(folder: &str, extension: &str) -> String {
    let files =
        fs::read_dir(root().join(folder)).expect("the proofs are there").filter_map(|f| Some(f.ok()?.path()));
    let files = files.filter(|f| f.extension().is_some_and(|e| e == extension));
    files.map(|f| fs::read_to_string(f).expect("a file of the proofs")).collect()
}
