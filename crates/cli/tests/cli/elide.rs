//! `cc --elide`: clang in two steps, wherever it stands in a build.

use crate::harness::{Folder, Ran, run};
use crate::programs::{RACY, compilers, must};

const LEVELS: [&str; 3] = ["redundant", "coalesce", "inline"];

/// A function with a loop, a check that was made before, and a lock.
const SUM: &str = "\
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long total;
long sum(const int *at, long n) {
  long all = 0;
  for (long k = 0; k < n; k++) all += at[k];
  pthread_mutex_lock(&m);
  total += all;
  pthread_mutex_unlock(&m);
  return all;
}
";
const MAIN: &str =
    "long sum(const int *, long);\nint main(void) { int a[3] = {1, 2, 3}; return sum(a, 3) != 6; }\n";

fn folder() -> Folder {
    let folder = Folder::with("main.c", MAIN);
    folder.write("sum.c", SUM);
    folder
}

fn clang() -> String {
    compilers().into_iter().find(|name| name.contains("clang")).expect("clang is installed")
}

fn cc(folder: &Folder, args: &str) -> Ran {
    let mut command = folder.command(args);
    command.env("DEADHEAT_CC", clang());
    run(command)
}

#[track_caller]
fn ok(folder: &Folder, args: &str) {
    assert_eq!(cc(folder, args).status(0).stderr, "", "{args}");
}

#[test]
fn in_one_go_and_in_two() {
    let folder = folder();
    for level in LEVELS {
        ok(&folder, &format!("cc --elide={level} -Wall -Wextra -Werror -O2 main.c sum.c -o p -lm"));
        must(&folder, "./p");
        ok(&folder, &format!("cc --elide={level} -Werror -O1 -MD -c sum.c -o s.o"));
        assert!(folder.has("s.d") && must(&folder, "cat s.d").starts_with("s.o:"), "{level}");
        ok(&folder, &format!("cc -O2 -c main.c --elide={level}"));
        ok(&folder, &format!("cc --elide={level} main.o s.o -o q"));
        must(&folder, "./q");
    }
}

#[test]
fn code_for_shared_libraries() {
    let folder = folder();
    ok(&folder, "cc --elide -O2 -fPIC -shared sum.c -o libsum.so");
    ok(&folder, "cc --elide -O2 main.c -L. -lsum -Wl,-rpath,. -o p");
    must(&folder, "./p");
}

#[test]
fn levels_take_out_more_and_more() {
    let folder = folder();
    let calls = |args: &str| {
        ok(&folder, args);
        must(&folder, "nm sum.o")
            .lines()
            .filter(|l| l.contains("U __tsan_read") || l.contains("U __tsan_write"))
            .count()
    };
    let all = calls("cc -O2 -c sum.c");
    assert!(calls("cc --elide=coalesce -O2 -c sum.c") < all);
    assert_eq!(calls("cc --elide -O2 -c sum.c"), 0);
    assert_eq!(calls("cc --elide=off -O2 -c sum.c"), all);
}

#[test]
fn the_race_is_still_there() {
    let folder = Folder::with("racy.c", RACY);
    for level in LEVELS {
        ok(&folder, &format!("cc --elide={level} -O2 -pthread racy.c -o p"));
        let ran = run(folder.command("run ./p")).status(66);
        assert!(ran.stderr.contains("data race") && ran.stderr.contains("racy.c"), "{}", ran.stderr);
    }
}

#[test]
fn statistics() {
    let told = cc(&folder(), "cc --elide=coalesce --elide-stats -O2 -c sum.c").status(0).stderr;
    assert!(
        told.contains("note: sum: ") && told.contains(" out of loops") && told.contains("sum.c: all: "),
        "{told}"
    );
}

