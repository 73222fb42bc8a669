//! Random programs with what the analysis is about: objects and their aliases, arrays, loops, calls, and all that ends a span.

use std::fmt::Write;

/// A program that ends, or waits for a lock for ever. The same seed gives the same program.
pub fn structured(seed: u64) -> String {
    let mut made =
        Made { dice: fastrand::Rng::with_seed(seed), text: String::new(), depth: 0, loops: 0, fresh: 0 };
    made.program();
    made.text
}

/// Programs whose objects and arrays are used as wholes, so that there are proxies.
pub fn with_points(seed: u64) -> String {
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut text = String::from(POINTS);
    text += "main {\nstart();\n";
    for thread in ["t0", "t1"] {
        writeln!(text, "let {thread} = spawn {{").expect("a string takes everything");
        for _ in 0..dice.usize(2..6) {
            let one = [
                "move(p, 1);",
                "move(q, 2);",
                "norm(p);",
                "norm(q);",
                "fill(a, 1);",
                "fill(b, 2);",
                "n = sum(a);",
            ];
            let mut line = dice.choice(one).unwrap_or_default().to_owned();
            if dice.u32(0..4) == 0 {
                line = "p.x = 3;".into();
            }
            match dice.u32(0..3) {
                0 => line = format!("sync m {{ {line} }}"),
                1 => line = format!("{line} flag = 1;"),
                _ => {}
            }
            writeln!(text, "    {line}").expect("a string takes everything");
        }
        text += "};\n";
    }
    text + "wait t0;\nwait t1;\n}\n"
}

const POINTS: &str = "
class Point { x; y; z; }
global p: Point, q: Point, a: [int], b: [int], m: mutex, n;
atomic flag;
fn move(o: Point, d) { o.x = o.x + d; o.y = o.y + d; o.z = o.z + d; }
fn norm(o: Point) -> int { return o.x * o.x + o.y * o.y + o.z * o.z; }
fn fill(c: [int], d) { let i = 0; while i + 3 < c.length { c[i] = d; c[i + 1] = d; c[i + 2] = d; c[i + 3] = d; i = i + 4; } }
fn sum(c: [int]) -> int { let i = 0; let s = 0; if i + 3 < c.length { while i + 3 < c.length { s = s + c[i] + c[i + 1] + c[i + 2] + c[i + 3]; i = i + 4; } } return s; }
fn start() { p = new Point; q = new Point; a = new [int; 8]; b = new [int; 4]; }
";

struct Made {
    dice: fastrand::Rng,
    text: String,
    depth: usize,
    loops: u32,
    fresh: u32,
}

const DECLARED: &str = "
class C { f; g; n: C; atomic v; }
global o0: C, o1: C, a0: [int], a1: [int], rows: [[int]], inside: [int; 4], x0, x1, h, m0: mutex, m1: mutex;
atomic flag;
";

const START: &str = "
o0 = new C; o1 = new C; o0.n = o1; o1.n = o0;
a0 = new [int; 4]; a1 = new [int; 4]; rows = new [[int]; 2]; rows[0] = a0; rows[1] = a1; h = malloc(4);
let c = chan int(1);
";

const LOCALS: &str = "let p = o0; let q = o1; let b = a0; let i = 0; let k = 1;";

impl Made {
    fn line(&mut self, line: &str) {
        let indent = 4 * self.depth;
        writeln!(self.text, "{:indent$}{line}", "").expect("a string takes everything");
    }

    fn open(&mut self, line: &str) {
        self.line(&format!("{line} {{"));
        self.depth += 1;
    }

