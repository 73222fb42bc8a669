//! The paper's examples as programs of the language, with the annotations that the paper prints; contexts where it prints them.
#![allow(missing_docs)]

mod common;

use common::{analysed, subject, with_proxies};
use deadheat_lang_redcard::Subject;
use deadheat_lang_redcard::annotate::{Contexts, Line, annotate, lines};
use deadheat_redcard::{Config, Mode};
use expect_test::{Expect, expect};

fn shipped(name: &str) -> Subject {
    let path = format!("{}/../../testdata/lang/{name}.heat", env!("CARGO_MANIFEST_DIR"));
    subject(&std::fs::read_to_string(path).expect("the program is shipped"))
}

fn verdicts(subject: &Subject, config: Config) -> Vec<Line> {
    lines(subject, &analysed(subject, config), None)
}

/// The listing without the comments of the program itself.
fn listing(subject: &Subject, config: Config, contexts: Contexts, expected: Expect) {
    let text = annotate(subject, &analysed(subject, config), contexts);
    let own = |line: &&str| !line.starts_with("//");
    let bare = |line: &str| line.split(" // ").next().unwrap_or(line).to_owned() + "\n";
    let line =
        |line: &str| if line.trim_start().starts_with("// Π") { format!("{line}\n") } else { bare(line) };
    expected.assert_eq(&text.lines().filter(own).map(line).collect::<String>());
}

/// In most of the files `// Check` or `// NoCheck` behind a line says what its last access is.
#[test]
fn the_files_say_what_the_analysis_finds() {
    let files = ["section1", "section2", "section3", "section4", "section5-fields", "section6-paths"];
    for name in files {
        let subject = shipped(&format!("redcard-{name}"));
        let found =
            verdicts(&subject, if name.contains("fields") { with_proxies() } else { Config::default() });
        let mut compared = 0;
        for (n, line) in subject.text.lines().enumerate() {
            let said = line.rsplit_once(" // ").map(|(_, comment)| comment);
            let Some(said) = said.filter(|said| ["Check", "NoCheck"].contains(said)) else { continue };
            let on_line = found.iter().filter(|access| access.position.0 == n + 1);
            let last = on_line.max_by_key(|access| access.position.1 + access.text.len()).expect("an access");
            assert_eq!(last.verdict, said, "{name}, line {}: {line}", n + 1);
            compared += 1;
        }
        assert!(compared >= 2, "{name} says nothing");
    }
}