#[test]
fn what_the_compiler_says_is_said_once() {
    let folder = Folder::with("a.c", "int f(void) { int unused; return 0; }\n");
    let told = cc(&folder, "cc --elide -Wall -c a.c").status(0).stderr;
    assert_eq!(told.matches("unused variable").count(), 1, "{told}");
    folder.write("b.c", "int f(void) { return }\n");
    let told = cc(&folder, "cc --elide -c b.c").status(1).stderr;
    assert_eq!(told.matches("error: expected expression").count(), 1, "{told}");
}

#[test]
fn a_level_that_there_is_not() {
    let ran = cc(&folder(), "cc --elide=everything -c sum.c").status(2);
    assert!(
        ran.stderr.contains("there is no --elide=everything; it is one of off, redundant, coalesce, inline"),
        "{}",
        ran.stderr
    );
}

#[test]
fn other_compilers_build_with_all_checks() {
    let folder = folder();
    let Some(gcc) = compilers().into_iter().find(|name| name.contains("gcc")) else { return };
    let mut command = folder.command("cc --elide -c sum.c");
    command.env("DEADHEAT_CC", gcc);
    let told = run(command).status(0).stderr;
    assert_eq!(told, "deadheat: note: --elide needs clang: built with all checks\n");
    assert!(must(&folder, "nm sum.o").contains("__tsan_read"));
}

#[test]
fn what_is_not_for_two_steps_is_done_as_usual() {
    let folder = folder();
    for how in ["-S -o sum.s", "-E -o sum.i", "-fsyntax-only"] {
        ok(&folder, &format!("cc --elide -O1 sum.c {how}"));
    }
    assert!(must(&folder, "cat sum.s").contains("__tsan_"));
    let told = cc(&folder, "cc --elide -O1 -c -emit-llvm sum.c -o sum.bc").status(0).stderr;
    assert_eq!(told, "deadheat: note: --elide does not go with -emit-llvm: built with all checks\n");
}

/// A compiler whose modules are spoilt before we get them: one line, and a program with all of its checks.
#[test]
fn modules_that_nobody_understands_keep_all_checks() {
    let folder = folder();
    for (spoil, note) in [
        (
            "echo 'define this %is no module' >> $file",
            "could not be compiled with fewer checks, and has all of them",
        ),
        ("head -c 5000 /dev/urandom > $file", "clang's module cannot be read; it has all checks"),
    ] {
        folder.write(
            "clang",
            format!(
                "#!/bin/sh\n{} \"$@\" || exit\ncase \"$*\" in *-emit-llvm*) for file; do case $file in *.ll) {spoil};; esac; done;; esac\n",
                clang()
            ),
        );
        must(&folder, "chmod +x clang");
        let mut command = folder.command("cc --elide -O2 main.c sum.c -o p -lm");
        command.env("DEADHEAT_CC", folder.path("clang"));
        let told = run(command).status(0).stderr;
        let notes: Vec<&str> = told.lines().filter(|line| line.starts_with("deadheat: ")).collect();
        assert!(notes.len() == 2 && notes.iter().all(|line| line.ends_with(note)), "{spoil}: {told}");
        must(&folder, "./p");
    }
}

#[test]
fn modules_for_the_linker() {
    let folder = folder();
    for how in ["-flto", "-flto=thin"] {
        let told = cc(&folder, &format!("cc --elide=coalesce --elide-stats -O2 {how} -c sum.c -o sum.o"));
        assert!(!told.status(0).stderr.contains(" 0 out of loops"), "{how}");
        assert!(must(&folder, "head --bytes=2 sum.o").starts_with("BC"), "{how}");
        // The linker needs a plugin for them.
        let mut plain = std::process::Command::new(clang());
        plain.args([how, "-O2", "main.c", "sum.c", "-pthread", "-o", "native"]).current_dir(folder.path("."));
        if !plain.output().is_ok_and(|output| output.status.success()) {
            continue;
        }
        for level in LEVELS {
            ok(&folder, &format!("cc --elide={level} -O2 {how} -g -c sum.c -o sum.o"));
            ok(&folder, &format!("cc --elide={level} -O2 {how} -g main.c sum.o -o p"));
            must(&folder, "./p");
        }
    }
}
