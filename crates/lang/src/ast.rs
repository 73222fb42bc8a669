//! The syntax tree of the small language.
//!
//! One language covers the calculi of four papers: `load`/`store`/`lock`/`spawn`/`wait` of *Verifying Dynamic Race Detection*
//! (Fig. 7), `xchg`, `malloc`, `deschedule` of *Iterative Deepening* (§2.1), classes and arrays of *RedCard* (Fig. 2, 5), channels
//! and `select` of *Ready, Set, Go!* (Fig. 1). Locals are private to their thread; globals, fields, elements and heap cells are shared, and each
//! read or write of one is a step of its own.

use std::fmt;

/// Where in the source: byte offsets, end exclusive.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The byte after the last.
    pub end: u32,
}

/// A name where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    /// The word.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// A whole program.
///
/// It runs `main`. A program without one is the sugar `thread { .. } thread { .. } finally { .. }`: main starts the threads in
/// their order, waits for each, and then does what `finally` says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// `global x = 1;`, `atomic flag = 0;`, `global m: mutex;`, `global a: [int; 10];`
    pub globals: Vec<Global>,
    /// `class C { .. }`
    pub classes: Vec<Class>,
    /// `fn f(a, b: C) -> int { .. }`
    pub functions: Vec<Function>,
    /// `main { .. }`
    pub main: Option<Block>,
    /// `thread NAME { .. }`, started together if there is no `main`; the name is optional.
    pub threads: Vec<ThreadItem>,
    /// `finally { .. }` after all of the threads.
    pub finally: Option<Block>,
}

/// `thread producer { .. }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadItem {
    /// What reports call it.
    pub name: Option<Name>,
    /// What it does.
    pub body: Block,
}

/// A shared variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Global {
    /// Its name.
    pub name: Name,
    /// Its type; `int` where nothing is said.
    pub ty: Type,
    /// Are its reads and writes atomic (sequentially consistent), so that they synchronise and do not race?
    pub access: Atomicity,
    /// What it holds at the start: a constant (integer, `true`, `null`, or negated integer); zero where nothing is said.
    pub value: i64,
}

/// Plain or atomic.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Atomicity {
    /// An ordinary variable: unordered conflicting accesses race.
    Plain,
    /// `atomic`: every access synchronises.
    Atomic,
}

/// Types: enough to tell an address from a number and a channel from both.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// A 64-bit integer; also an address from `malloc`, as in B. `p[i]` on one is the heap cell `i` after `p`.
    Int,
    /// `true` or `false`.
    Bool,
    /// A cell that `lock` and `unlock` take. It has no value.
    Mutex,
    /// A thread, from `spawn`.
    Thread,
    /// `chan T`.
    Chan(Box<Type>),
    /// An object of that class, or `null`.
    Class(String),
    /// `[T]`: a reference to an array, or `null`.
    Array(Box<Type>),
    /// `[T; n]`: an array that lies in place; globals only.
    Inline(Box<Type>, u32),
    /// What a function without a result returns.
    Unit,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int => f.write_str("int"),
            Type::Bool => f.write_str("bool"),
            Type::Mutex => f.write_str("mutex"),
            Type::Thread => f.write_str("thread"),
            Type::Chan(t) => write!(f, "chan {t}"),
            Type::Class(c) => f.write_str(c),
            Type::Array(t) => write!(f, "[{t}]"),
            Type::Inline(t, n) => write!(f, "[{t}; {n}]"),
            Type::Unit => f.write_str("nothing"),
        }
    }
}

/// `class Point { x: int; atomic hits: int; fn move(dx) { this.x = this.x + dx; } }`. Every object is also a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Class {
    /// Its name.
    pub name: Name,
    /// Its fields, zero or null at first.
    pub fields: Vec<Field>,
    /// Its methods; `this` is the object.
    pub methods: Vec<Function>,
}

/// A field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// Its name.
    pub name: Name,
    /// Its type; `int` where nothing is said. Not [`Type::Inline`].
    pub ty: Type,
    /// Plain or atomic.
    pub access: Atomicity,
}

/// A function or method.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: Name,
    /// Parameters with their types; `int` where nothing is said.
    pub params: Vec<(Name, Type)>,
    /// What it returns.
    pub result: Type,
    /// What it does.
    pub body: Block,
}

/// `{ .. }`: a scope.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Block {
    /// In order.
    pub statements: Vec<Statement>,
    /// From brace to brace.
    pub span: Span,
}

/// A statement where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// Where.
    pub span: Span,
}

