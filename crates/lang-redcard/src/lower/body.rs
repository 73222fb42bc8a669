//! One function in the making: blocks, and the value of every local at the place that is being lowered (SSA on the fly).

use super::{Lowering, Mark, Spot, Work};
use deadheat_lang::ast::{Block, Expr, ExprKind, Span, Statement, StatementKind};
use deadheat_redcard::ir::{
    self, AccessId, BlockId, Effect, End, FuncId, Inst, Kind, Operand, Phi, Place, Pure, Sync, Var,
};

/// A local and its value here.
pub(super) type Locals = Vec<(String, Operand)>;

pub(super) struct Body<'a, 'p> {
    pub(super) all: &'a mut Lowering<'p>,
    pub(super) id: FuncId,
    /// Where the next instruction goes.
    at: BlockId,
    /// Is it behind a `return` or `panic`? Then nobody gets here.
    dead: bool,
    /// Innermost last.
    pub(super) locals: Locals,
}

impl<'a, 'p> Body<'a, 'p> {
    pub(super) fn lower(all: &'a mut Lowering<'p>, id: FuncId, work: Work<'p>) {
        let mut body = Body { all, id, at: BlockId(0), dead: false, locals: Vec::new() };
        body.at = body.block();
        match work {
            Work::Block(block, params) => {
                let values = (0..).map(|n| Operand::Var(Var(n)));
                body.locals = params.into_iter().zip(values).collect();
                body.statements(block);
            }
            Work::Threads(threads) => body.threads(&threads),
        }
        body.end(End::Return(None));
    }

    /// Main of a program without one: starts the threads, waits for them, does what `finally` says.
    fn threads(&mut self, threads: &[FuncId]) {
        let mut started = Vec::new();
        for thread in threads {
            let to = self.fresh();
            self.emit(Inst::Sync(Sync::Fork(Some(to), *thread, Vec::new())));
            started.push(to);
        }
        started.into_iter().for_each(|t| self.emit(Inst::Sync(Sync::Join(Operand::Var(t)))));
        if let Some(finally) = &self.all.program.finally {
            self.statements(finally);
        }
    }

    fn function(&mut self) -> &mut ir::Function {
        &mut self.all.out.graph.functions[self.id.index()]
    }

    /// A new block, which stops until it gets an end.
    pub(super) fn block(&mut self) -> BlockId {
        let blocks = &mut self.function().blocks;
        let name = format!("b{}", blocks.len());
        blocks.push(ir::Block { name, phis: Vec::new(), insts: Vec::new(), end: End::Stop });
        BlockId(blocks.len() as u32 - 1)
    }

    pub(super) fn emit(&mut self, inst: Inst) {
        let at = self.at.index();
        self.function().blocks[at].insts.push(inst);
    }

    /// Ends the block; what follows is in a block that nobody gets to, until [`Body::go`].
    pub(super) fn end(&mut self, end: End) {
        let at = self.at.index();
        if !self.dead {
            self.function().blocks[at].end = end;
        }
        self.at = self.block();
        self.dead = true;
    }

    /// Goes on in that block, which somebody gets to.
    pub(super) fn go(&mut self, block: BlockId) {
        (self.at, self.dead) = (block, false);
    }

    /// A variable without a name.
    pub(super) fn fresh(&mut self) -> Var {
        let vars = &mut self.function().vars;
        vars.push(format!("%{}", vars.len()));
        Var(vars.len() as u32 - 1)
    }

    pub(super) fn pure(&mut self, pure: Pure) -> Operand {
        let to = self.fresh();
        self.emit(Inst::Let(to, pure));
        Operand::Var(to)
    }

    pub(super) fn both(&mut self, what: &str) {
        self.emit(Inst::Sync(Sync::Other(Effect::Both, what.into())));
    }

    fn access(&mut self, span: Span, kind: Kind) -> AccessId {
        self.all.out.accesses.push(super::Access { span, kind });
        AccessId(self.all.out.accesses.len() as u32 - 1)
    }

    pub(super) fn read(&mut self, place: Place, span: Span) -> Operand {
        let (id, to) = (self.access(span, Kind::Read), self.fresh());
        self.emit(Inst::Read(id, to, place));
        Operand::Var(to)
    }

    pub(super) fn write(&mut self, place: Place, value: Operand, span: Span) {
        let id = self.access(span, Kind::Write);
        self.emit(Inst::Write(id, place, value));
    }

    /// Remembers this point.
    pub(super) fn mark(&mut self, offset: u32, spot: Spot) {
        if self.dead {
            return;
        }
        let block = self.at;
        let at = (self.id, block, self.function().blocks[block.index()].insts.len());
        let locals = self.locals.clone();
        self.all.out.marks.push(Mark { offset, spot, at, locals });
    }

    /// The value of a local; `None` for globals.
    pub(super) fn local(&self, name: &str) -> Option<Operand> {
        self.locals.iter().rev().find(|(local, _)| local == name).map(|(_, value)| *value)
    }

