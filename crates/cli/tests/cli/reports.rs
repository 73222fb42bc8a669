//! What reports say that the corpus does not look at: addresses, the words for objects, and what is said at the end.

use crate::harness::{Folder, run};
use crate::programs::compilers;

/// Two threads, in an order that nothing tells the runtime of.
const FRAME: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int turn;
static void step(int to) { __asm__ volatile("movl %1, %0" : "=m"(turn) : "r"(to) : "memory"); }
static void await(int to) {
  int now;
  do __asm__ volatile("movl %1, %0" : "=r"(now) : "m"(turn) : "memory"); while (now < to);
}
GLOBALS
static void *first(void *arg) { FIRST; step(1); return arg; }
static void *second(void *arg) { await(1); SECOND; return arg; }
int main(void) {
  pthread_t one, two;
  MAIN;
  pthread_create(&one, 0, first, 0);
  pthread_create(&two, 0, second, 0);
  pthread_join(one, 0);
  pthread_join(two, 0);
  return 0;
}
"#;

fn program(globals: &str, first: &str, second: &str, main: &str) -> String {
    FRAME.replace("GLOBALS", globals).replace("FIRST", first).replace("SECOND", second).replace("MAIN", main)
}

#[test]
fn an_earlier_access_is_told_with_its_own_address_and_size() {
    for (field, size) in [("int", 4), ("short", 2), ("long", 8), ("__int128", 16)] {
        let globals = format!(
            "struct {{ char c[5]; {field} n; }} __attribute__((packed, aligned(64))) shared;\nint sink;"
        );
        let last = size - 1;
        let source = program(
            &globals,
            "shared.n = 1",
            &format!("sink = ((char *)&shared.n)[{last}]"),
            r#"printf("%p\n", (void *)&shared.n)"#,
        );
        let folder = Folder::with("a.c", source);
        for compiler in compilers() {
            let ran = folder.run(&format!("run --compiler {compiler} -O0 a.c")).status(66);
            let wanted = format!("Previous write of size {size} at {} by", ran.stdout.trim());
            assert!(ran.stderr.contains(&wanted), "{compiler} {field}: no {wanted:?} in {}", ran.stderr);
        }
    }
}

#[test]
fn objects_of_libraries_have_their_own_words() {
    let globals = r#"
void *__tsan_external_register_tag(const char *);
void __tsan_external_register_header(void *, const char *);
void __tsan_external_assign_tag(void *, void *);
void __tsan_external_read(void *, void *, void *);
void __tsan_external_write(void *, void *, void *);
void *tag, *list;"#;
    let main = r#"tag = __tsan_external_register_tag("List"); list = malloc(48); __tsan_external_assign_tag(list, tag)"#;
    let (write, read) = ("__tsan_external_write(list, 0, tag)", "__tsan_external_read(list, 0, tag)");
    let folder = Folder::with("a.c", program(globals, write, read, main));
    let ran = folder.run("run a.c --json a.json").status(66);
    for part in [
        "WARNING: ThreadSanitizer: race on List (pid=",
        "  Read-only access of List at ",
        "  Previous modifying access of List at ",
        "  Location is List of size 48 at ",
        "SUMMARY: ThreadSanitizer: race on List ",
    ] {
        assert!(ran.stderr.contains(part), "no {part:?} in {}", ran.stderr);
    }
    assert!(String::from_utf8_lossy(&folder.read("a.json")).contains(r#""object":"List""#));
    let header = r#"; __tsan_external_register_header(tag, "List used badly")"#;
    folder.write("b.c", program(globals, write, read, &format!("{main}{header}")));
    let ran = folder.run("run b.c").status(66);
    assert!(ran.stderr.contains("WARNING: ThreadSanitizer: List used badly (pid="), "{ran:?}");
}

#[test]
fn a_race_that_was_expected_and_did_not_come_is_told_at_the_end() {
    let globals = "void AnnotateExpectRace(const char *, int, void *, const char *);\nint shared;";
    let main = r#"AnnotateExpectRace("here.c", 12, &shared, "a flag")"#;
    let folder = Folder::with("a.c", program(globals, "shared = 1", "step(2)", main));
    let ran = folder.run("run a.c").status(66);
    let [warning, place] =
        ["WARNING: ThreadSanitizer: missed expected data race", "where here.c:12 expects one"];
    assert!(ran.stderr.contains(warning) && ran.stderr.contains("  a flag: "), "{ran:?}");
    assert!(ran.stderr.contains(place), "{ran:?}");
    folder.write("b.c", program(globals, "shared = 1", "if (shared) step(2)", main));
    assert_eq!(folder.run("run b.c").status(0).stderr, "");
}

/// The child is whole, and may have threads; unless the user wants it to end.
#[test]
fn threads_after_fork() {
    let source = r#"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static void *wait_for_end(void *arg) { pause(); return arg; }
static void *nothing(void *arg) { return arg; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, wait_for_end, 0);
  pthread_detach(thread);
  pid_t child = fork();
  if (child == 0) {
    pthread_create(&thread, 0, nothing, 0);
    pthread_join(thread, 0);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}
"#;
    let folder = Folder::with("a.c", source);
    let with = |options: &str| {
        let mut command = folder.command("run a.c");
        command.env("TSAN_OPTIONS", format!("atexit_sleep_ms=0 {options}"));
        run(command)
    };
    assert_eq!(with("").status(0).stderr, "");
    let ran = with("die_after_fork=1").status(66);
    assert!(ran.stderr.contains("since the option die_after_fork is set"), "{ran:?}");
}

/// The program is told before the process forks, so that tests can see what others do meanwhile.
#[test]
fn a_test_is_told_of_a_fork() {
    let source = r#"
#include <sys/wait.h>
#include <unistd.h>
int told;
void __tsan_test_only_on_fork(void) { told++; }
int main(void) {
  pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, 0, 0);
  return told == 1 ? 0 : 1;
}
"#;
    Folder::with("a.c", source).run("run a.c").status(0);
}