    fn shut(&mut self, tail: &str) {
        self.depth -= 1;
        self.line(&format!("}}{tail}"));
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.dice.usize(0..of.len())]
    }

    fn program(&mut self) {
        self.line(DECLARED);
        for f in ["f0", "f1"] {
            self.open(&format!("fn {f}(p: C, q: C, b: [int], k) -> int"));
            self.line("let i = 0;");
            (0..self.dice.u32(1..4)).for_each(|_| self.statement(1, false, false));
            self.line("return i;");
            self.shut("");
        }
        self.open("main");
        self.line(START);
        let threads = self.dice.u32(1..3);
        for t in 0..threads {
            self.open(&format!("let t{t} = spawn"));
            self.line(LOCALS);
            (0..self.dice.u32(2..7)).for_each(|_| self.statement(0, true, true));
            self.shut(";");
        }
        self.line(LOCALS);
        (0..self.dice.u32(2..7)).for_each(|_| self.statement(0, true, true));
        (0..threads).for_each(|t| self.line(&format!("wait t{t};")));
        self.shut("");
    }

    fn statement(&mut self, nesting: u32, calls: bool, channel: bool) {
        let (p, f) = (self.one(&["p", "q", "p.n", "o0", "p"]), self.one(&["f", "g"]));
        let b = self.one(&["b", "a0", "rows[0]", "rows[1]", "b"]);
        let (n, x) = (self.dice.u32(0..4), self.one(&["x0", "x1"]));
        let index = self.one(&["k", "0", "1", "3", "3 - k"]);
        let (m, o, a) = (self.one(&["m0", "m1"]), self.one(OBJECTS), self.one(ARRAYS));
        match self.dice.u32(0..36) {
            0..=2 => self.line(&format!("i = {p}.{f};")),
            3 | 4 => self.line(&format!("{p}.{f} = i;")),
            5 => self.line(&format!("i = {p}.{f}; {p}.{f} = i + 1;")),
            6 => self.line(&format!("q = {p}.n; i = q.{f};")),
            7 => self.line(&format!("{p}.n = {o};")),
            8 => self.line(&format!("p = {o};")),
            9..=11 => self.line(&format!("i = {b}[{index}];")),
            12 | 13 => self.line(&format!("{b}[{index}] = i;")),
            14 => self.line(&format!("b = {a};")),
            15 => self.line(&format!("rows[{}] = b;", n % 2)),
            16 => self.line(&format!("i = inside[{index}]; inside[{n}] = i;")),
            17 => self.line(&format!("{x} = i;")),
            18 => self.line(&format!("i = {x};")),
            19 => self.line(&format!("h[{n}] = i; i = h[{index}];")),
            20 => self.line(&format!("k = {n};")),
            21 | 22 if nesting < 2 => {
                self.open(&format!("sync {m}"));
                (0..self.dice.u32(1..3)).for_each(|_| self.statement(nesting + 1, calls, channel));
                self.shut("");
            }
            23 if nesting < 2 => {
                let test = self.one(&["i == 0", "p == q", "k < 2 && i >= 0", "x0 == 1 || !(i == 1)"]);
                self.open(&format!("if {test}"));
                self.statement(nesting + 1, calls, channel);
                if self.dice.bool() {
                    self.shut(" else {");
                    self.depth += 1;
                    self.statement(nesting + 1, calls, channel);
                }
                self.shut("");
            }
            24..=26 if self.loops < 2 => self.loop_over(b, nesting, calls, channel),
            27 | 28 if calls => {
                let f = self.one(&["f0", "f1"]);
                self.line(&format!("i = {f}({p}, {o}, {a}, {n});"));
            }
            29 => {
                let line =
                    self.one(&["flag = i;", "i = flag;", "p.v = i;", "i = q.v;", "i = fetch_add(x0, 1);"]);
                self.line(line);
            }
            30 => self.line(&format!("if cas({x}, {n}, i) {{ i = {n}; }}")),
            31 if channel => {
                self.line("select { case c <- 1 { i = 1; } case let v = <-c { i = v; } default { i = 2; } }")
            }
            32 => self.line(&format!("spawn {{ {x} = {n}; p.{f} = 1; }}")),
            // What a store changes is not what was accessed before it.
            34 => self.line(&format!("q = p.n; i = q.{f}; {p}.n = {o}; q = p.n; i = q.{f};")),
            35 => self.line(&format!("b = rows[0]; i = b[1]; rows[{}] = {a}; b = rows[0]; i = b[1];", n % 2)),
            33 => self.line("if try_lock(m1) { x1 = 2; unlock m1; }"),
            _ => self.line(&format!("i = {p}.{f};")),
        }
    }

    fn loop_over(&mut self, b: &str, nesting: u32, calls: bool, channel: bool) {
        self.loops += 1;
        self.fresh += 1;
        let j = format!("j{}", self.fresh);
        let (start, test, step) = *self.dice.choice(&LOOPS).unwrap_or(&LOOPS[0]);
        self.line(&format!("let {j} = {start};"));
        self.open(&format!("while {}", test.replace('j', &j)));
        let access = self.one(&["i = B[j];", "B[j] = i;", "B[j] = B[j] + 1;", "i = B[3 - j];"]);
        self.line(&access.replace('B', b).replace('j', &j));
        if self.dice.bool() {
            self.statement(nesting + 1, calls, channel);
        }
        self.line(&format!("{j} = {};", step.replace('j', &j)));
        self.shut("");
        self.loops -= 1;
    }
}

const OBJECTS: &[&str] = &["o0", "o1", "q", "p", "p.n"];
const ARRAYS: &[&str] = &["a0", "a1", "b", "rows[1]"];
const LOOPS: [(&str, &str, &str); 4] = [
    ("0", "j < 4", "j + 1"),
    ("0", "j < 4", "j + 2"),
    ("3", "j >= 0", "j - 1"),
    ("1", "j < 3 && i >= 0 - 9", "j + 1"),
];
