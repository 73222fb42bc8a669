//! Where sums cannot wrap: intervals of all integers of a program, so that `i + 1` in a loop is one more than `i`.
//!
//! A least fixed point over the variables, which are assigned once, the results of functions, and the classes of stores: φ-functions,
//! calls and stores join, and after a few rounds what still moves is widened to the ends of 64 bits. A use sees the branches that
//! dominate it. Wrapping operators whose exact result fits become exact. The program is closed: nobody else calls or stores.

use deadheat_redcard::graph::Graph;
use deadheat_redcard::ir::{
    Binary, BlockId, Callee, ClassId, End, Function, Inst, Operand, Place, Program, Pure, Sync, Var,
};
use std::collections::BTreeMap;

/// From and to, both included.
type Interval = (i64, i64);

const ALL: Interval = (i64::MIN, i64::MAX);

/// No array is longer than memory: the machine has 2²⁶ cells.
const LONGEST: i64 = 1 << 26;

/// Rounds before widening, and before giving up.
const PATIENCE: usize = 3;
const ROUNDS: usize = 60;

/// Makes operators exact where they cannot wrap. `initial` has what memory holds at first, by class; 0 where it says nothing.
pub fn exact(program: &mut Program, initial: &BTreeMap<ClassId, i64>) {
    let graphs: Vec<Graph> = program.functions.iter().map(Graph::new).collect();
    let mut memory = initial.iter().map(|(class, n)| (*class, (*n, *n))).collect::<BTreeMap<_, _>>();
    let classes = program.fields.iter().map(|f| f.class).chain(program.arrays.iter().map(|a| a.class));
    classes.for_each(|class| _ = memory.entry(class).or_insert((0, 0)));
    let vars = program.functions.iter().map(|f| vec![None; f.vars.len()]).collect();
    let results = vec![None; program.functions.len()];
    let mut known = Known { vars, results, memory };
    let Some(fits) = solve(program, &graphs, &mut known) else { return };
    for (function, at, n, exact) in fits {
        let block = &mut program.functions[function].blocks[at.index()];
        if let Inst::Let(_, Pure::Binary(op, ..)) = &mut block.insts[n] {
            *op = exact;
        }
    }
}

/// Runs to the fixed point, and says which operators are exact; `None` if it does not get there.
fn solve(
    program: &Program,
    graphs: &[Graph],
    known: &mut Known,
) -> Option<Vec<(usize, BlockId, usize, Binary)>> {
    for round in 0..ROUNDS {
        let before = known.clone();
        for (n, graph) in graphs.iter().enumerate() {
            let function = &program.functions[n];
            Ranges { program, n, function, graph, known, widen: round >= PATIENCE }.function();
        }
        if *known == before {
            let of = |n: usize| {
                let (function, graph) = (&program.functions[n], &graphs[n]);
                Ranges { program, n, function, graph, known, widen: true }.exact()
            };
            return Some((0..graphs.len()).flat_map(of).collect());
        }
    }
    None
}

/// `None` as long as nobody gets to the definition.
#[derive(Clone, PartialEq)]
struct Known {
    vars: Vec<Vec<Option<Interval>>>,
    results: Vec<Option<Interval>>,
    memory: BTreeMap<ClassId, Interval>,
}

fn without_wrapping(op: Binary) -> Option<Binary> {
    match op {
        Binary::WrappingAdd => Some(Binary::Add),
        Binary::WrappingSub => Some(Binary::Sub),
        Binary::WrappingMul => Some(Binary::Mul),
        _ => None,
    }
}

struct Ranges<'a, 'k> {
    program: &'a Program,
    n: usize,
    function: &'a Function,
    graph: &'a Graph,
    known: &'k mut Known,
    widen: bool,
}

