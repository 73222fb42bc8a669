//! Each rule on a small module: which checks stay, and which do not.

mod again;
mod calls;
mod later;
mod local;
mod once;
mod whole;

use deadheat_elide::{Elided, Level, elide};

/// A module of one function with that body; `%p` and `%q` are pointers, `%n` a count.
fn module(body: &str) -> String {
    format!(
        "target triple = \"x86_64-pc-linux-gnu\"\n\ndefine dso_local void @f(ptr %p, ptr %q, i64 %n) {{\nentry:\n{body}}}\n\n\
         declare i32 @pthread_mutex_lock(ptr)\ndeclare i32 @pthread_mutex_unlock(ptr)\ndeclare void @unknown()\ndeclare double @sqrt(double)\n\
         declare i32 @pthread_create(ptr, ptr, ptr, ptr)\n@g = external global i64\n\n\
         define internal void @unlocks() {{\n  %r = call i32 @pthread_mutex_unlock(ptr @g)\n  ret void\n}}\n\n\
         define internal void @quiet() {{\n  ret void\n}}\n\ndefine weak dso_local void @replaceable() {{\n  ret void\n}}\n"
    )
}

fn at(level: Level, body: &str) -> Elided {
    elide(&module(body), level).expect("it is a module")
}

/// The calls of the runtime that are left, in order, without `__tsan_` and what follows.
fn left(level: Level, body: &str) -> Vec<String> {
    let text = at(level, body).text;
    let calls = text.lines().filter(|line| {
        line.contains("call ") && (line.contains("@__tsan_") || line.contains("@__deadheat_"))
    });
    calls
        .map(|line| line[line.find("@__").unwrap_or(0) + 3..].trim_start_matches("tsan_").to_owned())
        .collect()
}

fn redundant(body: &str) -> Vec<String> {
    left(Level::Redundant, body)
}

const READ: &str = "  call void @__tsan_read8(ptr %p)\n";
const WRITE: &str = "  call void @__tsan_write8(ptr %p)\n";
const RET: &str = "  ret void\n";
/// Something is learned: the moment ends, the span does not.
const LEARNS: &str = "  %learns = call i32 @pthread_mutex_lock(ptr %q)\n";

#[test]
fn a_second_check_of_the_same_bytes_goes() {
    assert_eq!(redundant(&[READ, READ, RET].concat()), ["read8(ptr %p)"]);
    assert_eq!(redundant(&[WRITE, READ, WRITE, RET].concat()), ["write8(ptr %p)"]);
}

#[test]
fn a_read_does_not_stand_for_a_write() {
    assert_eq!(redundant(&[READ, LEARNS, WRITE, RET].concat()), ["read8(ptr %p)", "write8(ptr %p)"]);
}

#[test]
fn a_span_ends_where_something_is_published() {
    for end in [
        "  %r = call i32 @pthread_mutex_unlock(ptr %q)\n",
        "  %r = call i32 @pthread_create(ptr %q, ptr null, ptr @g, ptr null)\n",
        "  call void @unknown()\n",
        "  call void @unlocks()\n",
        "  call void @replaceable()\n",
        "  call void %q()\n",
        "  call void @__tsan_atomic32_store(ptr %q, i32 1, i32 3)\n",
        "  call void @__tsan_atomic32_store(ptr %q, i32 1, i32 0)\n",
        "  %r = call i32 @__tsan_atomic32_fetch_add(ptr %q, i32 1, i32 0)\n",
        "  call void @__tsan_atomic_thread_fence(i32 3)\n",
        "  fence seq_cst\n",
        "  store atomic i32 0, ptr %q release, align 4\n",
        "  call void asm sideeffect \"\", \"\"()\n",
        "  %r = va_arg ptr %q, i32\n",
    ] {
        assert_eq!(
            redundant(&[READ, end, READ, RET].concat()).iter().filter(|c| c.starts_with("read8")).count(),
            2,
            "{end}"
        );
    }
}

