//! Addresses that come again, though nobody can say beforehand which: a word on the stack remembers them.

use crate::{LEARNS, RET, at};
use deadheat_elide::{Level, Stats};

/// Searches in a loop: from `start` on, in steps of four bytes, with a check of `%a`; `between` searches something happens.
struct Search<'a> {
    start: &'a str,
    before: &'a str,
    inside: &'a str,
    between: &'a str,
    /// The block at whose end it comes again.
    last: &'a str,
    step: i64,
}

const SEARCH: Search<'static> =
    Search { start: "%p", before: "", inside: "", between: "", last: "%left", step: 1 };

impl Search<'_> {
    fn done(&self) -> (Stats, String) {
        let Search { start, before, inside, between, last, step } = self;
        let body = format!(
            "  br label %o\n\no:\n  %k = phi i64 [ 0, %entry ], [ %k2, {last} ]\n{before}  br label %i\n\n\
             i:\n  %j = phi i64 [ 0, %o ], [ %j2, %next ]\n  %a = getelementptr i32, ptr {start}, i64 %j\n{inside}  call void @__tsan_read4(ptr %a)\n  \
             %v = load i32, ptr %a, align 4\n  %is = icmp eq i32 %v, 7\n  br i1 %is, label %left, label %next\n\n\
             next:\n  %j2 = add nsw i64 %j, {step}\n  %more = icmp ult i64 %j2, %n\n  br i1 %more, label %i, label %left\n\n\
             left:\n{between}  %k2 = add i64 %k, 1\n  %again = icmp ne i64 %k2, 9\n  br i1 %again, label %o, label %e\n\ne:\n{RET}"
        );
        let elided = at(Level::Coalesce, &body);
        (elided.stats[0].clone(), elided.text)
    }

    fn is_remembered(&self) -> bool {
        let (stats, text) = self.done();
        assert_eq!(text.contains("%dh.again0 = alloca i64"), stats.once == 1, "{text}");
        stats.once == 1
    }
}

#[test]
fn a_search_goes_through_the_same_elements_again() {
    let (stats, text) = SEARCH.done();
    assert_eq!((stats.left(), stats.once), (1, 1), "{text}");
    let begin = "  %dh.again0 = alloca i64, align 8\n  store i64 0, ptr %dh.again0, align 8\n";
    assert!(text.contains(begin), "{text}");
    let check = "  %dho1 = load i64, ptr %dh.again0, align 8\n  %dho1.a = ptrtoint ptr %a to i64\n  \
                 %dho1.z = icmp ult i64 %dho1.a, %dho1\n  br i1 %dho1.z, label %dho1.rest, label %dho1.not\n\n\
                 dho1.not:\n  %dho1.n = add i64 %dho1.a, 1\n  store i64 %dho1.n, ptr %dh.again0, align 8\n  call void @__tsan_read4(ptr %a)\n";
    assert!(text.contains(check), "{text}");
    // Who comes from the block of the check comes from what is left of it.
    assert!(text.contains("br i1 %is, label %left, label %next"), "{text}");
}

#[test]
fn what_is_published_is_forgotten() {
    let unlock = "  %u = call i32 @pthread_mutex_unlock(ptr %q)\n";
    // Between all searches: there is nothing to remember.
    assert!(!Search { between: unlock, ..SEARCH }.is_remembered());
    assert!(!Search { before: unlock, ..SEARCH }.is_remembered());
    assert!(!Search { inside: unlock, ..SEARCH }.is_remembered());
    assert!(Search { between: LEARNS, ..SEARCH }.is_remembered());
    // Between some: it is forgotten there.
    let sometimes = "  %odd = and i64 %k, 1\n  %is_odd = icmp eq i64 %odd, 0\n  br i1 %is_odd, label %u, label %go\n\nu:\n  \
                     %r = call i32 @pthread_mutex_unlock(ptr %q)\n  br label %go\n\ngo:\n";
    let (stats, text) = Search { between: sometimes, last: "%go", ..SEARCH }.done();
    assert_eq!(stats.once, 1, "{text}");
    let cleared = "  store i64 0, ptr %dh.again0, align 8\n  %r = call i32 @pthread_mutex_unlock";
    assert!(text.contains(cleared), "{text}");
}

#[test]
fn it_begins_at_the_same_place() {
    // Another place at every turn of the loop around it.
    let moves = "  %s = getelementptr i64, ptr %p, i64 %k\n";
    assert!(!Search { start: "%s", before: moves, ..SEARCH }.is_remembered());
    let loaded = "  %s = load ptr, ptr %q, align 8\n";
    assert!(!Search { start: "%s", before: loaded, ..SEARCH }.is_remembered());
    // And goes up from there: the word is where the beginning ends.
    assert!(Search { step: 3, ..SEARCH }.is_remembered());
    assert!(!Search { step: -1, ..SEARCH }.is_remembered());
    assert!(!Search { step: 1 << 40, ..SEARCH }.is_remembered());
}

