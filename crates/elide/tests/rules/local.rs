//! Variables of a function whose addresses go nowhere.

use crate::{left, redundant};
use deadheat_elide::Level;

/// A pointer that walks through a variable, with an access at every turn until it meets something; `before` and `turn` are what is done besides.
fn walking(before: &str, turn: &str, behind: &str) -> String {
    format!(
        "  %a = alloca [64 x i8], align 16\n  %b = alloca ptr, align 8\n{before}  br label %l\n\nl:\n  %w = phi ptr [ %a, %entry ], [ %x, %l ]\n  %x = getelementptr inbounds i8, ptr %w, i64 1\n  \
         call void @__tsan_write1(ptr %x)\n  store i8 0, ptr %x, align 1\n  %v = load i8, ptr %w, align 1\n{turn}  %c = icmp eq i8 %v, 7\n  br i1 %c, label %o, label %l\n\n\
         o:\n{behind}  ret void\n"
    )
}

#[test]
fn a_pointer_that_walks_through_a_variable() {
    for (before, turn, behind) in [
        ("", "", ""),
        ("  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 64, i1 false)\n", "", ""),
        ("", "  %e = icmp eq ptr %x, %q\n", ""),
        ("  store %t zeroinitializer, ptr @g, align 8\n", "", ""),
        (
            "",
            "",
            "  %i = ptrtoint ptr %x to i64\n  %j = ptrtoint ptr %a to i64\n  %d = sub i64 %i, %j\n  store i64 %d, ptr %q\n",
        ),
        ("", "  %s = select i1 %k, ptr %x, ptr %w\n  call void @__tsan_read1(ptr %s)\n", ""),
    ] {
        let before = ["  %k = icmp eq i64 %n, 0\n", before].concat();
        let calls = redundant(&walking(&before, turn, behind));
        assert!(calls.is_empty(), "{before}{turn}{behind}: {calls:?}");
    }
}

#[test]
fn a_variable_that_somebody_may_know_of() {
    for (before, turn, behind) in [
        ("  store ptr %a, ptr %q, align 8\n", "", ""),
        ("  store ptr %a, ptr @g, align 8\n", "", ""),
        ("  store ptr %a, ptr %b, align 8\n", "", ""),
        ("", "  store ptr %x, ptr %q, align 8\n", ""),
        ("", "", "  call void @unknown(ptr %a)\n"),
        ("  %y = getelementptr i8, ptr %a, i64 8\n  call void @unknown(ptr %y)\n", "", ""),
        ("  %r = call i32 @pthread_create(ptr %q, ptr null, ptr @g, ptr %a)\n", "", ""),
        ("", "", "  %i = ptrtoint ptr %x to i64\n  store i64 %i, ptr %q\n"),
        ("", "", "  %i = ptrtoint ptr %x to i64\n  %d = sub i64 %i, %n\n  store i64 %d, ptr %q\n"),
        (
            "",
            "",
            "  %i = ptrtoint ptr %x to i64\n  %j = ptrtoint ptr %b to i64\n  %d = sub i64 %i, %j\n  store i64 %d, ptr %q\n",
        ),
        ("  %y = insertvalue { ptr, i64 } poison, ptr %a, 0\n  store { ptr, i64 } %y, ptr %q\n", "", ""),
        ("  %y = atomicrmw xchg ptr %q, ptr %a seq_cst, align 8\n", "", ""),
        ("  call void asm sideeffect \"\", \"r\"(ptr %a)\n", "", ""),
    ] {
        let calls = redundant(&walking(before, turn, behind));
        assert!(calls.contains(&"write1(ptr %x)".to_owned()), "{before}{turn}{behind}: {calls:?}");
    }
}

#[test]
fn a_pointer_that_may_lead_elsewhere() {
    let body = walking("", "", "").replace("[ %a, %entry ]", "[ %p, %entry ]");
    assert_eq!(redundant(&body), ["write1(ptr %x)"]);
    let chosen = "  %k = icmp eq i64 %n, 0\n  %s = select i1 %k, ptr %a, ptr %q\n";
    let body = walking(chosen, "", "").replace("[ %a, %entry ]", "[ %s, %entry ]");
    assert_eq!(redundant(&body), ["write1(ptr %x)"]);
    let loaded =
        walking("  %s = load ptr, ptr %a, align 8\n", "", "").replace("[ %a, %entry ]", "[ %s, %entry ]");
    assert_eq!(left(Level::Coalesce, &loaded), ["write1(ptr %x)"]);
}