#[test]
fn a_span_goes_on_where_something_is_learned_or_nothing_happens() {
    for between in [
        "  %r = call i32 @pthread_mutex_lock(ptr %q)\n",
        "  %r = call i32 @__tsan_atomic32_load(ptr %q, i32 5)\n",
        "  %r = load atomic i32, ptr %q acquire, align 4\n",
        "  %r = call double @sqrt(double 1.0)\n",
        "  call void @quiet()\n",
        "  store ptr %q, ptr %p, align 8\n",
        "  call void @llvm.lifetime.start.p0(i64 8, ptr %q)\n",
    ] {
        assert_eq!(
            redundant(&[READ, between, READ, RET].concat()).iter().filter(|c| c.starts_with("read8")).count(),
            1,
            "{between}"
        );
    }
}

#[test]
fn fields_by_their_distance() {
    let body = "  %a = getelementptr inbounds { i32, i32, i64 }, ptr %p, i64 0, i32 1\n  %b = getelementptr inbounds i8, ptr %p, i64 4\n  \
                call void @__tsan_read8(ptr %p)\n  call void @__tsan_read4(ptr %a)\n  call void @__tsan_read8(ptr %b)\n  \
                %c = getelementptr inbounds { i32, i32, i64 }, ptr %p, i64 0, i32 2\n  call void @__tsan_read4(ptr %c)\n  ret void\n";
    assert_eq!(redundant(body), ["read8(ptr %p)", "read8(ptr %b)"]);
}

#[test]
fn halves_make_a_whole() {
    let body = "  %a = getelementptr inbounds i8, ptr %p, i64 4\n  call void @__tsan_read4(ptr %p)\n  call void @__tsan_write4(ptr %a)\n  \
                call void @__tsan_read8(ptr %p)\n";
    assert_eq!(
        redundant(&[body, LEARNS, WRITE, RET].concat()),
        ["read4(ptr %p)", "write4(ptr %a)", "write8(ptr %p)"]
    );
}

/// Checks on the paths of a diamond, and one where they meet.
fn diamond(left: &str, right: &str) -> Vec<String> {
    let body = format!(
        "  %c = icmp eq i64 %n, 0\n  br i1 %c, label %a, label %b\n\na:\n{left}  br label %d\n\nb:\n{right}  br label %d\n\nd:\n  call void @__tsan_read8(ptr %p)\n  ret void\n"
    );
    redundant(&body)
}

#[test]
fn what_holds_on_all_paths_holds_where_they_meet() {
    assert_eq!(diamond(READ, WRITE).len(), 2);
    assert_eq!(diamond(READ, "").len(), 2);
    assert_eq!(diamond(READ, "  call void @__tsan_write8(ptr %p)\n  call void @unknown()\n").len(), 3);
}

#[test]
fn what_is_loaded_anew_is_another_pointer() {
    let body = "  %a = load ptr, ptr %p, align 8\n  call void @__tsan_read8(ptr %a)\n  %b = load ptr, ptr %p, align 8\n  call void @__tsan_read8(ptr %b)\n  ret void\n";
    assert_eq!(redundant(body).len(), 2);
}

/// A loop that goes round `%n` times, with that in its body; `%i` counts.
fn turning(body: &str) -> String {
    format!(
        "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %l ]\n{body}  %j = add nuw nsw i64 %i, 1\n  %c = icmp eq i64 %j, %n\n  br i1 %c, label %x, label %l\n\nx:\n  ret void\n"
    )
}

#[test]
fn every_turn_of_a_loop_is_about_its_own_element() {
    let body = turning(
        "  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n  %b = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %b)\n",
    );
    assert_eq!(redundant(&body), ["read8(ptr %a)"]);
}

#[test]
fn the_elements_of_a_loop_are_a_range() {
    let body =
        turning("  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n");
    let elided = at(Level::Coalesce, &body);
    assert!(elided.text.contains("call void @__deadheat_read_range(ptr %dhc1."), "{}", elided.text);
    assert!(!elided.text.contains("call void @__tsan_read8"));
    assert_eq!(elided.stats[0].left(), 1);
}

