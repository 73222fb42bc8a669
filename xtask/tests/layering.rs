//! The layers of `docs/architecture.md`: a crate may use only what stands beside it here.

use cargo_metadata::{DependencyKind, MetadataCommand};
use std::collections::BTreeMap;

const LAYERS: &[(&str, &[&str])] = &[
    ("deadheat-clock", &[]),
    ("deadheat-trace", &["clock"]),
    ("deadheat-report", &["clock", "trace"]),
    ("deadheat-detect", &["clock", "trace", "report"]),
    ("deadheat-explore", &["clock", "trace", "report", "detect"]),
    ("deadheat-lang", &["trace", "explore"]),
    ("deadheat-instrument", &["trace", "explore", "lang"]),
    ("deadheat-online", &[]),
    ("deadheat-shadow", &["online"]),
    ("deadheat-finding", &[]),
    ("deadheat-symbolize", &[]),
    ("deadheat-package", &[]),
    ("deadheat-rt", &["online", "shadow", "finding", "symbolize"]),
    (
        "deadheat",
        &["clock", "trace", "report", "detect", "explore", "lang", "instrument", "finding", "symbolize"],
    ),
    ("deadheat-bench", &["clock", "trace", "report", "detect", "explore", "lang"]),
    ("deadheat-differential", &["trace", "detect", "online"]),
    ("xtask", &["package"]),
];

/// Crates that must build without the standard library, and so without any dependency.
const BARE: &[&str] = &["deadheat-clock"];

#[test]
fn crates_use_only_lower_layers() {
    let metadata = MetadataCommand::new().no_deps().exec().expect("cargo metadata");
    let layers: BTreeMap<&str, &[&str]> = LAYERS.iter().copied().collect();
    assert_eq!(metadata.packages.len(), layers.len(), "a crate is missing from the table of layers");
    for package in &metadata.packages {
        let name = package.name.as_str();
        let allowed =
            layers.get(name).unwrap_or_else(|| panic!("{name} is missing from the table of layers"));
        let normal = package.dependencies.iter().filter(|d| d.kind == DependencyKind::Normal);
        for dependency in normal {
            if let Some(lower) = dependency.name.strip_prefix("deadheat-") {
                assert!(allowed.contains(&lower), "{name} must not use {}", dependency.name);
            }
            assert!(!BARE.contains(&name), "{name} must have no dependency, and has {}", dependency.name);
        }
    }
}

#[test]
fn the_bare_crates_are_no_std() {
    for name in BARE {
        let folder = name.trim_start_matches("deadheat-");
        let lib = format!("{}/../crates/{folder}/src/lib.rs", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&lib).expect("the crate is there");
        assert!(text.contains("#![no_std]"), "{name} must be no_std");
    }
}
