//! What suppressions hide.

use super::*;
use crate::samples::{bare, destroy, inversion, race};
use crate::{Addr, ThreadId};
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

fn parse(text: &str) -> Suppressions {
    let mut out = Suppressions::default();
    assert_eq!(out.parse(text, "test.supp"), []);
    out
}

fn hides(line: &str, finding: &Finding) -> bool {
    parse(line).check(finding).is_some()
}

#[test]
fn races() {
    let race = race();
    for line in [
        "race:deposit",
        "race:bank.c",
        "race:libc.so",
        "race:^balance$",
        "race:pthread_create",
        "race_top:^store(int",
        "race_top:^main$",
    ] {
        assert!(hides(line, &race), "{line}");
    }
    for line in ["race:withdraw", "race_top:deposit", "mutex:deposit", "race:Deposit", "called_from_lib:bank"]
    {
        assert!(!hides(line, &race), "{line}");
    }
}

#[test]
fn other_kinds() {
    assert!(hides("deadlock:transfer", &inversion()));
    assert!(!hides("mutex:transfer", &inversion()));
    assert!(hides("mutex:^pthread_mutex_destroy", &destroy()));
    assert!(hides("deadlock:*", &inversion()));
    assert!(!hides("race:*", &destroy()) && !hides("race_top:main", &destroy()));
}

#[test]
fn allocation_stacks_count() {
    let mut finding = race();
    finding.memory = Memory::Heap {
        start: Addr(0),
        size: 8,
        offset: 0,
        object: String::new(),
        thread: ThreadId::MAIN,
        stack: Stack(vec![bare(Some("make_account"))]),
        freed: None,
    };
    assert!(hides("race:make_account", &finding));
}

#[test]
fn libraries() {
    let suppressions = parse("race:libfoo.so\ncalled_from_lib:libbar.so");
    assert_eq!(suppressions.check_library("/usr/lib/libfoo.so.1"), None);
    assert_eq!(suppressions.check_library("/usr/lib/libbar.so.1"), Some(Match(1)));
}

#[test]
fn counted() {
    let mut suppressions = parse("# ours\n\n  race:never  \nrace:deposit\ndeadlock:transfer\n");
    for finding in [race(), inversion(), race()] {
        let matched = suppressions.check(&finding).unwrap();
        suppressions.record(matched);
    }
    let mut text = String::new();
    suppressions.write_matched(&mut text, 7).unwrap();
    assert_eq!(
        text,
        "ThreadSanitizer: Matched 3 suppressions (pid=7):\n2 race:deposit\n1 deadlock:transfer\n"
    );
    let mut nothing = String::new();
    parse("race:never").write_matched(&mut nothing, 7).unwrap();
    assert_eq!(nothing, "");
}

#[test]
fn errors_name_file_and_line() {
    let mut suppressions = Suppressions::default();
    let errors = suppressions.parse("race:f\nleak:f\nnonsense\nrace:\nmutex:g\r\n", "a.supp");
    let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "a.supp:2: unknown sort `leak`: expected one of race, race_top, thread, mutex, signal, deadlock, called_from_lib",
            "a.supp:3: `nonsense` is no suppression: expected sort:pattern",
            "a.supp:4: `race:` has no pattern; `race:*` matches everything",
        ]
    );
    let kept: Vec<_> = suppressions.iter().map(ToString::to_string).collect();
    assert_eq!(kept, ["race:f", "mutex:g"]);
}

#[test]
fn generated() {
    assert_eq!(suppression_for(&race()).unwrap(), "race_top:^store(int*)$");
    assert_eq!(suppression_for(&inversion()).unwrap(), "deadlock:^transfer$");
    assert_eq!(suppression_for(&destroy()).unwrap(), "mutex:^main$");
    assert_eq!(suppression_for(&Finding::new(Kind::DataRace, 1)), None);
}

#[test]
fn generated_for_races_from_the_next_best_name() {
    let mut finding = race();
    for access in &mut finding.accesses {
        access.stack.0.insert(0, bare(Some("memcpy")));
    }
    assert_eq!(suppression_for(&finding).unwrap(), "race:^balance$");
    finding.memory = Memory::Unknown;
    assert_eq!(suppression_for(&finding).unwrap(), "race:^store(int*)$");
    finding.accesses[1].stack = Stack(vec![bare(Some("main::$_0::operator()() const"))]);
    assert_eq!(suppression_for(&finding).unwrap(), "race_top:^memcpy$");
    finding.accesses[0].stack = Stack(vec![bare(None)]);
    assert_eq!(suppression_for(&finding).unwrap(), "race_top:^main::*_0::operator()() const$");
    finding.accesses[1].stack = Stack::default();
    assert_eq!(suppression_for(&finding).unwrap(), "race:^/usr/lib/libc.so.6$");
}

proptest! {
    #[test]
    fn generated_lines_suppress_their_finding(function in "\\PC{1,30}", file: bool) {
        let mut finding = race();
        finding.accesses[0].stack.0[0].function = Some(function);
        if !file {
            finding.accesses[0].stack.0[0].file = None;
            finding.memory = Memory::Unknown;
        }
        let line = suppression_for(&finding).unwrap();
        let mut suppressions = Suppressions::default();
        prop_assert_eq!(suppressions.parse(&line, "x"), []);
        prop_assert!(suppressions.check(&finding).is_some(), "{}", line);
    }

    #[test]
    fn any_file_is_read(text in "(race|mutex|x)?:?[\\PC\n*^$]{0,40}") {
        let mut suppressions = Suppressions::default();
        let errors = suppressions.parse(&text, "x");
        prop_assert!(errors.len() + suppressions.iter().count() <= text.lines().count());
        suppressions.check(&race());
    }
}
