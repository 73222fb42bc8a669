//! Statements: Figure 9, one arm each.

use crate::build::{block, element, int, let_, name, perform, statement, word};
use crate::layout::Layout;
use crate::refuse::refuse;
use crate::{Guard, desugared};
use deadheat_lang::Error;
use deadheat_lang::ast::{Block, Expr, ExprKind, Function, Program, Statement, StatementKind, Type};

/// The pass on its way through a program.
pub struct Pass<'l> {
    pub(crate) layout: &'l Layout,
    guard: Guard,
    /// The number of the thread that runs the code: a number, or `__t` in a function.
    me: Expr,
    /// Could the code run more than once?
    pub(crate) repeats: bool,
    /// Locals in scope, the innermost last, with the number of the thread for those that a `spawn` was given to.
    locals: Vec<(String, Option<u32>)>,
    made: u32,
    pub(crate) errors: Vec<Error>,
}

impl<'l> Pass<'l> {
    pub(crate) fn new(layout: &'l Layout, guard: Guard) -> Pass<'l> {
        let (locals, errors) = Default::default();
        Pass { layout, guard, me: int(0), repeats: false, locals, made: 0, errors }
    }

    pub(crate) fn me(&self) -> Expr {
        self.me.clone()
    }

    pub(crate) fn fresh(&mut self) -> String {
        self.made += 1;
        format!("__{}", self.made)
    }

    pub(crate) fn is_global(&self, word: &str) -> bool {
        !self.locals.iter().any(|(local, _)| local == word) && self.layout.rows(word).is_some()
    }

    /// What thread 0 does.
    pub(crate) fn main(&mut self, program: &Program) -> Vec<Statement> {
        match &program.main {
            Some(main) => self.block(main).statements,
            None => self.block(&block(desugared(program))).statements,
        }
    }

    pub(crate) fn function(&mut self, f: &Function) -> Function {
        let mut params = f.params.clone();
        self.locals = params.iter().map(|(name, _)| (name.text.clone(), None)).collect();
        params.push((word("__t"), Type::Int));
        (self.me, self.repeats) = (name("__t"), true);
        let body = self.block(&f.body);
        self.locals.clear();
        Function { params, body, ..f.clone() }
    }

    /// A block as that thread runs it.
    pub(crate) fn as_thread(&mut self, thread: u32, body: &Block) -> Block {
        let me = std::mem::replace(&mut self.me, int(thread));
        let body = self.block(body);
        self.me = me;
        body
    }

    pub(crate) fn block(&mut self, b: &Block) -> Block {
        let mark = self.locals.len();
        let mut out = Vec::new();
        b.statements.iter().for_each(|s| self.statement(s, &mut out));
        self.locals.truncate(mark);
        Block { statements: out, span: b.span }
    }

    fn statement(&mut self, s: &Statement, out: &mut Vec<Statement>) {
        let kind = match &s.kind {
            StatementKind::Let(local, ty, value) => {
                let thread = self.layout.thread_at(value.span).filter(|_| is_spawn(value));
                let value = self.value(value, out);
                self.locals.push((local.text.clone(), thread));
                StatementKind::Let(local.clone(), ty.clone(), value)
            }
            StatementKind::Assign(place, value) => return self.assign(place, value, out),
            StatementKind::Do(e) => StatementKind::Do(self.value(e, out)),
            StatementKind::If(condition, then, otherwise) => {
                let condition = self.expr(condition, out);
                let then = self.block(then);
                StatementKind::If(condition, then, otherwise.as_ref().map(|b| self.block(b)))
            }
            StatementKind::While(condition, body) => return self.while_(condition, body, out),
            StatementKind::Block(b) => StatementKind::Block(self.block(b)),
            StatementKind::Sync(lock, body) => {
                let (lock, number) = self.lock(lock, out);
                self.acquire(lock.clone(), number.clone(), out);
                out.push(statement(StatementKind::Block(self.block(body))));
                return self.release(lock, number, out);
            }
            StatementKind::Lock(lock) => {
                let (lock, number) = self.lock(lock, out);
                return self.acquire(lock, number, out);
            }
            StatementKind::Unlock(lock) => {
                let (lock, number) = self.lock(lock, out);
                return self.release(lock, number, out);
            }
            StatementKind::Wait(thread) => return self.wait(s, thread, out),
            StatementKind::Assert(e) => StatementKind::Assert(self.expr(e, out)),
            StatementKind::Print(values) => {
                StatementKind::Print(values.iter().map(|e| self.expr(e, out)).collect())
            }
            StatementKind::Return(value) => StatementKind::Return(value.as_ref().map(|e| self.expr(e, out))),
            StatementKind::Panic(_) | StatementKind::Yield => s.kind.clone(),
            _ => {
                self.errors.push(refuse(s.span, "channels, descheduling and the heap"));
                return;
            }
        };
        out.push(Statement { kind, span: s.span });
    }

    /// What a `let` or a statement of its own may hold besides plain expressions: a call, a spawn.
    fn value(&mut self, e: &Expr, out: &mut Vec<Statement>) -> Expr {
        match &e.kind {
            ExprKind::Call(function, arguments) => self.call(function, arguments, e.span, out),
            _ if is_spawn(e) => self.spawn(e, out),
            _ => self.expr(e, out),
        }
    }

    /// [store e x] `lock X[x]; hb_check(W[x], C[t]); hb_check(R[x], C[t]); move((C[t], t), (W[x], t)); store e x; unlock X[x]`
    fn assign(&mut self, place: &Expr, value: &Expr, out: &mut Vec<Statement>) {
        let is_shared = match &place.kind {
            ExprKind::Name(x) => self.is_global(x),
            ExprKind::Index(array, _) => matches!(&array.kind, ExprKind::Name(a) if self.is_global(a)),
            _ => {
                self.errors.push(refuse(place.span, "classes and references"));
                return;
            }
        };
        if is_spawn(value) {
            self.errors.push(refuse(value.span, "a spawn that is given to an existing variable"));
        }
        if !is_shared {
            if !matches!(place.kind, ExprKind::Name(_)) {
                self.errors.push(refuse(place.span, "the heap and arrays made at run time"));
            }
            let value = self.value(value, out);
            return out.push(statement(StatementKind::Assign(place.clone(), value)));
        }
        let (place, location) = self.place(place, out);
        let value = self.expr(value, out);
        let store = Statement { span: place.span, kind: StatementKind::Assign(place, value) };
        self.guarded("__store", location, store, out);
    }

    /// A handler and its access, one section.
    pub(crate) fn guarded(
        &mut self,
        handler: &str,
        location: Expr,
        access: Statement,
        out: &mut Vec<Statement>,
    ) {
        let lock = element("__X", location.clone());
        let locked = self.guard == Guard::PerLocation;
        out.extend(locked.then(|| statement(StatementKind::Lock(lock.clone()))));
        out.push(perform(handler, vec![location, self.me()]));
        out.push(access);
        out.extend(locked.then(|| statement(StatementKind::Unlock(lock))));
    }

    /// The condition is evaluated before the loop and at the end of each round.
    fn while_(&mut self, condition: &Expr, body: &Block, out: &mut Vec<Statement>) {
        let first = self.expr(condition, out);
        let goes_on = self.fresh();
        out.push(let_(&goes_on, first));
        let repeats = std::mem::replace(&mut self.repeats, true);
        let mut body = self.block(body);
        let again = self.expr(condition, &mut body.statements);
        self.repeats = repeats;
        body.statements.push(statement(StatementKind::Assign(name(&goes_on), again)));
        out.push(statement(StatementKind::While(name(&goes_on), body)));
    }

    /// The lock with its index in a local, and its number.
    fn lock(&mut self, e: &Expr, out: &mut Vec<Statement>) -> (Expr, Expr) {
        let is_mutex = match &e.kind {
            ExprKind::Name(m) => self.is_global(m),
            ExprKind::Index(array, _) => matches!(&array.kind, ExprKind::Name(a) if self.is_global(a)),
            _ => false,
        };
        if !is_mutex {
            self.errors.push(refuse(e.span, "locks of objects"));
            return (e.clone(), int(0));
        }
        self.place(e, out)
    }

    /// [lock m] `lock m; merge(L[m], C[t])`
    fn acquire(&mut self, lock: Expr, number: Expr, out: &mut Vec<Statement>) {
        out.push(Statement { span: lock.span, kind: StatementKind::Lock(lock) });
        out.push(perform("__acquire", vec![number, self.me()]));
    }

    /// [unlock m] `set(C[t], L[m]); inc(t, C[t]); unlock m`
    fn release(&mut self, lock: Expr, number: Expr, out: &mut Vec<Statement>) {
        out.push(perform("__release", vec![number, self.me()]));
        out.push(Statement { span: lock.span, kind: StatementKind::Unlock(lock) });
    }

    /// [wait u] `wait u; merge(C[u], C[t]); inc(u, C[u])`
    fn wait(&mut self, s: &Statement, thread: &Expr, out: &mut Vec<Statement>) {
        let number = match &thread.kind {
            ExprKind::Name(local) => {
                self.locals.iter().rev().find(|(other, _)| other == local).and_then(|(_, thread)| *thread)
            }
            _ => None,
        };
        let Some(number) = number else {
            self.errors
                .push(refuse(thread.span, "a wait for a thread that is not a local from its own spawn"));
            return;
        };
        out.push(s.clone());
        out.push(perform("__join", vec![self.me(), int(number)]));
    }
}

fn is_spawn(e: &Expr) -> bool {
    matches!(e.kind, ExprKind::Spawn(..) | ExprKind::SpawnBlock(_))
}
