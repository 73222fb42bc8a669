//! What a linker has joined: who can still call a function, or put another in its place.

use deadheat_elide::{Elided, Level, Scope, elide, elide_in};

const READ: &str = "  call void @__tsan_read8(ptr %p)\n";
const CALL: &str = "  call void @inner(ptr %p)\n";

fn module(linkage: &str, inner: &str, outer: &str, more: &str) -> String {
    let head = "target triple = \"x86_64-pc-linux-gnu\"\n";
    format!(
        "{head}{more}\ndefine {linkage} void @inner(ptr %p) {{\n{inner}  ret void\n}}\n\ndefine dso_local void @outer(ptr %p) {{\n{outer}  ret void\n}}\n\
         \ndeclare void @__tsan_func_exit()\n"
    )
}

fn left(elided: Option<Elided>) -> [usize; 2] {
    let elided = elided.expect("it is a module");
    assert_eq!(elided.unread, 0);
    ["@inner", "@outer"].map(|name| elided.stats.iter().find(|s| s.function == name).map_or(0, |s| s.left()))
}

#[test]
fn a_function_of_a_program_is_the_one_that_is_called_by_its_name() {
    let text = module("dso_local", READ, &[CALL, READ].concat(), "");
    assert_eq!(left(elide_in(&text, Level::Redundant, Scope::Program)), [1, 0]);
    assert_eq!(left(elide(&text, Level::Redundant)), [1, 0]);
}

#[test]
fn the_program_may_have_what_its_library_exports() {
    // Compiled for a program, linked into a library.
    let quiet = module("dso_local", "", &[READ, CALL, READ].concat(), "");
    assert_eq!(left(elide_in(&quiet, Level::Redundant, Scope::Program))[1], 1);
    assert_eq!(left(elide_in(&quiet, Level::Redundant, Scope::Library))[1], 2);
    let ensures = module("dso_local", READ, &[CALL, READ].concat(), "");
    assert_eq!(left(elide_in(&ensures, Level::Redundant, Scope::Library)), [1, 1]);
    for own in ["internal", "dso_local hidden", "protected"] {
        let text = module(own, READ, &[CALL, READ].concat(), "");
        assert_eq!(left(elide_in(&text, Level::Redundant, Scope::Library)), [1, 0], "{own}");
    }
}

#[test]
fn what_is_exported_has_callers_that_nobody_knows() {
    let outer = [READ, CALL].concat();
    for scope in [Scope::Program, Scope::Library] {
        let of = |linkage: &str| left(elide_in(&module(linkage, READ, &outer, ""), Level::Redundant, scope));
        assert_eq!(of("internal"), [0, 1], "{scope:?}");
        assert_eq!(of("dso_local"), [1, 1], "{scope:?}");
        assert_eq!(of("dso_local hidden"), [1, 1], "{scope:?}");
    }
}

#[test]
fn assembly_calls_functions_by_their_names() {
    let outer = [READ, CALL].concat();
    let with = |more: &str| {
        left(elide_in(&module("internal", READ, &outer, more), Level::Redundant, Scope::Program))
    };
    let inline = |text: &str| {
        with(&format!(
            "define dso_local void @third() {{\n  call void asm sideeffect \"{text}\", \"\"()\n  ret void\n}}\n"
        ))
    };
    for text in [
        "call inner",
        "call inner@PLT\\0A\\09nop",
        "nop\\0A\\09call\\09inner\\0A",
        "movq $$inner, %rax",
        ".quad inner+8",
    ] {
        assert_eq!(inline(text), [1, 1], "{text}");
    }
    assert_eq!(with("module asm \"other:\"\nmodule asm \"\\09jmp inner\"\n"), [1, 1]);
    // Others are called.
    assert_eq!(inline("call inner2"), [0, 1]);
    assert_eq!(inline("call inn\\65r_; nop"), [0, 1]);
    assert_eq!(with("module asm \"\\09jmp outer\"\n"), [0, 1]);
}

#[test]
fn code_for_a_library_finds_its_thread_where_libraries_do() {
    let flags = "!llvm.module.flags = !{!0, !1}\n!0 = !{i32 8, !\"PIC Level\", i32 2}\n!1 = !{i32 7, !\"PIE Level\", i32 2}\n";
    let text = format!("{}\n{flags}", module("internal", READ, &[CALL, READ].concat(), ""));
    let of = |scope| elide_in(&text, Level::Inline, scope).expect("it is a module").text;
    assert!(of(Scope::Program).contains("localexec"));
    assert!(of(Scope::Library).contains("initialexec"));
    assert!(elide(&text, Level::Inline).expect("it is a module").text.contains("localexec"));
}