    pub(super) fn declare(&mut self, name: &str, value: Operand) {
        self.name(name, value);
        self.locals.push((name.to_owned(), value));
    }

    /// Assigns to a local; is there one of that name?
    pub(super) fn assign(&mut self, name: &str, value: Operand) -> bool {
        let Some(n) = self.locals.iter().rposition(|(local, _)| local == name) else { return false };
        self.name(name, value);
        self.locals[n].1 = value;
        true
    }

    /// The first local that holds a value gives it its name.
    fn name(&mut self, name: &str, value: Operand) {
        if let Operand::Var(var) = value
            && let slot = &mut self.function().vars[var.index()]
            && slot.starts_with('%')
        {
            *slot = name.to_owned();
        }
    }

    /// `if`: both ways from the same locals, then the φ-functions of what differs.
    pub(super) fn branch(&mut self, condition: &'p Expr, then: &'p Block, otherwise: Option<&'p Block>) {
        let (yes, no) = (self.block(), self.block());
        self.condition(condition, yes, no);
        let before = self.locals.clone();
        let mut ways = Vec::new();
        for (block, body) in [(yes, Some(then)), (no, otherwise)] {
            self.locals.clone_from(&before);
            self.go(block);
            body.into_iter().for_each(|body| self.statements(body));
            ways.push(self.leave());
        }
        self.join(ways.into_iter().flatten().collect());
    }

    /// Where a way ends, with its locals, to be joined with others; `None` if nobody gets there.
    pub(super) fn leave(&mut self) -> Option<(BlockId, Locals)> {
        let way = (!self.dead).then(|| (self.at, self.locals.clone()));
        self.dead = true;
        way
    }

    /// Goes on behind all of these ways.
    pub(super) fn join(&mut self, ways: Vec<(BlockId, Locals)>) {
        let to = self.block();
        for (from, _) in &ways {
            self.function().blocks[from.index()].end = End::Jump(to);
        }
        let Some((_, first)) = ways.first() else {
            self.at = to;
            self.dead = true;
            return;
        };
        let mut locals = first.clone();
        for (n, (name, value)) in locals.iter_mut().enumerate() {
            if ways.iter().any(|(_, other)| other[n].1 != *value) {
                let from = ways.iter().map(|(from, other)| (*from, other[n].1)).collect();
                *value = self.phi(to, name, from);
            }
        }
        self.locals = locals;
        self.go(to);
    }

    pub(super) fn phi(&mut self, block: BlockId, name: &str, from: Vec<(BlockId, Operand)>) -> Operand {
        let to = self.fresh();
        name.clone_into(&mut self.function().vars[to.index()]);
        self.function().blocks[block.index()].phis.push(Phi { to, from });
        Operand::Var(to)
    }

    /// `while`: φ-functions at the head for every local that the body assigns to.
    pub(super) fn repeat(&mut self, condition: &'p Expr, block: &'p Block, span: Span) {
        // Nobody gets to a loop behind a `return`; its accesses are lowered all the same, so that each has its number.
        let (before, locals) = self.leave().unwrap_or((self.at, self.locals.clone()));
        let (head, body, out) = (self.block(), self.block(), self.block());
        self.function().blocks[before.index()].end = End::Jump(head);
        let mut assigned = Vec::new();
        assigned_in(block, &mut assigned);
        let mut phis = Vec::new();
        self.locals = locals;
        for n in 0..self.locals.len() {
            let (name, value) = self.locals[n].clone();
            if assigned.contains(&name.as_str()) {
                self.locals[n].1 = self.phi(head, &name, vec![(before, value)]);
                phis.push(n);
            }
        }
        self.go(head);
        self.condition(condition, body, out);
        let at_head = self.locals.clone();
        self.go(body);
        self.mark(block.span.start + 1, Spot::LoopBody);
        self.statements(block);
        if let Some((latch, locals)) = self.leave() {
            let blocks = &mut self.function().blocks;
            blocks[latch.index()].end = End::Jump(head);
            let phis = phis.iter().zip(&mut blocks[head.index()].phis);
            phis.for_each(|(n, phi)| phi.from.push((latch, locals[*n].1)));
        }
        self.locals = at_head;
        self.go(out);
        self.mark(span.end, Spot::LoopEnd);
    }
}

/// The names that a block assigns to, those of its own locals too.
fn assigned_in<'p>(block: &'p Block, into: &mut Vec<&'p str>) {
    for Statement { kind, .. } in &block.statements {
        match kind {
            StatementKind::Assign(Expr { kind: ExprKind::Name(name), .. }, _) => into.push(name),
            StatementKind::If(_, then, otherwise) => {
                [Some(then), otherwise.as_ref()].into_iter().flatten().for_each(|b| assigned_in(b, into));
            }
            StatementKind::While(_, body) | StatementKind::Block(body) | StatementKind::Sync(_, body) => {
                assigned_in(body, into);
            }
            StatementKind::Select(cases, default) => {
                cases.iter().map(|case| &case.body).chain(default).for_each(|b| assigned_in(b, into));
            }
            _ => {}
        }
    }
}