#[test]
fn a_loop_with_gaps_is_checked_with_gaps() {
    for element in ["{ i64, i64 }", "[2 x i64]"] {
        let body = turning(&format!(
            "  %a = getelementptr inbounds {element}, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n"
        ));
        let calls = left(Level::Coalesce, &body);
        assert!(calls.len() == 1 && calls[0].starts_with("deadheat_read_stride(ptr"), "{calls:?}");
        assert!(calls[0].ends_with(", i64 16, i64 8)"), "{calls:?}");
    }
}

/// Fields of the elements of a loop, each read: their distances from the beginning of the element of 40 bytes.
fn fields(distances: &[u32]) -> Vec<String> {
    let access = |d: &u32| {
        format!(
            "  %a{d} = getelementptr inbounds [5 x i64], ptr %p, i64 %i\n  %b{d} = getelementptr inbounds i8, ptr %a{d}, i64 {d}\n  call void @__tsan_read8(ptr %b{d})\n"
        )
    };
    left(Level::Coalesce, &turning(&distances.iter().map(access).collect::<String>()))
}

#[test]
fn neighbouring_fields_are_checked_together() {
    let ends = |calls: Vec<String>, all: &[&str]| {
        assert!(
            calls.len() == all.len() && calls.iter().zip(all).all(|(c, end)| c.ends_with(end)),
            "{calls:?}"
        );
    };
    ends(fields(&[0, 16, 8]), &["i64 40, i64 24)"]);
    ends(fields(&[0, 24]), &["i64 40, i64 8)", "i64 40, i64 8)"]);
    // What the next turn comes to anyway.
    ends(fields(&[0, 40]), &["i64 40, i64 8)"]);
    assert!(fields(&[0, 8, 16, 24, 32])[0].starts_with("deadheat_read_range("));
}

#[test]
fn an_unrolled_loop_with_gaps_is_one() {
    // So many bytes at such distances in each of ten elements of 48 bytes.
    let calls = |fields: &[(u32, u32)]| {
        let access = |(size, d): &(u32, u32)| {
            format!(
                "  %a{d} = getelementptr inbounds [6 x i64], ptr %p, i64 %i\n  %b{d} = getelementptr inbounds i8, ptr %a{d}, i64 {d}\n  call void @__tsan_read{size}(ptr %b{d})\n"
            )
        };
        let body = turning(&fields.iter().map(access).collect::<String>());
        left(Level::Coalesce, &body.replace("%n", "10"))
    };
    let ends =
        |calls: Vec<String>, end: &str| assert!(calls.len() == 1 && calls[0].ends_with(end), "{calls:?}");
    ends(calls(&[(8, 0), (8, 24)]), "i64 464, i64 24, i64 8)");
    ends(calls(&[(8, 32), (8, 0), (8, 16)]), "i64 472, i64 16, i64 8)");
    assert_eq!(calls(&[(8, 0), (8, 32)]).len(), 2, "not half of the way");
    assert_eq!(calls(&[(8, 0), (8, 16)]).len(), 2, "a third of the way, and not the last one");
    assert_eq!(calls(&[(8, 0), (8, 16), (8, 40)]).len(), 3, "the last one is late");
    assert_eq!(calls(&[(8, 0), (4, 24)]).len(), 2, "not as many bytes");
}

/// As [`turning`], while the counter, which grows by `step`, compares so with `%n`.
fn turning_while(predicate: &str, sum: &str) -> String {
    format!(
        "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %l ]\n  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n  \
         %j = {sum}\n  %c = icmp {predicate}\n  br i1 %c, label %l, label %x\n\nx:\n  ret void\n"
    )
}

#[test]
fn turns_are_counted_where_the_counter_does_not_wrap() {
    for (predicate, sum) in [
        ("slt i64 %j, %n", "add nsw i64 %i, 2"),
        ("sgt i64 %n, %j", "add nsw i64 %i, 2"),
        ("sle i64 %j, %n", "add nsw i64 %i, 1"),
        ("ult i64 %j, %n", "add nuw i64 %i, 3"),
        ("sgt i64 %j, %n", "add nsw i64 %i, -1"),
    ] {
        let calls = left(Level::Coalesce, &turning_while(predicate, sum));
        assert!(calls.len() == 1 && calls[0].starts_with("deadheat_read_"), "{predicate}: {calls:?}");
    }
    for (predicate, sum) in [
        ("slt i64 %j, %n", "add i64 %i, 2"),
        ("slt i64 %j, %n", "add nuw i64 %i, 2"),
        ("ult i64 %j, %n", "add nsw i64 %i, 2"),
        ("sgt i64 %j, %n", "add nsw i64 %i, 2"),
        ("slt i64 %j, %i", "add nsw i64 %i, 2"),
    ] {
        assert_eq!(
            left(Level::Coalesce, &turning_while(predicate, sum)),
            ["read8(ptr %a)"],
            "{predicate} {sum}"
        );
    }
}