/// Line 4 of the figure is `Π : a[i], ∀(k ∈ 0 to j). a[i][k]`; line 7 is the first item behind the inner loop, for i + 1; line 9 the one
/// behind the outer loop, where i is `a.length`. The global `a` itself is a shared location here, and is checked once.
#[test]
fn figure_1() {
    let expected = expect![[r#"
        global a: [[int]];

        fn clear() {
            let i = 0;
            while i < a^Check.length {
                // Π : ∀(k ∈ 0 to i). ∀(h ∈ 0 to a[k].length). a[k][h]ʷ, ∀(k ∈ 0 to i). a[k], a
                let j = 0;
                while j < a^NoCheck[i]^Check.length {
                    // Π : ∀(k ∈ 0 to i). ∀(h ∈ 0 to a[k].length). a[k][h]ʷ, ∀(k ∈ 0 to i). a[k], a, ∀(k ∈ 0 to j). a[i][k]ʷ, a[i]
                    a^NoCheck[i]^NoCheck[j]^Check = 0;
                    j = j + 1;
                }
                // Π : ∀(k ∈ 0 to i). ∀(h ∈ 0 to a[k].length). a[k][h]ʷ, ∀(k ∈ 0 to i). a[k], a, ∀(k ∈ 0 to j). a[i][k]ʷ, a[i]
                i = i + 1;
            }
            // Π : ∀(k ∈ 0 to i). ∀(h ∈ 0 to a[k].length). a[k][h]ʷ, ∀(k ∈ 0 to i). a[k], a
        }

        main {
            a^Check = new [[int]; 2];
            a^NoCheck[0]^Check = new [int; 2];
            a^NoCheck[1]^Check = new [int; 2];
            let other = spawn {
                a^Check[1]^Check[1]^Check = 7;
            };
            clear();
            wait other;
        }
    "#]];
    listing(&shipped("redcard-fig1"), Config::default(), Contexts::Loops, expected);
}

/// "The post-loop context on 9 shows that any subsequent accesses to this two-dimensional array within the current span would also be
/// check-free."
#[test]
fn figure_1_and_then_again() {
    let text = shipped("redcard-fig1").text.replace("    clear();\n", "    clear();\n    clear();\n");
    let twice = text.replace(
        "        i = i + 1;\n    }\n}\n",
        "        i = i + 1;\n    }\n    i = 0;\n    while i < a.length {\n        let j = 0;\n        while j < a[i].length {\n            a[i][j] = a[i][j] + 1;\n            j = j + 1;\n        }\n        i = i + 1;\n    }\n}\n",
    );
    let subject = subject(&twice);
    let again = twice.lines().position(|line| line.contains("a[i][j] + 1")).expect("it is there") + 1;
    for access in verdicts(&subject, Config::default()) {
        if (again - 3..=again).contains(&access.position.0) {
            assert_eq!(access.verdict, "NoCheck", "{access:?}");
        }
    }
}

#[test]
fn section_4_contexts() {
    let expected = expect![[r#"
        global a: [int];

        main {
            // Π : ∅
            a^Check = new [int; 3];
            // Π : aʷ, 3 = a.length
            let other = spawn {
                // Π : ∅
                a^Check[2]^Check = 7;
            };
            // Π : ∅
            let i = 0;
            // Π : ∅
            while i < a^Check.length {
                // Π : ∀(k ∈ 0 to i). a[k]ʷ, a, 0 ≤ i, i < a.length
                a^NoCheck[i]^Check = 0;
                // Π : ∀(k ∈ 0 to i). a[k]ʷ, a, a[i]ʷ, 0 ≤ i, i < a.length, 0 = a[i]
                i = i + 1;
            }
            // Π : ∀(k ∈ 0 to i). a[k]ʷ, a, 0 ≤ i, a.length ≤ i
            let sum = 0;
            // Π : ∀(k ∈ 0 to i). a[k]ʷ, a, 0 ≤ i, a.length ≤ i
            i = 0;
            // Π : ∀(k ∈ 0 to i′). a[k]ʷ, a, 0 ≤ i′, a.length ≤ i′
            while i < a^NoCheck.length {
                // Π : ∀(k ∈ 0 to i′). a[k]ʷ, a, ∀(k ∈ 0 to i). a[k], 0 ≤ i′, a.length ≤ i′, 0 ≤ i, i < a.length
                sum = sum + a^NoCheck[i]^NoCheck;
                // Π : ∀(k ∈ 0 to i′). a[k]ʷ, a, ∀(k ∈ 0 to i). a[k], a[i], 0 ≤ i′, a.length ≤ i′, 0 ≤ i, i < a.length
                i = i + 1;
            }
            // Π : ∀(k ∈ 0 to i′). a[k]ʷ, a, ∀(k ∈ 0 to i). a[k], 0 ≤ i′, a.length ≤ i′, 0 ≤ i, a.length ≤ i
            wait other;
        }
    "#]];
    listing(&shipped("redcard-section4"), Config::default(), Contexts::All, expected);
}

/// (i div 4) * 4 ≻ i: the first of a chunk is checked, the others are not; peeling tells them apart.
#[test]
fn section_5_chunks() {
    let peeled = shipped("redcard-section5-arrays").peeled().expect("a program");
    let fill: Vec<(String, &str)> = verdicts(&peeled, with_proxies())
        .into_iter()
        .filter(|access| access.text == "a[i]")
        .map(|access| (access.text, access.verdict))
        .collect();
    assert_eq!(fill, [("a[i]".to_owned(), "Check"), ("a[i]".to_owned(), "NoCheck")]);
}

/// "all of these checks are redundant except the first": by hand, and by peeling.
#[test]
fn section_6_unrolling() {
    let subject = shipped("redcard-section6-unrolling");
    let of = |subject: &Subject| -> Vec<&str> {
        let all = verdicts(subject, Config::default()).into_iter();
        all.filter(|access| access.text == "a.f" && access.kind == deadheat_redcard::ir::Kind::Read)
            .map(|access| access.verdict)
            .collect()
    };
    assert_eq!(of(&subject), ["Check", "Check", "NoCheck"]);
    assert_eq!(
        of(&subject.peeled().expect("a program")),
        ["Check", "NoCheck", "Check", "NoCheck", "NoCheck"]
    );
}

#[test]
fn section_6_intra_procedural_mode() {
    let text = "class C { f; } fn get(p: C) -> int { return p.f; }
        main { let p = new C; let i = p.f; i = get(p); i = p.f; }";
    let of = |mode: Mode| -> Vec<&str> {
        verdicts(&subject(text), Config { mode, ..Config::default() })
            .iter()
            .map(|line| line.verdict)
            .collect()
    };
    assert_eq!(of(Mode::Inter), ["NoCheck", "Check", "NoCheck"]);
    assert_eq!(of(Mode::Intra), ["Check", "Check", "Check"]);
}

/// §2.1's reason names the earlier access and the aliases.
#[test]
fn reasons() {
    let subject = shipped("redcard-section2");
    let elision = analysed(&subject, Config::default());
    let mut solver = deadheat_redcard::solver::Builtin::default();
    let all = lines(&subject, &elision, Some(&mut solver));
    let last = all.iter().rfind(|line| line.text == "y2.g").expect("it is read");
    expect![[r#"Some(Earlier([(18, 14)], ["y1.g"], ["y1 = x.f", "y2 = x.f"]))"#]]
        .assert_eq(&format!("{:?}", last.reason));
}
