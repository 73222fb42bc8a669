//! Loop peeling from source to source (§6, "Code Transformations"): `while c { b }` becomes `if c { { b } while c { b } }`.
//!
//! Only innermost loops, as in the paper's Table 1.

use deadheat_lang::ast::{Block, Case, Expr, ExprKind, Guard, Program, Statement, StatementKind};

/// The program with the first round of every innermost loop before the loop.
pub fn peel(program: &Program) -> Program {
    let mut peeled = program.clone();
    let methods = peeled.classes.iter_mut().flat_map(|class| &mut class.methods);
    peeled.functions.iter_mut().chain(methods).for_each(|f| block(&mut f.body));
    let threads = peeled.threads.iter_mut().map(|thread| &mut thread.body);
    peeled.main.iter_mut().chain(&mut peeled.finally).chain(threads).for_each(block);
    peeled
}

fn block(b: &mut Block) {
    b.statements.iter_mut().for_each(statement);
}

fn statement(s: &mut Statement) {
    expressions(&mut s.kind, &mut expr);
    blocks(&mut s.kind, &mut block);
    if let StatementKind::While(condition, body) = &s.kind
        && !has_loop(body)
    {
        let first = Statement { kind: StatementKind::Block(body.clone()), span: s.span };
        let then = Block { statements: vec![first, s.clone()], span: body.span };
        s.kind = StatementKind::If(condition.clone(), then, None);
    }
}

/// Is there a loop in it? Those of threads that it starts are their own.
fn has_loop(b: &Block) -> bool {
    b.statements.iter().any(|s| {
        let mut found = matches!(s.kind, StatementKind::While(..));
        blocks(&mut s.kind.clone(), &mut |inner| found |= has_loop(inner));
        found
    })
}

fn blocks(kind: &mut StatementKind, see: &mut dyn FnMut(&mut Block)) {
    match kind {
        StatementKind::If(_, then, otherwise) => {
            see(then);
            otherwise.iter_mut().for_each(see);
        }
        StatementKind::While(_, body) | StatementKind::Block(body) | StatementKind::Sync(_, body) => {
            see(body);
        }
        StatementKind::Select(cases, default) => {
            cases.iter_mut().map(|case| &mut case.body).chain(default).for_each(see);
        }
        _ => {}
    }
}

fn expressions(kind: &mut StatementKind, see: &mut dyn FnMut(&mut Expr)) {
    match kind {
        StatementKind::Let(_, _, e)
        | StatementKind::Do(e)
        | StatementKind::If(e, ..)
        | StatementKind::While(e, _)
        | StatementKind::Lock(e)
        | StatementKind::Unlock(e)
        | StatementKind::Sync(e, _)
        | StatementKind::Wait(e)
        | StatementKind::MakeRunnable(e)
        | StatementKind::Close(e)
        | StatementKind::Free(e)
        | StatementKind::Assert(e)
        | StatementKind::Return(Some(e)) => see(e),
        StatementKind::Assign(a, b) | StatementKind::Send(a, b) => [a, b].into_iter().for_each(see),
        StatementKind::Print(all) => all.iter_mut().for_each(see),
        StatementKind::Select(cases, _) => {
            for Case { guard, .. } in cases {
                match guard {
                    Guard::Send(a, b) => [a, b].into_iter().for_each(&mut *see),
                    Guard::Receive(_, a) => see(a),
                }
            }
        }
        StatementKind::Block(_)
        | StatementKind::Deschedule
        | StatementKind::Yield
        | StatementKind::Panic(_)
        | StatementKind::Return(None) => {}
    }
}

/// Blocks in expressions are those of `spawn`.
fn expr(e: &mut Expr) {
    match &mut e.kind {
        ExprKind::SpawnBlock(b) => block(b),
        ExprKind::Field(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::NewArray(_, a)
        | ExprKind::NewChan(_, a)
        | ExprKind::Receive(a) => expr(a),
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) => {
            expr(a);
            expr(b);
        }
        ExprKind::Method(object, _, arguments) => {
            expr(object);
            arguments.iter_mut().for_each(expr);
        }
        ExprKind::Call(_, arguments) | ExprKind::Builtin(_, arguments) | ExprKind::Spawn(_, arguments) => {
            arguments.iter_mut().for_each(expr);
        }
        ExprKind::Int(_)
        | ExprKind::Bool(_)
        | ExprKind::Null
        | ExprKind::Name(_)
        | ExprKind::This
        | ExprKind::New(_) => {}
    }
}
