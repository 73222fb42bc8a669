//! Programs that are too large, too deep or too long: a pointed error, and no time lost.

use deadheat_lang::{Error, MAX_NESTING, check, format, parse, print};
use expect_test::expect;
use std::fmt::Write;

/// What is said about a program, and that there is only one thing to say.
fn only_error(source: &str) -> Error {
    let errors = match parse(source) {
        Ok(program) => check(&program).expect_err("a bad program"),
        Err(errors) => errors,
    };
    assert_eq!(errors.len(), 1, "{:?}", errors.iter().map(|e| &e.message).collect::<Vec<_>>());
    assert!(errors[0].render("bad.heat", source, false).contains(&errors[0].message));
    errors.into_iter().next().unwrap()
}

/// Ways to nest: what comes before, again and again, in the middle, again and again, and after.
const NESTS: &[(&str, &str, &str, &str, &str, &str)] = &[
    ("parentheses", "main { x = ", "(", "1", ")", "; }"),
    ("sums", "main { x = 1", " + 1", "", "", "; }"),
    ("differences on the right", "main { x = 1", " - (1", "", ")", "; }"),
    ("negations", "main { x = ", "!", "y", "", "; }"),
    ("receives", "main { x = ", "<-", "y", "", "; }"),
    ("fields", "main { x = y", ".f", "", "", "; }"),
    ("indices", "main { x = ", "a[", "1", "]", "; }"),
    ("elements of elements", "main { x = a", "[1]", "", "", "; }"),
    ("calls", "main { x = ", "f(", "1", ")", "; }"),
    ("methods", "main { x = y", ".m(1)", "", "", "; }"),
    ("arrays of arrays", "main { x = ", "new [int; ", "1", "]", "; }"),
    ("capacities", "main { x = ", "chan int(", "1", ")", "; }"),
    ("blocks", "main { ", "{ ", "", "} ", "}"),
    ("ifs", "main { ", "if a { ", "", "} ", "}"),
    ("else ifs", "main { if a { } ", "else if a { } ", "", "", "}"),
    ("elses", "main { ", "if a { } else { x = 1; ", "", "} ", "}"),
    ("whiles", "main { ", "while a { ", "", "} ", "}"),
    ("threads", "main { ", "spawn { ", "", "} ", "}"),
    ("threads in expressions", "main { x = ", "f(spawn { x = ", "1", "; } + 1 + 1 + 1)", "; }"),
    ("selects", "main { ", "select { default { ", "", "} } ", "}"),
    ("array types", "global x: ", "[", "int", "]", "; main { }"),
    ("channel types", "global x: ", "chan ", "int", "", "; main { }"),
];

#[test]
fn nesting_has_a_limit() {
    for (name, before, open, middle, close, after) in NESTS {
        let nested = |n: usize| format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n));
        for depth in [10, 30] {
            let source = nested(depth);
            let program =
                parse(&source).unwrap_or_else(|e| panic!("{name}: {}", e[0].render("", &source, false)));
            let text = format(&program, &source);
            let again = parse(&text).unwrap_or_else(|e| panic!("{name}: {}", e[0].render("", &text, false)));
            assert_eq!(print(&again), print(&program));
        }
        for depth in [MAX_NESTING as usize + 1, 1_000, 100_000] {
            let errors = parse(&nested(depth)).err().unwrap_or_else(|| panic!("{name}: {depth} levels"));
            assert_eq!(errors.len(), 1, "{name}");
            assert_eq!(errors[0].message, "this is nested too deeply", "{name}");
        }
    }
}

#[test]
fn what_is_nested_too_deeply_is_shown() {
    let source = format!("main {{\n    x = {}1{};\n}}", "(".repeat(250), ")".repeat(250));
    let error = only_error(&source);
    assert_eq!(error.span.start as usize, source.find('(').unwrap() + MAX_NESTING as usize);
}

/// Whatever happens, on the small stack that a thread of a test has, and soon.
#[test]
fn openers_without_end() {
    for word in [
        "(",
        "{",
        "[",
        "main {",
        "if a {",
        "a[",
        "f(",
        "new [",
        "chan ",
        "fn f(",
        "class C {",
        "select { case ",
        "-",
        "!",
        "<-",
        "/*",
        "\"",
        "}",
        ")",
        ";",
        "global x: [",
        "else if a { } ",
    ] {
        for prefix in ["", "main { ", "main { x = "] {
            let source = format!("{prefix}{}", word.repeat(50_000));
            if let Err(errors) = parse(&source) {
                assert!(errors.len() <= 20);
                errors.iter().for_each(|e| drop(e.render("bad.heat", &source, true)));
            }
        }
    }
}

/// A sensible program of that many lines.
fn long_program(lines: usize) -> String {
    let mut source = String::from("global x, a: [int; 100], m: mutex;\nclass C { v; next: C; }\n");
    let mut n = 2;
    while n < lines {
        let function = n;
        let _ = write!(
            source,
            "fn f{function}(p, c: C) -> int {{ // A function.\n    let y = x + p * 2;\n    if y > 10 && c.next != null {{\n        sync m {{\n            a[y % a.length] = c.next.v;\n        }}\n    }} else {{\n        x = -y;\n    }}\n    return f{function}(y, c.next);\n}}\n"
        );
        n += 11;
    }
    source.push_str("main { }\n");
    source
}

