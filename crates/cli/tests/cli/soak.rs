//! A short soak: `testdata/soak` for some hundreds of rounds. `cargo xtask soak runtime` is the long one.

use crate::harness::Folder;
use crate::programs::{compilers, cxx};
use std::path::Path;
use std::process::Command;

const ROUNDS: u64 = 600;
/// How much larger the process may be at the end than at its largest in the first half: logs and caches are still filling.
const GROWTH_KIB: u64 = 64 << 10;

fn soak(compiler: &str) {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/soak").canonicalize().unwrap();
    let files: Vec<String> = std::fs::read_dir(&source)
        .unwrap()
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "cpp"))
        .map(|path| path.display().to_string())
        .collect();
    let mut build = folder.command("c++ -std=c++17 -g -O1 -pthread -w -ldl -o soak");
    build.args(&files).env("DEADHEAT_CXX", cxx(compiler));
    crate::harness::run(build).status(0);
    let mut plugin = folder.command("cc -g -O1 -shared -fPIC -w -o plugin.so");
    plugin.arg(source.join("plugin.c")).env("DEADHEAT_CC", compiler);
    crate::harness::run(plugin).status(0);

    let mut run = Command::new(folder.path("soak"));
    run.arg(folder.path("plugin.so")).args(["rounds", &ROUNDS.to_string()]).current_dir(folder.path(""));
    let ran = crate::harness::run(run).status(0);
    assert_eq!(ran.stderr, "", "{compiler}: it has no races but those it looks for itself");
    assert!(ran.stdout.ends_with("done\n"), "{compiler}: {}", ran.stdout);
    judge(&ran.stdout);
}

/// Every theme was played, all rounds were, handlers ran, and the process did not grow beyond what it keeps on purpose.
fn judge(told: &str) {
    let number = |line: &str, after: &str, before: &str| -> Option<u64> {
        line.split_once(after)?.1.split_once(before)?.0.parse().ok()
    };
    let rounds: Vec<(u64, u64)> = told
        .lines()
        .filter_map(|l| Some((number(l, " s: ", " rounds")?, number(l, "rounds, ", " KiB")?)))
        .collect();
    let (last, size) = *rounds.last().unwrap();
    assert!(last >= ROUNDS, "{told}");
    let early = rounds.iter().filter(|(n, _)| *n < ROUNDS / 2).map(|(_, kib)| *kib).max();
    assert!(early.is_none_or(|early| size < early + GROWTH_KIB), "{told}");
    let themes: Vec<u64> = told.lines().filter_map(|l| l.split_once(": ")?.1.parse().ok()).collect();
    assert!(themes.len() == 23 && themes.iter().all(|count| *count > 0), "{told}");
}

/// Detached threads one after the other, as many as its argument says, whose last release nobody ever learns of.
const PASSING: &str = r#"
#include "passing.h"

int main(int argc, char **argv) {
  let_pass(argc > 1 ? atoi(argv[1]) : 0, 0);
}
"#;

/// What a thread leaves behind is given to a later one, though no creator knows it.
#[test]
fn slots_of_detached_threads_are_used_again() {
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/programs");
    let folder = Folder::with("passing.c", PASSING);
    let mut build = folder.command("cc -g -O1 -pthread passing.c -o passing");
    build.arg("-I").arg(programs.canonicalize().unwrap());
    crate::harness::run(build).status(0);
    let counted = |threads: u64, what: &str| -> u64 {
        let mut run = Command::new(folder.path("passing"));
        run.arg(threads.to_string()).env("TSAN_OPTIONS", "stats=1");
        let told = crate::harness::run(run).status(0).stderr;
        let line = told.lines().find_map(|line| line.split_once(what));
        line.unwrap_or_else(|| panic!("{told}")).1.trim().parse().unwrap()
    };
    let slots = counted(4000, "slots ");
    assert!(slots < 600, "{slots} slots for 4000 threads, of which two were alive at once");
    // Some hundred bytes for what reports say of a thread, and not the log of a slot.
    let bytes = [2000, 6000].map(|threads| counted(threads, "bytes of the runtime's own "));
    assert!(bytes[1] - bytes[0] < 4000 * 1024, "{bytes:?} bytes after 2000 and after 6000 threads");
}

/// Maps as many bytes as its argument says, writes and unmaps, each time at another place, 128 MiB in all; says how large it was at most, in KiB.
const WANDERING: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { ALL = 128 << 20 };

int main(int argc, char **argv) {
  size_t size = argc > 1 ? atoi(argv[1]) : ALL;
  char *room = mmap(0, ALL, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (char *there = room; there < room + ALL; there += size) {
    if (mmap(there, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != there) return 1;
    memset(there, 1, size);
    munmap(there, size);
  }
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  printf("%ld\n", usage.ru_maxrss);
}
"#;

/// What is remembered of small mappings goes with them.
#[test]
fn mappings_take_no_memory_when_they_are_gone() {
    let folder = Folder::with("wandering.c", WANDERING);
    crate::harness::run(folder.command("cc -g -O1 wandering.c -o wandering")).status(0);
    for size in [4 << 10, 128 << 10] {
        let mut run = Command::new(folder.path("wandering"));
        run.arg(size.to_string());
        let kib: u64 = crate::harness::run(run).status(0).stdout.trim().parse().unwrap();
        assert!(kib < 100 << 10, "{kib} KiB for {size} bytes at a time");
    }
}

#[test]
fn with_gcc() {
    soak("gcc");
}

#[test]
fn with_clang() {
    soak(&compilers()[0]);
}
