//! The text format: what is printed can be read again, and what cannot be read gets an answer.
#![allow(missing_docs)]

mod common;

use common::{lower::lower, raw::raw, source::source};
use deadheat_redcard::ir::World;
use deadheat_redcard::solver::Builtin;
use deadheat_redcard::{Config, analyse, parse};

#[test]
fn what_is_printed_can_be_read_again() {
    for seed in 0..300 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let program =
            if seed % 2 == 0 { lower(&source(&mut rng, true), World::Closed) } else { raw(&mut rng) };
        // Numbers of classes and variables are not part of the text, so texts are compared.
        let text = program.to_string();
        let again = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(again.to_string(), text, "seed {seed}");
    }
}

#[test]
fn specifications_can_be_read_again() {
    let text = "field f\nfield g\nfn get(p, n) requires r p.f, forall k in 0 to len(p.f). w p.f[k] \
                ensures forall k in 0 to n by 2. forall h in k + 1 to 2 * n. r p[k].f[h], w result.g modifies all, f {\n\
                e: v = read p.f  return v }\nexport fn main(a) { e: call summary m(a, 3) requires r p0.f modifies g return }";
    let once = parse(text).unwrap().to_string();
    assert_eq!(parse(&once).unwrap().to_string(), once);
}

#[test]
fn mistakes_are_named() {
    for (text, what) in [
        ("fn main() { e: x = y return }", "in `main`: `y` is not defined"),
        ("fn main(x) { e: x = 1 return }", "in `main`: `x` is defined twice"),
        ("fn main() { e: jump e }", "in `main`: a block jumps to the entry"),
        ("fn main() { e: jump f }", "no block `f`"),
        (
            "fn main(c) { e: branch c a b a: x = 1 jump b b: y = x return }",
            "`x` is not defined on every path to a use",
        ),
        ("fn main(c) { e: jump a a: x = phi [] return }", "a phi of `a` lacks a predecessor"),
        ("fn main(x) { e: y = read x.f return }", "no field `f`"),
        ("fn f(x) { e: return } fn main() { e: call f() return }", "`f` takes 1 arguments"),
        ("fn f(x) requires r y.f { e: return }", "no field `f`"),
        ("field f fn f(x) requires r y.f { e: return }", "a specification names a local"),
        ("fn main() { e: x = 99999999999999999999 return }", "is too large"),
        ("fn main() { e: ? }", "`?` means nothing here"),
        ("fn main() {", "expected a name"),
    ] {
        let error = parse(text).expect_err(text).to_string();
        assert!(error.contains(what), "{text}: {error}");
    }
}

/// Words in any order: the reader, the checker and the analysis give an answer and do not panic.
#[test]
fn nothing_panics() {
    let words = [
        "fn", "main", "(", ")", "{", "}", "e:", "f", "x", "y", "=", "read", "write", ".", "[", "]", "jump",
        "branch", "return", "phi", "forall", "requires", "r", "in", "0", "to", "-1", "field f", "closed",
        "#", "9", "call", "fork", "lock", "new", "+", "len", "x.f", "x[0]", ":", ",", "stop", "unknown",
        "modifies", "all", "by", "summary",
    ];
    let whole = "closed field f fn main ( x ) { e: y = read x.f branch y a b a: z = read x.f jump b b: w = read x.f return }";
    for seed in 0..20_000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let mut text: Vec<&str> = whole.split(' ').collect();
        for _ in 0..rng.usize(1..5) {
            let at = rng.usize(..text.len());
            match rng.u8(..3) {
                0 => text[at] = words[rng.usize(..words.len())],
                1 => text.insert(at, words[rng.usize(..words.len())]),
                _ => _ = text.remove(at),
            }
        }
        if let Ok(program) = parse(&text.join(" ")) {
            analyse(&program, Config::default(), &mut Builtin::default()).unwrap();
        }
    }
}
