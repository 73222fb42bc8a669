//! Checks that are redundant on some paths only: the function remembers which way it came.

use crate::{READ, RET, WRITE, at};
use deadheat_elide::{Level, Stats};

/// What was done to the function with that body, and its text.
fn once(body: &str) -> (Stats, String) {
    let elided = at(Level::Coalesce, body);
    (elided.stats[0].clone(), elided.text)
}

/// Checks on one side of a branch, something, and a read where the ways meet.
fn after(side: &str, between: &str) -> (Stats, String) {
    let body = format!(
        "  %c = icmp eq i64 %n, 0\n  br i1 %c, label %a, label %d\n\na:\n{side}  br label %d\n\nd:\n{between}{READ}{RET}"
    );
    once(&body)
}

#[test]
fn a_check_that_one_path_has_made() {
    for side in [READ, WRITE] {
        let (stats, text) = after(side, "");
        assert_eq!((stats.left(), stats.once), (2, 1), "{text}");
        assert!(
            text.contains("%dh.once = alloca i64, align 8\n  store i64 0, ptr %dh.once, align 8\n"),
            "{text}"
        );
        let set = text.find("or i64 %dho1, 1").expect("it is set");
        let tested = text.find("and i64 %dho2, 1").expect("it is tested");
        assert!(
            set < text.find("\nd:").expect("the ways meet") && text.find("\nd:") < Some(tested),
            "{text}"
        );
    }
}

#[test]
fn a_read_or_other_bytes_are_no_reason_to_skip_a_write() {
    let other = "  %o = getelementptr i8, ptr %p, i64 4\n  call void @__tsan_read8(ptr %o)\n";
    assert_eq!(after(other, "").0.once, 0);
    let body = format!(
        "  %c = icmp eq i64 %n, 0\n  br i1 %c, label %a, label %d\n\na:\n{READ}  br label %d\n\nd:\n{WRITE}{RET}"
    );
    assert_eq!(once(&body).0.once, 0);
}

#[test]
fn what_is_published_is_forgotten() {
    let unlock = "  %u = call i32 @pthread_mutex_unlock(ptr %q)\n";
    assert_eq!(after(&[READ, unlock].concat(), "").0.once, 0);
    assert_eq!(after(READ, unlock).0.once, 0);
    assert_eq!(after(READ, "  %l = call i32 @pthread_mutex_lock(ptr %q)\n").0.once, 1);
    let (stats, text) = once(&sometimes(WRITE, unlock));
    assert_eq!(stats.once, 1);
    let cleared = text.find("  store i64 0, ptr %dh.once, align 8\n  %u = call i32 @pthread_mutex_unlock");
    assert!(cleared.is_some(), "{text}");
}

/// A loop that goes round `%n` times, and does one thing at some of its turns, and another at some others.
fn sometimes(one: &str, other: &str) -> String {
    format!(
        "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %m ]\n  %v = load i64, ptr %q, align 8\n  %e = icmp eq i64 %v, %i\n  br i1 %e, label %y, label %z\n\ny:\n{one}  br label %m\n\n\
         z:\n{other}  br label %m\n\nm:\n  %j = add nuw nsw i64 %i, 1\n  %c = icmp eq i64 %j, %n\n  br i1 %c, label %x, label %l\n\nx:\n  ret void\n"
    )
}

#[test]
fn what_a_loop_does_at_some_turns_is_checked_at_one() {
    let (stats, text) = once(&sometimes(WRITE, ""));
    assert_eq!((stats.left(), stats.once), (1, 1), "{text}");
    // Skipped or not, it goes on at the same place, which is another block to φs behind it.
    assert!(text.contains("label %dho1.rest, label %dho1.not"), "{text}");
    assert!(text.contains("%i = phi i64 [ 0, %entry ], [ %j, %m ]"), "{text}");
}

#[test]
fn another_pointer_is_another_check() {
    let moving = "  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_write8(ptr %a)\n";
    assert_eq!(once(&sometimes(moving, "")).0.once, 0);
    // A pointer that is loaded anew at some turns: what was checked of the last one does not count.
    let body = "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %m ]\n  %r = phi ptr [ %p, %entry ], [ %s, %m ]\n  %k = icmp eq i64 %i, 7\n  \
                br i1 %k, label %y, label %z\n\ny:\n  call void @__tsan_read8(ptr %r)\n  br label %z\n\nz:\n  %o = icmp eq i64 %i, 8\n  br i1 %o, label %w, label %m\n\n\
                w:\n  call void @__tsan_read8(ptr %r)\n  br label %m\n\nm:\n  %s = load ptr, ptr %r, align 8\n  %j = add nuw nsw i64 %i, 1\n  \
                %c = icmp eq i64 %j, %n\n  br i1 %c, label %x, label %l\n\nx:\n  ret void\n";
    let (stats, text) = once(body);
    assert_eq!((stats.left(), stats.once), (2, 1), "{text}");
    let header = text.find("%r = phi ptr").expect("it is there");
    let cleared = text.find("and i64 %dho1, -2\n").expect("it is cleared");
    let tested = text.find("and i64 %dho3, 1\n").expect("it is tested");
    assert!(header < cleared && cleared < tested, "{text}");
}

#[test]
fn at_the_first_level_nothing_is_remembered() {
    let elided = at(Level::Redundant, &sometimes(WRITE, ""));
    assert!(!elided.text.contains("dh.once"), "{}", elided.text);
}

#[test]
fn a_write_stands_for_reads_and_a_read_for_no_write() {
    let (stats, text) = once(&sometimes(READ, WRITE));
    assert_eq!((stats.left(), stats.once), (2, 2), "{text}");
    let sets = |check: &str| {
        let before = text.split(check).next().expect("it is there");
        let set =
            before.rsplit("or i64 ").next().and_then(|s| s.split([',', '\n']).nth(1)).expect("it sets bits");
        set.trim().parse::<u64>().expect("bits").count_ones()
    };
    assert_eq!((sets("call void @__tsan_read8"), sets("call void @__tsan_write8")), (1, 2), "{text}");
}