/// A loop over `first` of all elements, something, and a loop over `second` that may be left at every turn.
fn searched(first: &str, between: &str, second: &str) -> Vec<String> {
    searching(first, between, second, "")
}

/// The same, with something more at every turn of the second loop.
fn searching(first: &str, between: &str, second: &str, turn: &str) -> Vec<String> {
    let body = format!(
        "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %l ]\n  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_{first}(ptr %a)\n  \
         %j = add nuw nsw i64 %i, 1\n  %c = icmp eq i64 %j, %n\n  br i1 %c, label %m, label %l\n\n\
         m:\n{between}  br label %s\n\ns:\n  %k = phi i64 [ 0, %m ], [ %o, %t ]\n  %b = getelementptr inbounds i64, ptr %p, i64 %k\n  call void @__tsan_{second}(ptr %b)\n  \
         %v = load i64, ptr %b, align 8\n  %e = icmp eq i64 %v, 7\n  br i1 %e, label %x, label %t\n\n\
         t:\n{turn}  %o = add nuw nsw i64 %k, 1\n  %d = icmp eq i64 %o, %n\n  br i1 %d, label %x, label %s\n\nx:\n  ret void\n"
    );
    left(Level::Coalesce, &body)
}

#[test]
fn a_search_through_what_was_checked_needs_no_check() {
    assert_eq!(searched("read8", "", "read8").len(), 1);
    assert_eq!(searched("write8", "", "read8").len(), 1);
    assert_eq!(searched("read8", "  %r = call i32 @pthread_mutex_lock(ptr %q)\n", "read4").len(), 1);
    assert!(searched("read8", "", "write8").contains(&"write8(ptr %b)".to_owned()));
    assert!(searched("read4", "", "read8").contains(&"read8(ptr %b)".to_owned()));
    let unlocked = searched("read8", "  %r = call i32 @pthread_mutex_unlock(ptr %q)\n", "read8");
    assert!(unlocked.contains(&"read8(ptr %b)".to_owned()));
}

#[test]
fn a_search_that_publishes_checks_again() {
    let calls = searching("read8", "", "read8", "  %r = call i32 @pthread_mutex_lock(ptr %q)\n");
    assert_eq!(calls.len(), 1, "{calls:?}");
    let calls = searching("read8", "", "read8", "  %r = call i32 @pthread_mutex_unlock(ptr %q)\n");
    assert_eq!(calls.len(), 2, "{calls:?}");
}

/// Reads of eight bytes at those distances from `%p`, with something between them.
fn together(distances: &[u32], between: &str) -> Vec<String> {
    let access = |d: &u32| {
        format!(
            "  %b{d} = getelementptr inbounds i8, ptr %p, i64 {d}\n  call void @__tsan_read8(ptr %b{d})\n"
        )
    };
    left(Level::Coalesce, &(distances.iter().map(access).collect::<Vec<_>>().join(between) + RET))
}

#[test]
fn fields_of_a_block_are_checked_together() {
    assert_eq!(together(&[8, 16], ""), ["read16(ptr %b8)"]);
    assert_eq!(together(&[16, 0, 8], ""), ["deadheat_read_range(ptr %b0, i64 24)"]);
    assert_eq!(together(&[0, 16], "").len(), 2);
    assert_eq!(together(&[0, 8, 24, 32], ""), ["read16(ptr %b0)", "read16(ptr %b24)"]);
    for between in ["  %r = call i32 @pthread_mutex_lock(ptr %q)\n", "  call void @unknown()\n"] {
        assert_eq!(together(&[0, 8], between).len(), 2, "{between}");
    }
    assert_eq!(together(&[0, 8], "  store i64 0, ptr %q, align 8\n").len(), 1);
}

