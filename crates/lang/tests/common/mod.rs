//! Random programs: any syntax tree that can be written down, with or without meaning.

use deadheat_lang::ast::{
    Atomicity, Binary, Block, Builtin, Case, Class, Expr, ExprKind, Field, Function, Global, Guard, Name,
    Program, Span, Statement, StatementKind, ThreadItem, Type, Unary,
};
use fastrand::Rng;

/// The tree without its places, for comparisons.
pub fn shape(program: &Program) -> String {
    let text = format!("{program:?}");
    let mut parts = text.split("Span { ");
    let mut out = parts.next().unwrap_or("").to_owned();
    for part in parts {
        out.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    out
}

/// A random program.
pub struct Random {
    pub rng: Rng,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { rng: Rng::with_seed(seed) }
    }

    fn many<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.rng.usize(0..=most)).map(|_| one(self)).collect()
    }

    fn maybe<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.rng.bool().then(|| one(self))
    }

    pub fn program(&mut self) -> Program {
        Program {
            globals: self.many(4, Self::global),
            classes: self.many(2, Self::class),
            functions: self.many(2, Self::function),
            main: self.maybe(|r| r.block(3)),
            threads: self.many(2, |r| ThreadItem { name: r.maybe(Self::name), body: r.block(3) }),
            finally: self.maybe(|r| r.block(2)),
        }
    }

    fn name(&mut self) -> Name {
        let names = ["x", "y", "max", "self", "length", "_", "a1", "Node", "loop", "go", "val", "threads"];
        Name { text: self.rng.choice(names).unwrap_or("x").to_owned(), span: Span::default() }
    }

    fn access(&mut self) -> Atomicity {
        if self.rng.bool() { Atomicity::Atomic } else { Atomicity::Plain }
    }

    fn ty(&mut self, depth: u32) -> Type {
        match self.rng.u32(0..if depth == 0 { 5 } else { 8 }) {
            0 => Type::Int,
            1 => Type::Bool,
            2 => Type::Mutex,
            3 => Type::Thread,
            4 => Type::Class("Node".to_owned()),
            5 => Type::Chan(Box::new(self.ty(depth - 1))),
            6 => Type::Array(Box::new(self.ty(depth - 1))),
            _ => Type::Inline(Box::new(self.ty(depth - 1)), self.rng.u32(..)),
        }
    }

    fn integer(&mut self) -> i64 {
        match self.rng.u32(0..6) {
            0 => i64::MIN,
            1 => i64::MAX,
            2 => -self.rng.i64(0..10),
            _ => self.rng.i64(0..10),
        }
    }

    fn global(&mut self) -> Global {
        let ty = self.ty(2);
        let value = match ty {
            Type::Int => self.integer(),
            Type::Bool => self.rng.i64(0..2),
            _ => 0,
        };
        Global { name: self.name(), ty, access: self.access(), value }
    }

    fn class(&mut self) -> Class {
        let fields = self.many(3, |r| Field { name: r.name(), ty: r.ty(1), access: r.access() });
        Class { name: self.name(), fields, methods: self.many(2, Self::function) }
    }

    fn function(&mut self) -> Function {
        let result = self.maybe(|r| r.ty(1)).unwrap_or(Type::Unit);
        Function {
            name: self.name(),
            params: self.many(3, |r| (r.name(), r.ty(1))),
            result,
            body: self.block(3),
        }
    }

    fn block(&mut self, depth: u32) -> Block {
        let statements = self.many(if depth == 0 { 1 } else { 4 }, |r| r.statement(depth.saturating_sub(1)));
        Block { statements, span: Span::default() }
    }

    fn statement(&mut self, depth: u32) -> Statement {
        let kind = match self.rng.u32(0..if depth == 0 { 17 } else { 22 }) {
            0 | 1 => StatementKind::Let(self.name(), self.maybe(|r| r.ty(1)), self.expr(3)),
            2 | 3 => StatementKind::Assign(self.expr(3), self.expr(3)),
            4 => StatementKind::Do(self.expr(3)),
            5 => StatementKind::Lock(self.expr(2)),
            6 => StatementKind::Unlock(self.expr(2)),
            7 => StatementKind::Wait(self.expr(2)),
            8 => StatementKind::MakeRunnable(self.expr(2)),
            9 => {
                if self.rng.bool() {
                    StatementKind::Yield
                } else {
                    StatementKind::Deschedule
                }
            }
            10 => StatementKind::Send(self.expr(2), self.expr(2)),
            11 => StatementKind::Close(self.expr(2)),
            12 => StatementKind::Free(self.expr(2)),
            13 => StatementKind::Assert(self.expr(3)),
            14 => StatementKind::Panic(self.maybe(Self::string)),
            15 => StatementKind::Print(
                std::iter::once(self.expr(2)).chain(self.many(2, |r| r.expr(2))).collect(),
            ),
            16 => StatementKind::Return(self.maybe(|r| r.expr(2))),
            17 => StatementKind::If(self.expr(2), self.block(depth), self.maybe(|r| r.block(depth))),
            18 => StatementKind::While(self.expr(2), self.block(depth)),
            19 => StatementKind::Block(self.block(depth)),
            20 => StatementKind::Sync(self.expr(2), self.block(depth)),
            _ => StatementKind::Select(self.many(3, |r| r.case(depth)), self.maybe(|r| r.block(depth))),
        };
        Statement { kind, span: Span::default() }
    }

    fn string(&mut self) -> String {
        let pieces = ["a", "\"", "\\", "\n", "\t", "\r", "é", "//", "/*", " ", "{"];
        self.many(4, |r| r.rng.choice(pieces).unwrap_or("a")).concat()
    }

    fn case(&mut self, depth: u32) -> Case {
        let guard = if self.rng.bool() {
            Guard::Send(self.expr(2), self.expr(2))
        } else {
            Guard::Receive(self.maybe(Self::name), self.expr(2))
        };
        Case { guard, body: self.block(depth), span: Span::default() }
    }

    fn boxed(&mut self, depth: u32) -> Box<Expr> {
        Box::new(self.expr(depth))
    }

    fn expr(&mut self, depth: u32) -> Expr {
        let kind = if depth == 0 { self.leaf() } else { self.tree(depth - 1) };
        Expr { kind, span: Span::default() }
    }

    fn leaf(&mut self) -> ExprKind {
        match self.rng.u32(0..6) {
            0 => ExprKind::Int(self.integer()),
            1 => ExprKind::Bool(self.rng.bool()),
            2 => ExprKind::Null,
            3 => ExprKind::This,
            4 => ExprKind::New(self.name()),
            _ => ExprKind::Name(self.name().text),
        }
    }

    fn tree(&mut self, depth: u32) -> ExprKind {
        match self.rng.u32(0..16) {
            0 | 1 => self.leaf(),
            2 => ExprKind::Field(self.boxed(depth), self.name()),
            3 => ExprKind::Index(self.boxed(depth), self.boxed(depth)),
            4 => ExprKind::Unary(if self.rng.bool() { Unary::Negate } else { Unary::Not }, self.boxed(depth)),
            5..=8 => ExprKind::Binary(self.operator(), self.boxed(depth), self.boxed(depth)),
            9 => ExprKind::Call(self.called(), self.many(2, |r| r.expr(depth))),
            10 => ExprKind::Method(self.boxed(depth), self.name(), self.many(2, |r| r.expr(depth))),
            11 => {
                let builtin = self.rng.choice(Builtin::ALL).map_or(Builtin::Max, |(_, b)| b);
                ExprKind::Builtin(builtin, self.many(3, |r| r.expr(depth)))
            }
            12 => ExprKind::NewArray(self.ty(1), self.boxed(depth)),
            13 => ExprKind::NewChan(self.ty(1), self.boxed(depth)),
            14 => ExprKind::Receive(self.boxed(depth)),
            _ if self.rng.u32(0..3) > 0 => ExprKind::Spawn(self.called(), self.many(2, |r| r.expr(depth))),
            _ => ExprKind::SpawnBlock(self.block(0)),
        }
    }

    /// A function of the program, not of the language.
    fn called(&mut self) -> Name {
        Name { text: format!("f_{}", self.name().text), span: Span::default() }
    }

    fn operator(&mut self) -> Binary {
        use Binary::{
            Add, And, Divide, Equal, Greater, GreaterEqual, Less, LessEqual, Multiply, NotEqual, Or,
        };
        let all = [Add, And, Divide, Equal, Greater, GreaterEqual, Less, LessEqual, Multiply, NotEqual, Or];
        self.rng.choice(all).unwrap_or(if self.rng.bool() { Binary::Subtract } else { Binary::Remainder })
    }
}
