//! Reads that are certain to be followed by a write of the same bytes, before anybody could tell the difference.

use crate::{LEARNS, READ, RET, WRITE, at, redundant};
use deadheat_elide::Level;

#[test]
fn a_read_before_a_write_goes() {
    assert_eq!(redundant(&[READ, WRITE, RET].concat()), ["write8(ptr %p)"]);
    for between in [
        "  %r = call double @sqrt(double 1.0)\n",
        "  call void @quiet()\n",
        "  store ptr %q, ptr %p, align 8\n",
        "  call void @__tsan_write8(ptr %q)\n",
    ] {
        let left = redundant(&[READ, between, WRITE, RET].concat());
        assert!(!left.contains(&"read8(ptr %p)".to_owned()), "{between}");
    }
}

#[test]
fn a_read_stays_if_something_happens_before_the_write() {
    for between in [
        LEARNS,
        "  %r = call i32 @pthread_mutex_unlock(ptr %q)\n",
        "  %r = call i32 @__tsan_atomic32_load(ptr %q, i32 5)\n",
        "  call void @unknown()\n",
        "  call void @quiet_but_may_stay()\n",
    ] {
        let module = crate::module(&[READ, between, WRITE, RET].concat())
            + "\ndeclare void @quiet_but_may_stay() nosync\n";
        let text = deadheat_elide::elide(&module, Level::Redundant).expect("a module").text;
        assert!(text.contains(READ), "{between}");
    }
}

#[test]
fn only_a_write_of_all_of_its_bytes_stands_for_it() {
    let part = "  call void @__tsan_write4(ptr %p)\n";
    assert!(redundant(&[READ, part, RET].concat()).contains(&"read8(ptr %p)".to_owned()));
    let half = "  %h = getelementptr i8, ptr %p, i64 4\n  call void @__tsan_write4(ptr %h)\n";
    assert_eq!(redundant(&[READ, part, half, RET].concat()), ["write4(ptr %p)", "write4(ptr %h)"]);
    assert_eq!(redundant(&[READ, "  call void @__tsan_write8(ptr %q)\n", RET].concat()).len(), 2);
    // A later read of more bytes does not stand for it: a report names the first access.
    let more = "  call void @__tsan_read16(ptr %p)\n";
    assert_eq!(redundant(&[READ, more, RET].concat()).len(), 2);
}

/// A read, and a write on these sides of a branch behind it.
fn branch(left: &str, right: &str) -> usize {
    let body = format!(
        "{READ}  %c = icmp eq i64 %n, 0\n  br i1 %c, label %a, label %b\n\na:\n{left}  ret void\n\nb:\n{right}  ret void\n"
    );
    redundant(&body).iter().filter(|call| call.starts_with("read8")).count()
}

#[test]
fn the_write_follows_on_every_way() {
    assert_eq!(branch(WRITE, WRITE), 0);
    assert_eq!(branch(WRITE, ""), 1);
    assert_eq!(branch("", WRITE), 1);
    assert_eq!(branch(WRITE, &[LEARNS, WRITE].concat()), 1);
}

#[test]
fn a_loop_may_never_come_to_the_write() {
    let body = format!(
        "{READ}  br label %l\n\nl:\n  %c = load volatile i1, ptr %q\n  br i1 %c, label %l, label %e\n\ne:\n{WRITE}{RET}"
    );
    assert_eq!(redundant(&body), ["read8(ptr %p)", "write8(ptr %p)"]);
    let endless = format!("{READ}  br label %l\n\nl:\n  br label %l\n");
    assert_eq!(redundant(&endless), ["read8(ptr %p)"]);
}

#[test]
fn the_write_is_through_the_same_value() {
    let other = "  call void @__tsan_read8(ptr %r)\n  %r2 = load ptr, ptr %q, align 8\n  call void @__tsan_write8(ptr %r2)\n";
    let body = format!("  %r = load ptr, ptr %q, align 8\n{other}{RET}");
    assert_eq!(redundant(&body), ["read8(ptr %r)", "write8(ptr %r2)"]);
    // At the next turn, `%y` is another pointer.
    let unlock = "  %u = call i32 @pthread_mutex_unlock(ptr %q)\n";
    let body = format!(
        "  br label %l\n\nl:\n  %y = load ptr, ptr %q, align 8\n  call void @__tsan_write8(ptr %y)\n{unlock}  call void @__tsan_read8(ptr %y)\n  \
         %c = icmp eq i32 %u, 0\n  br i1 %c, label %e, label %l\n\ne:\n  call void @__tsan_write8(ptr %y)\n{RET}"
    );
    assert_eq!(at(Level::Redundant, &body).stats[0].redundant, 0);
}
