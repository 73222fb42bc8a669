//! Names, types and rules: what a program that can be read must also keep to.
//!
//! Everything is declared, so types are found in one pass from the leaves up; only `null` needs to be told its type by what is around it. After a
//! mistake the expression has no type (`None`), about which nothing more is said, so that one mistake gives one error.

mod builtins;
mod expressions;
mod items;
mod places;
mod returns;
mod scopes;
mod statements;
mod types;

pub use types::{ClassLayout, FieldLayout, Types};

use crate::ast::{Class, Expr, ExprKind, Function, Global, Program, Span, Type};
use crate::error::{Error, Errors, shorten, similar};
use foldhash::{HashMap, HashMapExt};
use scopes::Scopes;

/// How many elements all arrays that lie in place may have together, and one array or block whose size is written down.
pub const MAX_ELEMENTS: u64 = 1 << 20;

/// How many fields a class and parameters a function may have.
const MAX_MEMBERS: usize = 1000;

/// Checks a program and finds the type of its every expression, or says what is wrong: at most about twenty mistakes.
pub fn check(program: &Program) -> Result<Types, Vec<Error>> {
    let mut checker = Checker {
        globals: HashMap::new(),
        functions: HashMap::new(),
        classes: HashMap::new(),
        scopes: Scopes::default(),
        body: Body::default(),
        types: Types::default(),
        errors: Errors::default(),
    };
    checker.declare(program);
    checker.bodies(program);
    let Checker { types, errors, .. } = checker;
    errors.or(types)
}

/// The members of a class by their names.
struct Members<'p> {
    fields: HashMap<&'p str, &'p Type>,
    methods: HashMap<&'p str, &'p Function>,
    class: &'p Class,
}

/// What kind of body is being looked at.
#[derive(Clone, Default)]
struct Body<'p> {
    /// What `return` takes; nothing in a thread.
    result: Option<&'p Type>,
    /// The class that `this` is of.
    this: Option<&'p str>,
    /// The innermost `sync` around.
    sync: Option<Span>,
    /// Is it a function's, and not a thread's?
    function: bool,
}

struct Checker<'p> {
    globals: HashMap<&'p str, &'p Global>,
    functions: HashMap<&'p str, &'p Function>,
    classes: HashMap<&'p str, Members<'p>>,
    scopes: Scopes<'p>,
    body: Body<'p>,
    types: Types,
    errors: Errors,
}

impl<'p> Checker<'p> {
    /// Looks for mistakes in something that stands where there is one already.
    fn glance(&mut self, e: &'p Expr) {
        if e.kind != ExprKind::Null {
            self.value(e, None);
        }
    }

    fn report<T>(&mut self, error: Error) -> Option<T> {
        self.errors.push(error);
        None
    }
}

/// An error about a word that is not known, with the most similar one.
fn unknown<'a>(span: Span, kind: &str, word: &str, among: impl Iterator<Item = &'a str>) -> Error {
    let shown = shorten(word);
    let error = Error::new(span, format!("there is no {kind} `{shown}`"), "not known");
    match similar(word, among) {
        Some(similar) => error.help(format!("did you mean `{similar}`?")),
        None => error,
    }
}
