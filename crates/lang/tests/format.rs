//! Printing and formatting: round trips on random trees, and what becomes of comments.

mod common;

use common::{Random, shape};
use deadheat_lang::ast::Program;
use deadheat_lang::{format, parse, print};
use expect_test::expect;

fn parsed(source: &str, seed: u64) -> Program {
    parse(source).unwrap_or_else(|e| panic!("seed {seed}: {}\n{source}", e[0].render("test", source, false)))
}

#[test]
fn what_is_printed_is_read_as_the_same_tree() {
    for seed in 0..5_000 {
        let program = Random::new(seed).program();
        let text = print(&program);
        let again = parsed(&text, seed);
        assert_eq!(shape(&again), shape(&program), "seed {seed}:\n{text}");
        assert_eq!(print(&again), text, "seed {seed}");
        assert_eq!(
            format(&again, &text),
            text,
            "seed {seed}: the formatter changes what the printer printed"
        );
    }
}

/// The same program with other white space and comments in places where nobody would write them.
fn scatter(text: &str, random: &mut Random) -> (String, Vec<String>) {
    let (mut out, mut comments) = (String::new(), Vec::new());
    let (mut quoted, mut escaped) = (false, false);
    for c in text.chars() {
        if c == '"' && !escaped {
            quoted = !quoted;
        }
        escaped = quoted && c == '\\' && !escaped;
        let between = !quoted && c.is_ascii_whitespace();
        if !between || random.rng.u32(0..4) > 0 {
            out.push(c);
            continue;
        }
        out.push_str(random.rng.choice([" ", "\n", "\n\n", "\t", "\r\n"]).unwrap_or(" "));
        for _ in 0..random.rng.u32(0..3) {
            let n = comments.len();
            let (comment, end) = match random.rng.u32(0..4) {
                0 => (format!("// {n} */"), "\n"),
                1 => (format!("/* {n}\n   // */"), ""),
                2 => (format!("/* {n} */"), "\n"),
                _ => (format!("/*{n}*/"), ""),
            };
            out.push_str(&comment);
            out.push_str(end);
            comments.push(comment);
        }
        out.push_str(random.rng.choice([" ", "\n", "\n\n\n"]).unwrap_or(" "));
    }
    (out, comments)
}

#[test]
fn no_comment_is_lost_and_formatting_twice_is_formatting_once() {
    for seed in 0..5_000 {
        let mut random = Random::new(seed);
        let text = print(&random.program());
        let (source, comments) = scatter(&text, &mut random);
        let program = parsed(&source, seed);
        let once = format(&program, &source);
        let again = parsed(&once, seed);
        assert_eq!(shape(&again), shape(&program), "seed {seed}: another tree\n{source}\n---\n{once}");
        for comment in comments {
            assert_eq!(once.matches(&comment).count(), 1, "seed {seed}: {comment}\n{source}\n---\n{once}");
        }
        let twice = format(&again, &once);
        assert!(twice == once, "seed {seed}\n{source}\n--- once\n{once}\n--- twice\n{twice}");
    }
}

fn formatted(source: &str, wanted: expect_test::Expect) {
    let once = format(&parsed(source, 0), source);
    wanted.assert_eq(&once);
    assert_eq!(format(&parsed(&once, 0), &once), once);
}

#[test]
fn what_the_tree_does_not_know_is_kept() {
    formatted(
        "\u{feff}global x=0xFF,y:int,z = - 0x10 ,w; global b:bool=false, c = true, n: C = null; atomic k=1_000;\r\n
         class C{v:int;w;}fn f(a:int,b){x=0X1_0+007;y=-0xA;}main{}",
        expect![[r#"
            global x = 0xFF, y: int, z = -0x10, w;
            global b: bool = false, c = true, n: C = null;
            atomic k = 1_000;

            class C {
                v: int;
                w;
            }

            fn f(a: int, b) {
                x = 0X1_0 + 007;
                y = -0xA;
            }

            main {}
        "#]],
    );
}

#[test]
fn comments_stay_where_they_can() {
    formatted(
        "// The file.


// About x.
global x; // Behind x.
/* Before main. */ main { // Behind the brace.
  x = 1; /* one */ // two
  // Before the if.
  if x == 1 { // then
  } // Before else.
  else /* in else */ { x = 2 /* within */ + /* also */ 1; }

  // Before the brace.
}
// The end.",
        expect![[r#"
            // The file.

            // About x.
            global x; // Behind x.

            /* Before main. */
            main { // Behind the brace.
                x = 1; /* one */ // two
                // Before the if.
                if x == 1 {
                    // then
                } else {
                    // Before else.
                    /* in else */
                    /* within */
                    /* also */
                    x = 2 + 1;
                }

                // Before the brace.
            }
            // The end.
        "#]],
    );
}

#[test]
fn parentheses_only_where_they_are_needed() {
    formatted(
        "main { a = ((b)) + (c * d); a = (b + c) * d; a = b - (c - d); a = -(5); a = -(-x); a = !(a && b);
          a = (a < b) == (c < d); a = (a.b).c; a = (new C).d; a = <-(c.d); (spawn { }).x = 1; if (a) { } while ((a)) { } }",
        expect![[r#"
            main {
                a = b + c * d;
                a = (b + c) * d;
                a = b - (c - d);
                a = -(5);
                a = -(-x);
                a = !(a && b);
                a = (a < b) == (c < d);
                a = a.b.c;
                a = new C.d;
                a = <-c.d;
                (spawn {}.x) = 1;
                if a {}
                while a {}
            }
        "#]],
    );
}

#[test]
fn every_statement() {
    formatted(
        "thread a{let x:[C]=new [C;3];f(x,1);lock m;unlock m;sync this{yield;}deschedule;make_runnable t;c<-1;close c;
         select{case c<-1{}case let v=<-c{print v,1;}case <-c{} default{return;}}free p;assert x==null;panic;panic \"\\\"\";
         spawn{x=1;};let t=spawn f();let u=spawn{<-c;};if a{}else if b{}else{x=1;}{x=chan int(0);}return x;}finally{}",
        expect![[r#"
            thread a {
                let x: [C] = new [C; 3];
                f(x, 1);
                lock m;
                unlock m;
                sync this {
                    yield;
                }
                deschedule;
                make_runnable t;
                c <- 1;
                close c;
                select {
                    case c <- 1 {}
                    case let v = <-c {
                        print v, 1;
                    }
                    case <-c {}
                    default {
                        return;
                    }
                }
                free p;
                assert x == null;
                panic;
                panic "\"";
                spawn {
                    x = 1;
                }
                let t = spawn f();
                let u = spawn {
                    <-c;
                };
                if a {} else if b {} else {
                    x = 1;
                }
                {
                    x = chan int(0);
                }
                return x;
            }

            finally {}
        "#]],
    );
}