#[test]
fn parts_of_a_granule_are_checked_together() {
    let bytes = |distances: &[u32]| {
        let access = |d: &u32| {
            format!(
                "  %b{d} = getelementptr inbounds i8, ptr %p, i64 {d}\n  call void @__tsan_write1(ptr %b{d})\n"
            )
        };
        left(Level::Coalesce, &(distances.iter().map(access).collect::<String>() + RET))
    };
    assert_eq!(bytes(&[1, 0]), ["unaligned_write2(ptr %b0)"]);
    assert_eq!(bytes(&[0, 1, 2]), ["unaligned_write2(ptr %b0)", "write1(ptr %b2)"]);
    assert_eq!(bytes(&[0, 2, 1, 3, 7]), ["unaligned_write4(ptr %b0)", "write1(ptr %b7)"]);
}

/// A write of a half of a word before paths part, and of the other half where they meet.
fn halves(first: &str, one: &str, other: &str, meet: &str) -> Vec<String> {
    let body = format!(
        "  %o = getelementptr inbounds i8, ptr %p, i64 4\n  %c = icmp eq i64 %n, 0\n  call void @__tsan_write4(ptr %p)\n{first}  br i1 %c, label %a, label %b\n\n\
         a:\n{one}\n\nb:\n{other}\n\nd:\n{meet}  call void @__tsan_write4(ptr %o)\n  ret void\n\ne:\n  ret void\n"
    );
    left(Level::Coalesce, &body)
}

#[test]
fn neighbours_on_all_paths_are_checked_together() {
    const BOTH: [&str; 2] = ["write4(ptr %p)", "write4(ptr %o)"];
    let on = "  br label %d\n";
    assert_eq!(halves("", on, on, ""), ["unaligned_write8(ptr %p)"]);
    // The way through `a` leads to a second fork.
    let fork = "  br i1 %c, label %b, label %d\n";
    assert_eq!(halves("", fork, on, ""), ["unaligned_write8(ptr %p)"]);
    // Something happens before they part, on one of the paths, or where they meet.
    let learns = [LEARNS, on].concat();
    assert_eq!(halves(LEARNS, on, on, ""), BOTH);
    assert_eq!(halves("", &learns, on, ""), BOTH);
    assert_eq!(halves("", on, &learns, ""), BOTH);
    assert_eq!(halves("", on, on, LEARNS), BOTH);
    // One of the paths does not lead there, or not only there.
    assert_eq!(halves("", "  ret void\n", on, ""), BOTH);
    assert_eq!(halves("", on, "  br i1 %c, label %d, label %e\n", ""), BOTH);
    // One may go round for ever.
    assert_eq!(halves("", "  br i1 %c, label %a, label %d\n", on, ""), BOTH);
    // Who comes from elsewhere has written the other half only.
    let elsewhere = "  %o = getelementptr inbounds i8, ptr %p, i64 4\n  %c = icmp eq i64 %n, 0\n  br i1 %c, label %a, label %d\n\na:\n  call void @__tsan_write4(ptr %p)\n  br label %d\n\n\
                     d:\n  call void @__tsan_write4(ptr %o)\n  ret void\n";
    assert_eq!(left(Level::Coalesce, elsewhere), BOTH);
}

#[test]
fn a_loop_in_a_loop_comes_to_an_end_if_it_is_counted() {
    let nested = |end: &str| {
        turning(&format!(
            "  br label %in\n\nin:\n  %k = phi i64 [ 0, %l ], [ %o, %in ]\n  %v = load i64, ptr %q, align 8\n  %o = add nuw nsw i64 %k, 1\n  \
             %d = icmp eq i64 {end}\n  br i1 %d, label %out, label %in\n\nout:\n  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n"
        ))
        .replace("[ %j, %l ]", "[ %j, %out ]")
    };
    assert!(left(Level::Coalesce, &nested("%o, 9"))[0].starts_with("deadheat_read_range("));
    assert_eq!(left(Level::Coalesce, &nested("%v, 9")), ["read8(ptr %a)"]);
}

