//! What functions have checked for each other.

use deadheat_elide::{Level, elide};

const READ: &str = "  call void @__tsan_read8(ptr %p)\n";
const WRITE: &str = "  call void @__tsan_write8(ptr %p)\n";
const CALL: &str = "  call void @inner(ptr noundef %p, ptr align 8 %q)\n";
const UNLOCK: &str = "  %u = call i32 @pthread_mutex_unlock(ptr %q)\n";
const LOCK: &str = "  %l = call i32 @pthread_mutex_lock(ptr %q)\n";

/// How many checks are left in `@inner` and in `@outer`: both have parameters `%p` and `%q`. `more` stands beside them.
fn checks(linkage: &str, inner: &str, outer: &str, more: &str) -> [usize; 2] {
    let function = |linkage: &str, name: &str, body: &str| {
        format!("define {linkage} void @{name}(ptr %p, ptr %q) {{\n{body}  ret void\n}}\n\n")
    };
    let module = [
        "target triple = \"x86_64-pc-linux-gnu\"\n@g = external global i64\n\n",
        &function(linkage, "inner", inner),
        &function("dso_local", "outer", outer),
        more,
        "declare i32 @pthread_mutex_lock(ptr)\ndeclare i32 @pthread_mutex_unlock(ptr)\ndeclare void @__tsan_func_exit()\n",
    ]
    .concat();
    let elided = elide(&module, Level::Redundant).expect("it is a module");
    assert_eq!(elided.unread, 0, "{module}");
    ["inner", "outer"].map(|name| {
        elided.stats.iter().find(|s| s.function == format!("@{name}")).map_or(0, |stats| stats.left())
    })
}

fn internal(inner: &str, outer: &str) -> [usize; 2] {
    checks("internal", inner, outer, "")
}

#[test]
fn what_all_callers_have_checked() {
    assert_eq!(internal(READ, &[READ, CALL].concat()), [0, 1]);
    assert_eq!(internal(READ, &[WRITE, CALL].concat()), [0, 1]);
    assert_eq!(internal(READ, &[READ, LOCK, CALL].concat()), [0, 1]);
    assert_eq!(internal(WRITE, &[READ, CALL].concat()), [1, 1]);
    assert_eq!(internal(READ, &[READ, UNLOCK, CALL].concat()), [1, 1]);
    assert_eq!(internal(READ, &[READ, CALL, UNLOCK, CALL].concat()), [1, 1]);
    // Its own release comes first.
    assert_eq!(internal(&[UNLOCK, READ].concat(), &[READ, CALL].concat()), [1, 1]);
    // The pointers are others.
    assert_eq!(internal(READ, &[READ, "  call void @inner(ptr %q, ptr %p)\n"].concat()), [1, 1]);
}

#[test]
fn fields_and_globals_have_been_checked_too() {
    let field = "  %f = getelementptr i8, ptr %p, i64 8\n  call void @__tsan_read8(ptr %f)\n";
    let call = "  %e = getelementptr i8, ptr %p, i64 -8\n  call void @inner(ptr nonnull %e, ptr %q)\n";
    assert_eq!(internal(field, &[READ, call].concat()), [0, 1]);
    assert_eq!(internal(READ, &[READ, call].concat()), [1, 1]);
    let global = "  call void @__tsan_read8(ptr @g)\n";
    assert_eq!(internal(global, &[global, CALL].concat()), [0, 1]);
}

#[test]
fn of_functions_that_others_may_call_nothing_is_required() {
    let outer = [READ, CALL].concat();
    assert_eq!(checks("dso_local", READ, &outer, ""), [1, 1]);
    // Its address is taken, or an unknown caller has checked nothing.
    for more in [
        "@table = global ptr @inner\n\n",
        "define void @third(ptr %p) {\n  store ptr @inner, ptr %p\n  call void @__tsan_func_exit()\n  ret void\n}\n",
        "define void @third(ptr %p) {\n  call void @inner(ptr %p, ptr %p)\n  call void @__tsan_func_exit()\n  ret void\n}\n",
        "define void @third(ptr %p) {\n  call void @inner(ptr %p, ptr %p)\n  ret void\n}\n",
    ] {
        assert_eq!(checks("internal", READ, &outer, more), [1, 1], "{more}");
    }
    // A copy is somewhere else.
    let copied = "  call void @inner(ptr byval([2 x i64]) align 8 %p, ptr %q)\n";
    assert_eq!(internal(READ, &[READ, copied].concat()), [1, 1]);
}

