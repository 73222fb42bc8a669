//! Does every path through a function return?

use super::{Checker, shorten};
use crate::ast::{Block, ExprKind, Function, Statement, StatementKind, Type};
use crate::error::Error;

impl Checker<'_> {
    pub(super) fn all_paths_return(&mut self, function: &Function) {
        if function.result == Type::Unit || ends(&function.body) {
            return;
        }
        let message =
            format!("`{}` must return `{}` on every path", shorten(&function.name.text), function.result);
        let error = Error::new(function.name.span, message, "its last statement may be passed");
        self.errors.push(error.help(
            "end it with `return e;`, `panic;`, `while true { .. }`, or an `if` and `else` that both do",
        ));
    }
}

/// Is what comes after the block never reached? Only its last statement counts.
fn ends(block: &Block) -> bool {
    block.statements.last().is_some_and(never_passed)
}

fn never_passed(statement: &Statement) -> bool {
    match &statement.kind {
        StatementKind::Return(_) | StatementKind::Panic(_) => true,
        StatementKind::While(condition, _) => condition.kind == ExprKind::Bool(true),
        StatementKind::Block(block) | StatementKind::Sync(_, block) => ends(block),
        StatementKind::If(_, then, Some(otherwise)) => ends(then) && ends(otherwise),
        StatementKind::Select(cases, default) => {
            (!cases.is_empty() || default.is_some()) && cases.iter().map(|c| &c.body).chain(default).all(ends)
        }
        _ => false,
    }
}