#[test]
fn a_loop_that_may_end_early_or_synchronise_stays() {
    let access = "  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n";
    for more in [
        "  call void @unknown()\n",
        "  %r = call i32 @pthread_mutex_lock(ptr %q)\n",
        "  %r = load atomic i64, ptr %q acquire, align 8\n",
    ] {
        assert_eq!(left(Level::Coalesce, &turning(&[access, more].concat())), ["read8(ptr %a)"], "{more}");
    }
    let early = format!(
        "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %m ]\n  %v = load i64, ptr %q, align 8\n  %e = icmp eq i64 %v, %i\n  br i1 %e, label %x, label %m\n\nm:\n{access}  \
         %j = add nuw nsw i64 %i, 1\n  %c = icmp eq i64 %j, %n\n  br i1 %c, label %x, label %l\n\nx:\n  ret void\n"
    );
    assert_eq!(left(Level::Coalesce, &early), ["read8(ptr %a)"]);
}

#[test]
fn what_a_loop_does_at_some_turns_stays() {
    let sometimes = |access: &str| {
        format!(
            "  br label %l\n\nl:\n  %i = phi i64 [ 0, %entry ], [ %j, %m ]\n  %v = load i64, ptr %q, align 8\n  %e = icmp eq i64 %v, %i\n  br i1 %e, label %y, label %m\n\ny:\n{access}  br label %m\n\n\
             m:\n  %j = add nuw nsw i64 %i, 1\n  %c = icmp eq i64 %j, %n\n  br i1 %c, label %x, label %l\n\nx:\n  ret void\n"
        )
    };
    let moving = "  %a = getelementptr inbounds i64, ptr %p, i64 %i\n  call void @__tsan_read8(ptr %a)\n";
    assert_eq!(left(Level::Coalesce, &sometimes(moving)), ["read8(ptr %a)"]);
    let text = at(Level::Coalesce, &sometimes(WRITE)).text;
    assert!(text.find("call void @__tsan_write8") > text.find("\ny:"), "{text}");
}

#[test]
fn what_a_loop_does_to_the_same_bytes_is_done_once() {
    assert_eq!(left(Level::Coalesce, &turning(WRITE)).len(), 1);
    let text = at(Level::Coalesce, &turning(WRITE)).text;
    let (call, header) =
        (text.find("write8").expect("it is there"), text.find("\nl:").expect("the loop is there"));
    assert!(call < header, "{text}");
}

#[test]
fn a_frame_that_nobody_sees_goes() {
    let frame = "  call void @__tsan_func_entry(ptr %p)\n";
    let body = [frame, "  %v = load i64, ptr %q, align 8\n  call void @__tsan_func_exit()\n", RET].concat();
    assert!(redundant(&body).is_empty());
    assert_eq!(redundant(&[frame, READ, RET].concat()).len(), 2);
    assert_eq!(redundant(&[frame, "  call void @unknown()\n", RET].concat()).len(), 1);
}

#[test]
fn comparisons_in_the_code_cut_blocks_where_phis_know_it() {
    let body = turning("  %a = load ptr, ptr %q, align 8\n  call void @__tsan_write8(ptr %a)\n");
    let text = at(Level::Inline, &body).text;
    assert!(text.contains("%i = phi i64 [ 0, %entry ], [ %j, %dh1.rest ]"), "{text}");
    assert!(text.contains("call preserve_mostcc void @__deadheat_cold_write8(ptr %a)"), "{text}");
    assert!(text.contains("@__deadheat_tls = external dso_local thread_local(localexec) global"), "{text}");
}

#[test]
fn what_is_no_module_is_refused_and_what_cannot_be_read_stays() {
    assert!(elide("int main(void) { return 0; }", Level::Inline).is_none());
    let odd = module("  br label %nowhere\n");
    let elided = elide(&odd, Level::Inline).expect("the rest is a module");
    assert_eq!((elided.unread, elided.text == odd), (1, true));
}