/// Three loops: the place is another one at every turn of the outermost.
#[test]
fn where_the_place_changes_it_is_forgotten() {
    let body = format!(
        "  br label %m\n\nm:\n  %s = phi ptr [ %p, %entry ], [ %s2, %more ]\n  br label %o\n\no:\n  %k = phi i64 [ 0, %m ], [ %k2, %left ]\n  br label %i\n\n\
         i:\n  %j = phi i64 [ 0, %o ], [ %j2, %next ]\n  %a = getelementptr i32, ptr %s, i64 %j\n  call void @__tsan_read4(ptr %a)\n  \
         %v = load i32, ptr %a, align 4\n  %is = icmp eq i32 %v, 7\n  br i1 %is, label %left, label %next\n\n\
         next:\n  %j2 = add nuw nsw i64 %j, 1\n  %goes = icmp ult i64 %j2, %n\n  br i1 %goes, label %i, label %left\n\n\
         left:\n  %k2 = add i64 %k, 1\n  %again = icmp ne i64 %k2, 9\n  br i1 %again, label %o, label %more\n\n\
         more:\n  %s2 = load ptr, ptr %s, align 8\n  %is0 = icmp eq ptr %s2, null\n  br i1 %is0, label %e, label %m\n\ne:\n{RET}"
    );
    let elided = at(Level::Coalesce, &body);
    assert_eq!(elided.stats[0].once, 1, "{}", elided.text);
    let cleared = "%s = phi ptr [ %p, %entry ], [ %s2, %more ]\n  store i64 0, ptr %dh.again0, align 8\n";
    assert!(elided.text.contains(cleared), "{}", elided.text);
}

/// A turn that makes no check before the next one leaves a gap.
#[test]
fn a_check_of_some_turns_is_no_beginning() {
    let body = format!(
        "  br label %o\n\no:\n  %k = phi i64 [ 0, %entry ], [ %k2, %left ]\n  br label %i\n\n\
         i:\n  %j = phi i64 [ 0, %o ], [ %j2, %next ]\n  %a = getelementptr i32, ptr %p, i64 %j\n  %odd = and i64 %j, 1\n  %is = icmp eq i64 %odd, 0\n  \
         br i1 %is, label %check, label %next\n\ncheck:\n  call void @__tsan_read4(ptr %a)\n  br label %next\n\n\
         next:\n  %j2 = add nuw nsw i64 %j, 1\n  %more = icmp ult i64 %j2, %n\n  br i1 %more, label %i, label %left\n\n\
         left:\n  %k2 = add i64 %k, 1\n  %again = icmp ne i64 %k2, 9\n  br i1 %again, label %o, label %e\n\ne:\n{RET}"
    );
    assert_eq!(at(Level::Coalesce, &body).stats[0].once, 0);
}

/// A loop with the best so far, which is another one at some turns; `%b` is what it becomes.
fn best(becomes: &str, inside: &str) -> (Stats, String) {
    let body = format!(
        "  br label %l\n\nl:\n  %best = phi i64 [ 0, %entry ], [ %b, %next ]\n  %k = phi i64 [ 0, %entry ], [ %k2, %next ]\n  \
         %a = getelementptr i8, ptr %p, i64 %best\n  call void @__tsan_read1(ptr %a)\n{inside}  %x = load volatile i64, ptr %q, align 8\n  %c = icmp ugt i64 %x, %best\n  \
         br i1 %c, label %better, label %next\n\nbetter:\n  br label %next\n\n\
         next:\n{becomes}  %k2 = add i64 %k, 1\n  %more = icmp ult i64 %k2, %n\n  br i1 %more, label %l, label %e\n\ne:\n{RET}"
    );
    let elided = at(Level::Coalesce, &body);
    (elided.stats[0].clone(), elided.text)
}

#[test]
fn the_best_so_far_may_be_what_it_was() {
    for becomes in
        ["  %b = phi i64 [ %best, %l ], [ %x, %better ]\n", "  %b = select i1 %c, i64 %x, i64 %best\n"]
    {
        let (stats, text) = best(becomes, "");
        assert_eq!((stats.left(), stats.once), (1, 1), "{text}");
        assert!(text.contains("  %dho1.z = icmp eq i64 %dho1.a, %dho1\n"), "{text}");
        assert!(
            text.contains("  store i64 %dho1.a, ptr %dh.again0, align 8\n  call void @__tsan_read1"),
            "{text}"
        );
    }
    // Always another one.
    assert_eq!(best("  %b = add i64 %x, 1\n", "").0.once, 0);
    assert_eq!(best("  %b = phi i64 [ %x, %l ], [ %k, %better ]\n", "").0.once, 0);
}

#[test]
fn the_best_so_far_is_forgotten_where_something_is_published() {
    let becomes = "  %b = phi i64 [ %best, %l ], [ %x, %better ]\n";
    let unlock = "  %u = call i32 @pthread_mutex_unlock(ptr %q)\n";
    assert_eq!(best(becomes, unlock).0.once, 0);
    assert_eq!(best(becomes, LEARNS).0.once, 1);
}

#[test]
fn at_the_first_level_nothing_is_remembered() {
    let body = "  br label %l\n\nl:\n  call void @__tsan_read4(ptr %p)\n  br label %l\n";
    assert!(!at(Level::Redundant, body).text.contains("%dh.again"));
}
