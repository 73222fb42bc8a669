//! The programs of `testdata/lang` can be read, keep all rules, are in the one right form, and say what they are.

use deadheat_lang::{check, format, parse};
use std::fs;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/lang")
}

/// All programs in the folder and the folders in it.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(programs(&path));
        } else if path.extension().is_some_and(|e| e == "heat") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// With `UPDATE_EXPECT` set, formats the files.
#[test]
fn every_program_is_good_and_formatted() {
    let programs = programs(&folder());
    assert!(programs.len() >= 35, "{} programs", programs.len());
    for path in programs {
        let name = path.display().to_string();
        let source = fs::read_to_string(&path).expect("text");
        let told = |errors: Vec<deadheat_lang::Error>| -> String {
            errors.iter().map(|e| e.render(&name, &source, false)).collect()
        };
        let program = parse(&source).unwrap_or_else(|e| panic!("{}", told(e)));
        check(&program).unwrap_or_else(|e| panic!("{}", told(e)));
        let formatted = format(&program, &source);
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, &formatted).expect("written");
        } else {
            assert!(formatted == source, "{name} is not formatted; UPDATE_EXPECT=1 formats it");
        }
        assert!(source.starts_with("// "), "{name} should start with what it shows");
    }
}

/// Every figure that is a program has its file.
#[test]
fn every_figure_is_there() {
    let deepening = (1..=9).map(|n| format!("deepening-fig{n}"));
    let verifying = [4, 5, 6, 10].map(|n| format!("verifying-fig{n}"));
    let go = [8, 9, 12, 13].map(|n| format!("rsg-fig{n}"));
    let others =
        ["verifiedft-fig1", "redcard-fig1", "redcard-section1", "redcard-section2", "redcard-section3"];
    let more = ["redcard-section4", "rsg-listing1", "rsg-listing2", "rsg-section5"].map(str::to_owned);
    let all = deepening.chain(verifying).chain(go).chain(others.map(str::to_owned)).chain(more);
    for name in all {
        assert!(folder().join(format!("{name}.heat")).exists(), "{name}.heat is missing");
    }
}
