//! Random small programs, as text: to hold the theorems against.

use std::fmt::Write;

/// What a random program is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shape {
    /// Threads besides main.
    pub threads: u32,
    /// Shared variables.
    pub vars: u32,
    /// Mutexes.
    pub locks: u32,
    /// Statements of each thread, those inside of others not counted.
    pub statements: u32,
    /// Which constructs.
    pub constructs: Constructs,
}

/// Which constructs a random program may have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Constructs {
    /// Those of *Verifying Dynamic Race Detection*, Figure 7, with `if`.
    Calculus,
    /// Also atomic operations, channels, `select`, descheduling, the heap.
    All,
}

/// A program that always comes to an end or to a deadlock. The same seed gives the same program.
pub fn random_program(shape: Shape, seed: u64) -> String {
    let mut made = Made { shape, state: seed.wrapping_mul(2).wrapping_add(1), text: String::new(), depth: 0 };
    made.program();
    made.text
}

struct Made {
    shape: Shape,
    state: u64,
    text: String,
    depth: usize,
}

impl Made {
    /// A number below `n`: a step of SplitMix64.
    fn below(&mut self, n: u32) -> u32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) % u64::from(n.max(1))) as u32
    }

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

    fn program(&mut self) {
        let Shape { threads, vars, locks, statements, constructs } = self.shape;
        (0..vars).for_each(|v| self.line(&format!("global x{v};")));
        (0..locks).for_each(|m| self.line(&format!("global m{m}: mutex;")));
        if constructs == Constructs::All {
            self.line("atomic f;");
        }
        self.open("main");
        if constructs == Constructs::All {
            let room = self.below(3);
            self.line(&format!("let c = chan int({room});"));
        }
        for t in 1..=threads {
            self.open(&format!("let t{t} = spawn"));
            self.line("let a = 0;");
            (0..statements).for_each(|_| self.statement(t, 0));
            self.shut(";");
        }
        (1..=threads).for_each(|t| self.line(&format!("wait t{t};")));
        self.shut("");
    }

    fn var(&mut self) -> String {
        format!("x{}", self.below(self.shape.vars))
    }

    fn statement(&mut self, thread: u32, nesting: u32) {
        let kinds = if self.shape.constructs == Constructs::All { 17 } else { 9 };
        let (x, n) = (self.var(), self.below(3));
        match self.below(kinds) {
            0 | 1 => self.line(&format!("{x} = {n};")),
            2 => self.line(&format!("{x} = a + {n};")),
            3 | 4 => self.line(&format!("a = {x};")),
            5 => self.line(&format!("{x} = {x} + 1;")),
            6 | 7 if self.shape.locks > 0 && nesting < 2 => {
                let m = self.below(self.shape.locks);
                self.open(&format!("sync m{m}"));
                (0..=self.below(2)).for_each(|_| self.statement(thread, nesting + 1));
                self.shut("");
            }
            8 if nesting < 2 => {
                self.open(&format!("if a == {n}"));
                self.statement(thread, nesting + 1);
                self.shut("");
            }
            9 => self.line(&format!("a = fetch_add({x}, 1);")),
            10 => self.line(&format!("if cas(f, {n}, a) {{ a = {n}; }}")),
            11 => self.line(&format!("f = a + {n};")),
            12 => self.line("a = f;"),
            13 => self.line(&format!("c <- {n};")),
            14 => self.line("a = <-c;"),
            15 => {
                self.line("select { case c <- 1 { a = 1; } case let v = <-c { a = v; } default { a = 2; } }")
            }
            16 if thread > 1 => {
                let other = 1 + self.below(thread - 1);
                self.line(&format!("make_runnable t{other};"));
            }
            16 => self.line("deschedule;"),
            _ => self.line(&format!("{x} = a;")),
        }
    }
}
