//! The reference solver: the `z3` program, spoken to in SMT-LIB 2 over a pipe.

use super::{Cube, Solver};
use crate::ir::Binary;
use crate::literal::Literal;
use crate::term::{Loc, LocStep, Op, Term};
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// What `z3` says to a question.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The facts imply the goal.
    Yes,
    /// There is a model of the facts in which the goal is false.
    No,
    /// It gave up, or is gone.
    Unknown,
}

/// A running `z3`. If it dies, every answer is "no".
pub struct Z3 {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Z3 {
    /// Starts `z3` from the search path.
    pub fn start() -> std::io::Result<Z3> {
        let mut child = Command::new("z3")
            .args(["-in", "-smt2", "-t:1000"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || std::io::Error::other("z3 has no pipe");
        let to = child.stdin.take().ok_or_else(missing)?;
        let from = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Z3 { child, to, from })
    }

    /// Do the facts imply one of the cubes?
    pub fn ask(&mut self, facts: &[Literal], goal: &[Cube]) -> std::io::Result<Answer> {
        self.to.write_all(script(facts, goal).as_bytes())?;
        self.to.flush()?;
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(match line.trim() {
            "unsat" => Answer::Yes,
            "sat" => Answer::No,
            _ => Answer::Unknown,
        })
    }
}

impl Drop for Z3 {
    fn drop(&mut self) {
        // It may be gone already; either way nothing is left to wait for.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

impl Solver for Z3 {
    fn entails(&mut self, facts: &[Literal], goal: &[Cube]) -> bool {
        self.ask(facts, goal).is_ok_and(|answer| answer == Answer::Yes)
    }
}

/// The question whether facts and negated goal are unsatisfiable.
fn script(facts: &[Literal], goal: &[Cube]) -> String {
    let mut writer = Writer::default();
    let facts: Vec<String> = facts.iter().map(|l| writer.literal(l)).collect();
    let cubes: Vec<String> = goal
        .iter()
        .map(|cube| {
            let all: Vec<String> = cube.iter().map(|l| writer.literal(l)).collect();
            format!("(assert (not (and true {})))\n", all.join(" "))
        })
        .collect();
    let mut text = String::from("(push)\n");
    text.extend(writer.declarations);
    text.extend(writer.axioms);
    text.extend(facts.into_iter().map(|f| format!("(assert {f})\n")));
    text.extend(cubes);
    text + "(check-sat)\n(pop)\n"
}

/// Collects what a script must declare. References are numbers too: nothing is assumed of them.
#[derive(Default)]
struct Writer {
    declarations: BTreeSet<String>,
    axioms: BTreeSet<String>,
}

impl Writer {
    fn constant(&mut self, name: String) -> String {
        self.declarations.insert(format!("(declare-const {name} Int)\n"));
        name
    }

    fn function(&mut self, name: String, arguments: &[String]) -> String {
        let sorts = vec!["Int"; arguments.len()].join(" ");
        self.declarations.insert(format!("(declare-fun {name} ({sorts}) Int)\n"));
        format!("({name} {})", arguments.join(" "))
    }

    fn number(n: i64) -> String {
        if n < 0 { format!("(- {})", n.unsigned_abs()) } else { n.to_string() }
    }

    fn term(&mut self, term: &Term) -> String {
        match term {
            Term::Int(n) => Writer::number(*n),
            Term::Null => self.constant("null".into()),
            Term::Var(var) => self.constant(format!("v{}", var.0)),
            Term::Skolem(n) => self.constant(format!("s{n}")),
            Term::Bound(n) => self.constant(format!("b{n}")),
            Term::Result => self.constant("result".into()),
            Term::Length(of) => {
                let of = self.term(of);
                let length = self.function("len".into(), &[of]);
                self.axioms.insert(format!("(assert (<= 0 {length}))\n"));
                length
            }
            Term::Load(loc) => self.load(loc),
            Term::Sum(sum) => {
                let parts: Vec<String> = sum
                    .parts
                    .iter()
                    .map(|(atom, factor)| format!("(* {} {})", Writer::number(*factor), self.term(atom)))
                    .collect();
                format!("(+ {} {})", Writer::number(sum.constant), parts.join(" "))
            }
            Term::Apply(op, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|t| self.term(t)).collect();
                match (op, &arguments[..]) {
                    (Op::FloorDiv(c), [t]) if *c > 0 => format!("(div {t} {c})"),
                    (Op::FloorMod(c), [t]) if *c > 0 => format!("(mod {t} {c})"),
                    (Op::Binary(Binary::Mul), [a, b]) => format!("(* {a} {b})"),
                    (Op::Binary(op), _) => self.function(format!("op{}", *op as u32), &arguments),
                    (Op::Not, _) => self.function("not1".into(), &arguments),
                    (Op::Huge, _) => self.function(format!("huge{}", arguments.len()), &arguments),
                    (Op::FloorDiv(_) | Op::FloorMod(_), _) => self.function("odd".into(), &arguments),
                }
            }
        }
    }

    fn load(&mut self, loc: &Loc) -> String {
        let arguments: Vec<String> = loc.terms().map(|t| self.term(t)).collect();
        let steps = loc.steps.iter().map(|step| match step {
            LocStep::Field(field) => format!("f{}", field.0),
            LocStep::Index(array, _) => format!("a{}", array.0),
        });
        self.function(format!("load_{}", steps.collect::<Vec<_>>().join("_")), &arguments)
    }

    fn literal(&mut self, literal: &Literal) -> String {
        let [a, b] = literal.sides().map(|t| self.term(t));
        match literal {
            Literal::Eq(..) => format!("(= {a} {b})"),
            Literal::Ne(..) => format!("(not (= {a} {b}))"),
            Literal::Le(..) => format!("(<= {a} {b})"),
            Literal::Lt(..) => format!("(< {a} {b})"),
        }
    }
}