/// The statements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StatementKind {
    /// `let x = e;` or `let x: T = e;`: a local; its type is its value's unless said.
    Let(Name, Option<Type>, Expr),
    /// `place = e;`
    Assign(Expr, Expr),
    /// `f(x);`, `fetch_add(x, 1);`, `spawn f();`, `<-c;`: for what it does.
    Do(Expr),
    /// `if e { .. } else { .. }`; `else if` is a block with one statement.
    If(Expr, Block, Option<Block>),
    /// `while e { .. }`
    While(Expr, Block),
    /// `{ .. }`
    Block(Block),
    /// `lock m;` of a mutex place or an object.
    Lock(Expr),
    /// `unlock m;`
    Unlock(Expr),
    /// `sync m { .. }`: lock, body, unlock; `return` may not leave it.
    Sync(Expr, Block),
    /// `wait t;`
    Wait(Expr),
    /// `deschedule;`: blocks until another thread makes this one runnable.
    Deschedule,
    /// `make_runnable t;`: wakes a descheduled thread; without effect on any other.
    MakeRunnable(Expr),
    /// `yield;`
    Yield,
    /// `c <- e;`
    Send(Expr, Expr),
    /// `close c;`
    Close(Expr),
    /// `select { case c <- e { .. } case let x = <-c { .. } case <-c { .. } default { .. } }`
    Select(Vec<Case>, Option<Block>),
    /// `free p;`
    Free(Expr),
    /// `assert e;`
    Assert(Expr),
    /// `panic;` or `panic "what";`
    Panic(Option<String>),
    /// `print e, e;`
    Print(Vec<Expr>),
    /// `return;` or `return e;`
    Return(Option<Expr>),
}

/// A branch of a `select`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// What it waits for.
    pub guard: Guard,
    /// What then.
    pub body: Block,
    /// The guard's place.
    pub span: Span,
}

/// What a branch of a `select` waits for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Guard {
    /// `c <- e`; channel and value are evaluated before the `select` waits.
    Send(Expr, Expr),
    /// `<-c` or `let x = <-c`.
    Receive(Option<Name>, Expr),
}

/// An expression where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The expressions. Operands are evaluated from left to right; each read of something shared is a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// `42`
    Int(i64),
    /// `true`, `false`
    Bool(bool),
    /// `null`
    Null,
    /// A local or a global. Locals hide globals.
    Name(String),
    /// `this`
    This,
    /// `o.f`
    Field(Box<Expr>, Name),
    /// `a[i]`: an element, or a heap cell if `a` is an integer.
    Index(Box<Expr>, Box<Expr>),
    /// `a.length` is [`ExprKind::Field`] with the name `length` on an array; the length never changes, so it is no shared read.
    Unary(Unary, Box<Expr>),
    /// `a + b`; `&&` and `||` evaluate the right side only if needed.
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// `f(a, b)`: a function of the program.
    Call(Name, Vec<Expr>),
    /// `o.m(a, b)`
    Method(Box<Expr>, Name, Vec<Expr>),
    /// `max(a, b)`, `min(a, b)`, `self()`, `malloc(n)`, `xchg(place, e)`, `cas(place, old, new)`, `fetch_add(place, e)`, `try_lock(m)`.
    Builtin(Builtin, Vec<Expr>),
    /// `new C`
    New(Name),
    /// `new [T; n]`
    NewArray(Type, Box<Expr>),
    /// `chan T(k)`: a new channel with room for `k` values; 0 is a rendezvous.
    NewChan(Type, Box<Expr>),
    /// `<-c`; zero, false or null from a channel that is closed and empty.
    Receive(Box<Expr>),
    /// `spawn f(a, b)`: the call runs in a new thread.
    Spawn(Name, Vec<Expr>),
    /// `spawn { .. }`: the block runs in a new thread, with copies of the locals.
    SpawnBlock(Block),
}

/// Functions of the language itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Builtin {
    Max,
    Min,
    /// The number of the running thread, from 0 for main.
    SelfId,
    /// `malloc(n)`: the address of `n` fresh cells, which hold zeros.
    Malloc,
    /// Stores the second, returns what was there; atomic.
    Xchg,
    /// `cas(place, old, new)`: stores `new` if `old` is there; says whether it did; atomic.
    Cas,
    /// Adds the second, returns what was there; atomic.
    FetchAdd,
    /// Takes a free lock and says true; false if it is held.
    TryLock,
}

impl Builtin {
    /// Every one with its name in the language.
    pub const ALL: [(&'static str, Builtin); 8] = [
        ("max", Builtin::Max),
        ("min", Builtin::Min),
        ("self", Builtin::SelfId),
        ("malloc", Builtin::Malloc),
        ("xchg", Builtin::Xchg),
        ("cas", Builtin::Cas),
        ("fetch_add", Builtin::FetchAdd),
        ("try_lock", Builtin::TryLock),
    ];

    /// Its name in the language.
    pub fn name(self) -> &'static str {
        Builtin::ALL.iter().find(|(_, b)| *b == self).map_or("", |(name, _)| name)
    }

    /// The one with that name.
    pub fn named(name: &str) -> Option<Builtin> {
        Builtin::ALL.iter().find(|(text, _)| *text == name).map(|(_, b)| *b)
    }
}

/// Operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Unary {
    Negate,
    Not,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl Binary {
    /// How it is written.
    pub fn sign(self) -> &'static str {
        match self {
            Binary::Add => "+",
            Binary::Subtract => "-",
            Binary::Multiply => "*",
            Binary::Divide => "/",
            Binary::Remainder => "%",
            Binary::Equal => "==",
            Binary::NotEqual => "!=",
            Binary::Less => "<",
            Binary::LessEqual => "<=",
            Binary::Greater => ">",
            Binary::GreaterEqual => ">=",
            Binary::And => "&&",
            Binary::Or => "||",
        }
    }
}