impl<'a> Ranges<'a, '_> {
    fn blocks(&self) -> Vec<BlockId> {
        let all = (0..self.function.blocks.len()).map(|b| BlockId(b as u32));
        let mut blocks: Vec<BlockId> = all.filter(|b| self.graph.reachable(*b)).collect();
        blocks.sort_by_key(|b| self.graph.position(*b));
        blocks
    }

    /// The operators that cannot wrap: function, block, position, and what they are then.
    fn exact(&self) -> Vec<(usize, BlockId, usize, Binary)> {
        let mut fits = Vec::new();
        for at in self.blocks() {
            for (n, inst) in self.function.blocks[at.index()].insts.iter().enumerate() {
                if let Inst::Let(_, Pure::Binary(op, a, b)) = inst
                    && let Some(op) = without_wrapping(*op)
                    && self.binary(at, op, *a, *b).is_some_and(|exact| exact.is_some())
                {
                    fits.push((self.n, at, n, op));
                }
            }
        }
        fits
    }

    fn function(&mut self) {
        for at in self.blocks() {
            let block = &self.function.blocks[at.index()];
            for phi in &block.phis {
                for (from, operand) in phi.from.iter().filter(|(from, _)| self.graph.reachable(*from)) {
                    let value = self.on_edge(*from, at, *operand);
                    self.grow(phi.to, value);
                }
            }
            block.insts.iter().for_each(|inst| self.inst(at, inst));
            if let End::Return(Some(value)) = block.end {
                let value = self.at(at, value);
                let widen = self.widen;
                join(&mut self.known.results[self.n], value, widen);
            }
        }
    }

    fn inst(&mut self, at: BlockId, inst: &Inst) {
        let value = match inst {
            Inst::Let(_, pure) => self.pure(at, pure),
            Inst::Read(_, _, place) | Inst::Sync(Sync::VolatileRead(_, place)) => Some(self.load(place)),
            Inst::Write(_, place, value) | Inst::Sync(Sync::VolatileWrite(place, value)) => {
                let value = self.at(at, *value);
                self.store(place, value);
                None
            }
            Inst::Call(_, Callee::Known(callee), arguments) => {
                self.pass(at, callee.index(), arguments);
                self.known.results[callee.index()]
            }
            Inst::Sync(Sync::Fork(_, thread, arguments)) => {
                self.pass(at, thread.index(), arguments);
                Some(ALL)
            }
            _ => Some(ALL),
        };
        inst.defines().into_iter().for_each(|to| self.grow(to, value));
    }

    fn pass(&mut self, at: BlockId, callee: usize, arguments: &[Operand]) {
        for (param, argument) in self.program.functions[callee].params.iter().zip(arguments) {
            let value = self.at(at, *argument);
            join(&mut self.known.vars[callee][param.index()], value, self.widen);
        }
    }

    fn load(&self, place: &Place) -> Interval {
        let class = self.program.class(&place.steps);
        class.and_then(|class| self.known.memory.get(&class)).copied().unwrap_or(ALL)
    }

    fn store(&mut self, place: &Place, value: Option<Interval>) {
        let Some(class) = self.program.class(&place.steps) else { return };
        let mut slot = self.known.memory.get(&class).copied();
        join(&mut slot, value, self.widen);
        slot.into_iter().for_each(|interval| _ = self.known.memory.insert(class, interval));
    }

    fn grow(&mut self, to: Var, value: Option<Interval>) {
        join(&mut self.known.vars[self.n][to.index()], value, self.widen);
    }

    fn pure(&self, at: BlockId, pure: &Pure) -> Option<Interval> {
        match pure {
            Pure::Copy(of) => self.at(at, *of),
            Pure::Not(_) => Some((0, 1)),
            Pure::Length(_) => Some((0, LONGEST)),
            Pure::Unknown => Some(ALL),
            Pure::Binary(op, a, b) => {
                let op = without_wrapping(*op).unwrap_or(*op);
                self.binary(at, op, *a, *b).map(|exact| exact.unwrap_or(ALL))
            }
        }
    }

    /// The values of an operator: `None` if nobody gets here, `Some(None)` if they may be anything, or not fit.
    fn binary(&self, at: BlockId, op: Binary, a: Operand, b: Operand) -> Option<Option<Interval>> {
        let ((a, b), (c, d)) = (self.at(at, a)?, self.at(at, b)?);
        let all = |values: [Option<i64>; 4]| {
            let values = values.into_iter().collect::<Option<Vec<i64>>>()?;
            Some((values.iter().copied().min()?, values.iter().copied().max()?))
        };
        Some(match op {
            Binary::Add => a.checked_add(c).zip(b.checked_add(d)),
            Binary::Sub => a.checked_sub(d).zip(b.checked_sub(c)),
            Binary::Mul => all([a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)]),
            Binary::Div if c == d && c > 0 => Some((a / c, b / c)),
            Binary::Rem if c == d && c > 0 => Some((if a < 0 { 1 - c } else { 0 }, c - 1)),
            Binary::Eq | Binary::Ne | Binary::Lt | Binary::Le | Binary::Gt | Binary::Ge => Some((0, 1)),
            _ => None,
        })
    }

    /// The values of an operand in a block.
    fn at(&self, block: BlockId, operand: Operand) -> Option<Interval> {
        let mut value = match operand {
            Operand::Int(n) => return Some((n, n)),
            Operand::Null => return Some(ALL),
            Operand::Var(var) => self.known.vars[self.n][var.index()]?,
        };
        let mut at = Some(block);
        while let Some(block) = at {
            if let [only] = self.graph.preds[block.index()][..] {
                value = self.through(only, block, operand, value)?;
            }
            at = self.graph.parent(block);
        }
        Some(value)
    }

    /// The values of an operand that come along an edge.
    fn on_edge(&self, from: BlockId, to: BlockId, operand: Operand) -> Option<Interval> {
        self.through(from, to, operand, self.at(from, operand)?)
    }

    /// What is left of an operand's values when a branch goes that way; `None` if nothing is.
    fn through(&self, from: BlockId, to: BlockId, operand: Operand, value: Interval) -> Option<Interval> {
        let End::Branch(Operand::Var(on), yes, no) = self.function.blocks[from.index()].end else {
            return Some(value);
        };
        let Some(Pure::Binary(op, a, b)) = self.definition(on).filter(|_| yes != no) else {
            return Some(value);
        };
        let op = if yes == to { *op } else { opposite(*op) };
        let (op, other) = match (operand == *a, operand == *b) {
            (true, false) => (op, *b),
            (false, true) => (mirrored(op), *a),
            _ => return Some(value),
        };
        let (low, high) = match other {
            Operand::Int(n) => (n, n),
            Operand::Null => ALL,
            Operand::Var(var) => self.known.vars[self.n][var.index()]?,
        };
        let (from, to) = match op {
            Binary::Eq => (low, high),
            Binary::Lt => (i64::MIN, high.checked_sub(1)?),
            Binary::Le => (i64::MIN, high),
            Binary::Gt => (low.checked_add(1)?, i64::MAX),
            Binary::Ge => (low, i64::MAX),
            _ => ALL,
        };
        let left = (value.0.max(from), value.1.min(to));
        (left.0 <= left.1).then_some(left)
    }

    fn definition(&self, var: Var) -> Option<&'a Pure> {
        let block = self.graph.definition(var)?;
        self.function.blocks[block.index()].insts.iter().find_map(|inst| match inst {
            Inst::Let(to, pure) if *to == var => Some(pure),
            _ => None,
        })
    }
}

fn join(slot: &mut Option<Interval>, value: Option<Interval>, widen: bool) {
    let Some((low, high)) = value else { return };
    *slot = Some(match *slot {
        None => (low, high),
        Some((a, b)) if widen => (if low < a { i64::MIN } else { a }, if high > b { i64::MAX } else { b }),
        Some((a, b)) => (a.min(low), b.max(high)),
    });
}

fn opposite(op: Binary) -> Binary {
    match op {
        Binary::Eq => Binary::Ne,
        Binary::Lt => Binary::Ge,
        Binary::Le => Binary::Gt,
        Binary::Gt => Binary::Le,
        Binary::Ge => Binary::Lt,
        Binary::Ne => Binary::Eq,
        other => other,
    }
}

fn mirrored(op: Binary) -> Binary {
    match op {
        Binary::Lt => Binary::Gt,
        Binary::Le => Binary::Ge,
        Binary::Gt => Binary::Lt,
        Binary::Ge => Binary::Le,
        other => other,
    }
}
