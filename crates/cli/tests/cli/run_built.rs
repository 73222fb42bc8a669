//! `run` with a program that is there already: ours, gcc's, clang's, nobody's.

use crate::harness::{Folder, run};
use crate::programs::{RACY, WARNING, compilers, locked, must};

#[test]
fn built_by_the_wrapper() {
    let folder = Folder::with("a.c", RACY);
    folder.run("cc a.c -o a").status(0);
    for args in ["./a", "a"] {
        assert!(folder.run(&format!("run {args}")).status(66).stderr.contains(WARNING));
    }
    must(&folder, "strip a");
    assert!(folder.run("run ./a --json x").status(66).stdout.contains("counted --json\n"));
    folder.run("run --exit-code 5 ./a").status(5);
}

/// The line of the memory map that says which runtime is loaded.
const WHOSE: &str = r#"
#include <stdio.h>
#include <string.h>
int main(void) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps))
    if (strstr(line, "tsan") && strstr(line, "r-xp"))
      fputs(line, stdout);
  return 0;
}
"#;

#[test]
fn built_by_gcc_for_its_own_runtime() {
    let folder = Folder::with("racy.c", RACY);
    folder.write("locked.c", locked());
    folder.write("whose.c", WHOSE);
    for name in ["racy", "locked", "whose"] {
        must(&folder, &format!("gcc -g -fsanitize=thread {name}.c -o {name}"));
    }
    assert!(folder.run("run ./racy").status(66).stderr.contains(WARNING));
    assert_eq!(folder.run("run ./locked").status(0).stderr, "");
    let whose = folder.run("run ./whose").status(0).stdout;
    assert!(whose.contains("/deadheat/") && whose.lines().count() == 1, "{whose}");
}

#[test]
fn what_cannot_be_watched_says_why() {
    let folder = Folder::with("a.c", RACY);
    must(&folder, "gcc a.c -o plain");
    folder.run("run ./plain").fails(
        "./plain: is not instrumented; build it with deadheat cc or deadheat c++, or with -fsanitize=thread and gcc",
    );
    for clang in compilers().iter().filter(|c| c.starts_with("clang")) {
        // Its runtime may not be installed.
        let mut command = std::process::Command::new(clang);
        command.args(["-fsanitize=thread", "a.c", "-o", clang]).current_dir(folder.path(""));
        if command.output().unwrap().status.success() {
            folder.run(&format!("run ./{clang}")).fails(&format!(
                "./{clang}: carries the compiler's own race detector; link it again with deadheat cc or deadheat c++"
            ));
        }
    }
    folder.run("run ./missing").fails("./missing: there is no such program, and it is no source file");
    folder.run("run missing").fails("missing: there is no such program, and it is no source file");
    folder.run("run .").fails(".: there is no such program, and it is no source file");
    folder.write("text", "no program\n");
    folder.run("run ./text").fails("cannot run ./text: permission denied");
}

/// Scripts start programs; these find our runtime, and what the user wants of it.
#[test]
fn options_reach_the_runtime() {
    let folder = Folder::with("show.sh", "#!/bin/sh\necho \"$DEADHEAT_OPTIONS\"\n");
    must(&folder, "chmod +x show.sh");
    folder.write("supp", "race:foo\n");
    assert_eq!(folder.run("run ./show.sh").status(0).stdout, "\n");
    let shown = folder
        .run("run --algorithm ft-cas --halt --stats --exit-code 9 --suppressions supp --log out/log ./show.sh --json")
        .status(0)
        .stdout;
    let at = |name: &str| folder.path(name).canonicalize().unwrap_or(folder.path(name)).display().to_string();
    let [supp, log] = [at("supp"), at("").trim_end_matches('/').to_owned() + "/out/log"];
    let expected =
        format!("algorithm=ft-cas exitcode=9 suppressions={supp} log_path={log} halt_on_error=1 stats=1\n");
    assert_eq!(shown, expected);
    let mut command = folder.command("run --halt ./show.sh");
    command.env("DEADHEAT_OPTIONS", "verbosity=1 # loud");
    assert_eq!(run(command).status(0).stdout, "verbosity=1 # loud\nhalt_on_error=1\n");
    folder.run("run --suppressions none ./show.sh").fails("none: no such file or directory");
}