/// What grows with the square of the lines would take minutes here, and be noticed.
#[test]
fn a_hundred_thousand_lines_are_a_program() {
    let source = long_program(100_000);
    let program = parse(&source).expect("a good program");
    check(&program).expect("a good program");
    let text = format(&program, &source);
    assert_eq!(text.matches("// A function.").count(), program.functions.len());
}

#[test]
fn a_body_can_be_long() {
    let mut source = String::from("global x = 0; main {\n");
    for n in 0..100_000 {
        let _ = writeln!(
            source,
            "let v{n} = {};",
            if n == 0 { "x".to_owned() } else { format!("v{} + v0", n - 1) }
        );
    }
    source.push('}');
    let program = parse(&source).expect("a good program");
    check(&program).expect("a good program");
    assert_eq!(format(&program, &source).lines().count(), 100_000 + 4);
}

#[test]
fn many_mistakes_are_twenty() {
    let syntax = format!("main {{ {} }}", "x = ;\n".repeat(100_000));
    assert_eq!(parse(&syntax).unwrap_err().len(), 20);
    let names: String = (0..50_000).map(|n| format!("unknown{n} = 1;\n")).collect();
    let names = format!("global unknown; main {{ {names} }}");
    assert_eq!(check(&parse(&names).unwrap()).unwrap_err().len(), 20);
}

#[test]
fn a_long_line_is_not_shown() {
    let source = format!("main {{ {} y = ; }}", "x = 1; ".repeat(10_000));
    let error = &parse(&source).unwrap_err()[0];
    expect![[r#"
        Error: expected an expression, found `;`
          bad.heat:1:70013: expected an expression
    "#]]
    .assert_eq(&error.render("bad.heat", &source, true));
}

#[test]
fn what_is_cut_for_a_message_is_cut_between_letters() {
    for source in [
        "main { x // aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u{fffd}\u{fffd}\n.y += 5; }",
        "fn f(\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u{fffd}\" x) { }",
    ] {
        for error in parse(source).unwrap_err() {
            error.render("bad.heat", source, false);
        }
    }
}

#[test]
fn long_names_are_shortened() {
    let name = "n".repeat(100_000);
    let error = only_error(&format!("main {{ {name} = 1; }}"));
    assert!(error.message.len() < 100, "{}", error.message);
}

#[test]
fn huge_arrays() {
    let told: Vec<String> = [
        "global a: [int; 1048577]; main { }",
        "global a: [int; 1000000], b: [mutex; 48576], c: [int; 1], d: [int; 4000000000]; main { }",
        "global a: [int; 4294967296]; main { }",
        "main { let a = new [int; 1048577]; }",
        "main { let a = malloc(0x7fff_ffff_ffff_ffff); }",
        "main { let c = chan int(-1); }",
    ]
    .into_iter()
    .map(|source| only_error(source).message)
    .collect();
    expect![[r#"
        the arrays that lie in place have more than 1048576 elements together
        the arrays that lie in place have more than 1048576 elements together
        this array is too large
        the number of elements is too large
        the size is too large
        the channel's capacity is negative"#]]
    .assert_eq(&told.join("\n"));
    assert!(check(&parse("global a: [int; 1048576]; main { }").unwrap()).is_ok());
}

#[test]
fn too_many_members() {
    let params: String = (0..1001).map(|n| format!("p{n}, ")).collect();
    let fields: String = (0..70_000).map(|n| format!("f{n};")).collect();
    let told = [
        format!("fn f({params}) {{ }} main {{ }}"),
        format!("class C {{ {fields} }} main {{ }}"),
        format!("main {{ print 1{}; }}", ", 1".repeat(70_000)),
    ];
    let told: Vec<String> = told.iter().map(|source| only_error(source).message).collect();
    expect![[r#"
        `f` has 1001 parameters
        `C` has 70000 fields
        at most 1000 values can be printed at once"#]]
    .assert_eq(&told.join("\n"));
}

/// What is nested as deeply as it may be needs half a megabyte of stack, a quarter of what a thread has.
#[test]
fn deep_programs_fit_small_stacks() {
    let all = || {
        for (name, before, open, middle, close, after) in NESTS {
            let nested = |n: usize| format!("{before}{}{middle}{}{after}", open.repeat(n), close.repeat(n));
            let deepest =
                (1..=MAX_NESTING as usize).rev().map(nested).find_map(|s| Some((parse(&s).ok()?, s)));
            let (program, source) = deepest.unwrap_or_else(|| panic!("{name}"));
            let _ = check(&program);
            format(&program, &source);
        }
    };
    let thread = std::thread::Builder::new().stack_size(1 << 20).spawn(all);
    thread.expect("a thread").join().expect("no mistake");
}