#[test]
fn what_is_required_goes_on_to_the_next_function() {
    let between = "define internal void @between(ptr %p, ptr %q) {\n  call void @inner(ptr %p, ptr %q)\n  call void @__tsan_func_exit()\n  ret void\n}\n";
    let outer = [READ, "  call void @between(ptr %p, ptr %q)\n"].concat();
    assert_eq!(checks("internal", READ, &outer, between), [0, 1]);
    let releases = between.replace("  call void @inner", &[UNLOCK, "  call void @inner"].concat());
    assert_eq!(checks("internal", READ, &outer, &releases), [1, 1]);
}

#[test]
fn recursion_requires_nothing() {
    let again = [READ, UNLOCK, CALL].concat();
    assert_eq!(internal(&again, &[READ, CALL].concat()), [1, 1]);
}

#[test]
fn what_a_function_has_checked_when_it_returns() {
    for linkage in ["internal", "dso_local"] {
        let checks = |inner: &str, outer: &str| checks(linkage, inner, outer, "");
        assert_eq!(checks(READ, &[CALL, READ].concat()), [1, 0]);
        assert_eq!(checks(WRITE, &[CALL, READ].concat()), [1, 0]);
        assert_eq!(checks(READ, &[CALL, LOCK, READ].concat()), [1, 0]);
        assert_eq!(checks(READ, &[CALL, WRITE].concat()), [1, 1]);
        assert_eq!(checks(READ, &[CALL, UNLOCK, READ].concat()), [1, 1]);
        assert_eq!(checks(&[READ, UNLOCK].concat(), &[CALL, READ].concat()), [1, 1]);
        assert_eq!(checks(&[UNLOCK, READ].concat(), &[CALL, READ].concat()), [1, 0]);
        assert_eq!(checks(READ, &["  call void @inner(ptr %q, ptr %p)\n", READ].concat()), [1, 1]);
        // It has checked something since it unlocked, but not this.
        let other = "  call void @__tsan_read8(ptr %q)\n";
        assert_eq!(checks(&[UNLOCK, other].concat(), &[READ, CALL, READ].concat()), [1, 2]);
    }
    // Another body may be called by that name.
    for linkage in ["", "weak", "linkonce_odr dso_local", "weak_odr dso_local"] {
        assert_eq!(checks(linkage, READ, &[CALL, READ].concat(), ""), [1, 1], "{linkage}");
    }
}

#[test]
fn what_it_has_checked_on_some_paths_is_not_ensured() {
    let some = |end: &str| {
        format!(
            "  %c = icmp eq ptr %p, %q\n  br i1 %c, label %a, label %b\n\na:\n{READ}  br label %b\n\nb:\n{end}"
        )
    };
    assert_eq!(internal(&some(""), &[CALL, READ].concat()), [1, 1]);
    assert_eq!(internal(&some(WRITE), &[CALL, READ].concat()), [1, 0]);
    let two =
        format!("  %c = icmp eq ptr %p, %q\n  br i1 %c, label %a, label %b\n\na:\n{READ}  ret void\n\nb:\n");
    assert_eq!(internal(&two, &[CALL, READ].concat()), [1, 1]);
}

#[test]
fn what_throws_has_ensured_nothing() {
    let outer = format!(
        "  invoke void @inner(ptr %p, ptr %q)\n          to label %a unwind label %b\n\na:\n{READ}  ret void\n\n\
         b:\n  %e = landingpad {{ ptr, i32 }}\n          cleanup\n{READ}"
    );
    assert_eq!(internal(READ, &outer), [1, 2]);
}
