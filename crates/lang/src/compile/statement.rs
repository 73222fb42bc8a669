//! Statements.

use super::{Compiler, LATER};
use crate::ast::{Block, Case, Expr, Guard, Span, StatementKind as Kind};
use crate::code::{Branch, BranchGuard, Instr, Pc, Select};

impl<'p> Compiler<'p> {
    pub(super) fn statement(&mut self, kind: &'p Kind, span: Span) {
        // A local keeps its register to the end of its block; every other register is free again after the statement.
        if let Kind::Let(name, _, value) = kind {
            let r = self.scope.temporary();
            let mark = self.scope.enter();
            self.expr_into(value, r);
            self.scope.leave(mark);
            return self.scope.declare(&name.text, r);
        }
        let mark = self.scope.enter();
        self.plain_statement(kind, span);
        self.scope.leave(mark);
    }

    fn plain_statement(&mut self, kind: &'p Kind, span: Span) {
        match kind {
            Kind::Let(..) => {}
            Kind::Assign(place, value) => self.assign(place, value),
            Kind::Do(e) => drop(self.expr(e)),
            Kind::If(condition, then, otherwise) => self.branch(condition, then, otherwise.as_ref()),
            Kind::While(condition, body) => {
                let top = self.here();
                let out = self.jump_unless(condition);
                self.block(body);
                self.emit(Instr::JumpBack(top), span);
                self.land(out);
            }
            Kind::Block(block) => self.block(block),
            Kind::Lock(e) => {
                let lock = self.lock(e);
                self.emit(Instr::Lock(lock), span);
            }
            Kind::Unlock(e) => {
                let lock = self.lock(e);
                self.emit(Instr::Unlock(lock), span);
            }
            Kind::Sync(e, body) => {
                let lock = self.lock(e);
                let kept = self.scope.temporary();
                self.emit(Instr::Move(kept, lock), e.span);
                self.emit(Instr::Lock(kept), e.span);
                self.block(body);
                let end = Span { start: body.span.end.saturating_sub(1), end: body.span.end };
                self.emit(Instr::Unlock(kept), end);
            }
            Kind::Wait(e) => self.with(e, span, Instr::Wait),
            Kind::Deschedule => {
                self.emit(Instr::Deschedule, span);
                self.emit(Instr::Resume, span);
            }
            Kind::MakeRunnable(e) => self.with(e, span, Instr::MakeRunnable),
            Kind::Yield => drop(self.emit(Instr::Yield, span)),
            Kind::Send(chan, value) => {
                let chan = self.expr(chan);
                let value = self.expr(value);
                self.emit(Instr::Send(chan, value), span);
            }
            Kind::Close(e) => self.with(e, span, Instr::Close),
            Kind::Select(cases, default) => self.select(cases, default.as_ref(), span),
            Kind::Free(e) => self.with(e, span, Instr::Free),
            Kind::Assert(e) => self.with(e, span, Instr::Assert),
            Kind::Panic(message) => {
                let message = self.panic_message(message.as_deref());
                self.emit(Instr::Panic(message), span);
            }
            Kind::Print(values) => {
                let first = self.in_a_row(values);
                self.emit(Instr::Print(first, values.len() as u16), span);
            }
            Kind::Return(value) => {
                let value = value.as_ref().map(|e| self.expr(e));
                self.emit(Instr::Return(value), span);
            }
        }
    }

    /// An instruction with one operand.
    fn with(&mut self, e: &'p Expr, span: Span, instr: impl Fn(crate::code::Reg) -> Instr) {
        let r = self.expr(e);
        self.emit(instr(r), span);
    }

    fn jump_unless(&mut self, condition: &'p Expr) -> Pc {
        let mark = self.scope.enter();
        let r = self.expr(condition);
        self.scope.leave(mark);
        self.emit(Instr::JumpUnless(r, LATER), condition.span)
    }

    fn branch(&mut self, condition: &'p Expr, then: &'p Block, otherwise: Option<&'p Block>) {
        let else_ = self.jump_unless(condition);
        self.block(then);
        let Some(otherwise) = otherwise else { return self.land(else_) };
        let end = self.emit(Instr::Jump(LATER), then.span);
        self.land(else_);
        self.block(otherwise);
        self.land(end);
    }

    /// Operands first, in order; then the choice; then the bodies.
    fn select(&mut self, cases: &'p [Case], default: Option<&'p Block>, span: Span) {
        let guards: Vec<BranchGuard> = cases
            .iter()
            .map(|case| match &case.guard {
                Guard::Send(chan, value) => {
                    let chan = self.expr(chan);
                    BranchGuard::Send(chan, self.expr(value))
                }
                Guard::Receive(_, chan) => {
                    let chan = self.expr(chan);
                    BranchGuard::Receive(self.scope.temporary(), chan)
                }
            })
            .collect();
        let number = self.code.selects.len() as u32;
        self.code.selects.push(Select { branches: Vec::new(), default: None });
        self.emit(Instr::Select(number), span);
        let (mut branches, mut ends) = (Vec::new(), Vec::new());
        for (case, guard) in cases.iter().zip(guards) {
            branches.push(Branch { guard, target: self.here() });
            let mark = self.scope.enter();
            if let (Guard::Receive(Some(name), _), BranchGuard::Receive(into, _)) = (&case.guard, guard) {
                self.scope.declare(&name.text, into);
            }
            self.block(&case.body);
            self.scope.leave(mark);
            ends.push(self.emit(Instr::Jump(LATER), case.span));
        }
        let default = default.map(|block| {
            let at = self.here();
            self.block(block);
            at
        });
        ends.into_iter().for_each(|end| self.land(end));
        self.code.selects[number as usize] = Select { branches, default };
    }
}
