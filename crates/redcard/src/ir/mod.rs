//! The abstract control-flow graph that both front ends lower to: SSA blocks, pure expressions, accesses, synchronisation.
//!
//! | paper | here |
//! | --- | --- |
//! | `x = e` | [`Inst::Let`] |
//! | `x = y.f^k`, `x = y[z]^k` | [`Inst::Read`] |
//! | `y.f^k = x`, `y[z]^k = x` | [`Inst::Write`] |
//! | `x = new C`, `x = new C[z]` | [`Inst::New`] |
//! | `x = y.m(z̄)` | [`Inst::Call`] |
//! | `acq x`, `rel x`, and §6's volatiles, fork, join, wait, notify | [`Inst::Sync`] |
//!
//! A location is a base and *steps* that compute an address without reading memory: `y.f` has one step, LLVM's `y[i].f` two.

mod check;
mod lex;
mod parse;
mod parse_inst;
mod parse_spec;
mod print;

pub use check::Invalid;
pub(crate) use check::operands;
pub use parse::{ParseError, parse};

use crate::spec::Spec;
use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($prefix:literal);)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);
        impl $name {
            /// As an index.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}{}", $prefix, self.0)
            }
        }
    )*};
}

ids! {
    /// A local of one function, assigned once.
    Var("v");
    /// A block of one function.
    BlockId("b");
    /// A function of the program.
    FuncId("f");
    /// A field: what stands at one constant offset from a base.
    FieldId("field");
    /// A kind of array: its elements may overlap only with elements of a kind of the same class.
    ArrayId("array");
    /// What a store may change: facts about loads of the same class do not survive it (`Π \ f`, `Π \ ARRAY`).
    ClassId("class");
    /// An access: a read or a write in the program text.
    AccessId("#");
    /// Where something is allocated.
    SiteId("site");
}

/// Does the analysis see every access to the program's memory?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum World {
    /// Other code may touch the same memory: no proxies, and every function may be called from outside.
    #[default]
    Open,
    /// The whole program.
    Closed,
}

/// A program or a part of one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// Is it all there?
    pub world: World,
    /// The fields of all classes.
    pub fields: Vec<Field>,
    /// The kinds of arrays.
    pub arrays: Vec<Array>,
    /// The functions. A program run by [`crate::exec`] starts at the one called `main`.
    pub functions: Vec<Function>,
}

/// A field at a constant offset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field {
    /// What it is called.
    pub name: String,
    /// What a store to it may change.
    pub class: ClassId,
    /// The first byte, from the base.
    pub offset: i64,
    /// How many bytes.
    pub width: u32,
}

impl Field {
    /// Do the bytes of `self` contain the bytes of `other`, both seen from one base?
    pub fn covers(&self, other: &Field) -> bool {
        let ends = |f: &Field| i128::from(f.offset) + i128::from(f.width);
        self.offset <= other.offset && ends(other) <= ends(self)
    }
}

/// A kind of array, told apart by element type (§4: "a type-based rule").
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Array {
    /// What it is called.
    pub name: String,
    /// What a store to an element may change.
    pub class: ClassId,
}

/// Who may call a function?
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Linkage {
    /// Only the calls in the program; a `requires` can be inferred.
    Internal,
    /// Anyone.
    Exported,
}

/// A function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Who may call it.
    pub linkage: Linkage,
    /// Its parameters.
    pub params: Vec<Var>,
    /// The names of its variables.
    pub vars: Vec<String>,
    /// Its blocks; the first is the entry, which no block may jump to.
    pub blocks: Vec<Block>,
    /// What it promises, if the front end says so.
    pub spec: Option<Spec>,
}

/// A basic block.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its name.
    pub name: String,
    /// φ-functions, all at once on the edge.
    pub phis: Vec<Phi>,
    /// Then these, in order.
    pub insts: Vec<Inst>,
    /// And then.
    pub end: End,
}

/// `x = φ(..)`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Phi {
    /// What is defined.
    pub to: Var,
    /// Its value for each predecessor.
    pub from: Vec<(BlockId, Operand)>,
}

/// A value that needs no computation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operand {
    /// A local.
    Var(Var),
    /// A number; truth is 1 and 0.
    Int(i64),
    /// No object.
    Null,
}

/// A location: base and steps.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Place {
    /// The object or array.
    pub base: Operand,
    /// At least one.
    pub steps: Vec<Step>,
}

/// A part of an address computation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Step {
    /// `.f`
    Field(FieldId),
    /// `[i]`
    Index(ArrayId, Operand),
}

/// Operators of pure expressions.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[allow(missing_docs)]
pub enum Binary {
    /// Exact: the front end vouches that it does not overflow.
    Add,
    /// Exact.
    Sub,
    /// Exact.
    Mul,
    /// Modulo 2⁶⁴.
    WrappingAdd,
    /// Modulo 2⁶⁴.
    WrappingSub,
    /// Modulo 2⁶⁴.
    WrappingMul,
    /// Truncating.
    Div,
    /// Of the truncating division.
    Rem,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
}

/// A pure expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Pure {
    /// The value itself.
    Copy(Operand),
    /// Two operands.
    Binary(Binary, Operand, Operand),
    /// 1 for 0, else 0.
    Not(Operand),
    /// The length of an array: it never changes.
    Length(Operand),
    /// A value of which nothing is known, not even that it is the same the next time.
    Unknown,
}

/// What is allocated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// An object with all of the program's fields.
    Object,
    /// An array of that kind and length.
    Array(ArrayId, Operand),
}

/// Who is called.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Callee {
    /// A function of the program.
    Known(FuncId),
    /// Something outside with a summary; it touches nothing that the program's accesses touch but what it `modifies`.
    Summary(String, Spec),
    /// It may do everything.
    Unknown(String),
}

/// What a synchronisation does to the order of events. Only outgoing edges end a span.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Effect {
    /// Others' events come before what follows: lock, join, volatile read.
    Acquire,
    /// What came before precedes others' events: unlock, fork, volatile write, notify.
    Release,
    /// Both: wait, exchange, send and receive.
    Both,
}

/// Synchronisation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Sync {
    /// `lock x`
    Lock(Operand),
    /// `unlock x`
    Unlock(Operand),
    /// `t = fork f(x, y)`
    Fork(Option<Var>, FuncId, Vec<Operand>),
    /// `join t`
    Join(Operand),
    /// `x = volatile y.f`
    VolatileRead(Var, Place),
    /// `volatile y.f = x`
    VolatileWrite(Place, Operand),
    /// Any other, on a synchronisation object of that name.
    Other(Effect, String),
}

impl Sync {
    /// What it does to the order of events.
    pub fn effect(&self) -> Effect {
        match self {
            Sync::Lock(_) | Sync::Join(_) | Sync::VolatileRead(..) => Effect::Acquire,
            Sync::Unlock(_) | Sync::Fork(..) | Sync::VolatileWrite(..) => Effect::Release,
            Sync::Other(effect, _) => *effect,
        }
    }
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inst {
    /// `x = e`
    Let(Var, Pure),
    /// `x = read y.f`
    Read(AccessId, Var, Place),
    /// `write y.f = x`
    Write(AccessId, Place, Operand),
    /// `x = new`
    New(Var, SiteId, Shape),
    /// `x = call f(y)`
    Call(Option<Var>, Callee, Vec<Operand>),
    /// Synchronisation.
    Sync(Sync),
}

/// How a block ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// On to that block.
    Jump(BlockId),
    /// To the first if it is not 0.
    Branch(Operand, BlockId, BlockId),
    /// Back to the caller.
    Return(Option<Operand>),
    /// The thread stops here: a panic, or code that cannot be reached.
    Stop,
}

impl End {
    /// Where to, in order, possibly twice the same.
    pub fn targets(&self) -> impl Iterator<Item = BlockId> + use<> {
        let (a, b) = match self {
            End::Jump(to) => (Some(*to), None),
            End::Branch(_, yes, no) => (Some(*yes), Some(*no)),
            End::Return(_) | End::Stop => (None, None),
        };
        a.into_iter().chain(b)
    }
}

/// A read or a write. §6: a read is covered by either, a write by a write only.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// It looks.
    Read,
    /// It changes.
    Write,
}

impl Kind {
    /// Does a check of this kind make a later one of kind `other` redundant?
    pub fn covers(self, other: Kind) -> bool {
        self == Kind::Write || other == Kind::Read
    }
}

impl Inst {
    /// The variable it defines.
    pub fn defines(&self) -> Option<Var> {
        match self {
            Inst::Let(to, _) | Inst::Read(_, to, _) | Inst::New(to, ..) => Some(*to),
            Inst::Call(to, ..) | Inst::Sync(Sync::Fork(to, ..)) => *to,
            Inst::Sync(Sync::VolatileRead(to, _)) => Some(*to),
            Inst::Write(..) | Inst::Sync(_) => None,
        }
    }

    /// The access that it is.
    pub fn access(&self) -> Option<(AccessId, Kind, &Place)> {
        match self {
            Inst::Read(id, _, place) => Some((*id, Kind::Read, place)),
            Inst::Write(id, place, _) => Some((*id, Kind::Write, place)),
            _ => None,
        }
    }
}

impl Program {
    /// The class of what the last step reaches.
    pub fn class(&self, place: &[Step]) -> Option<ClassId> {
        match place.last()? {
            Step::Field(field) => self.fields.get(field.index()).map(|f| f.class),
            Step::Index(array, _) => self.arrays.get(array.index()).map(|a| a.class),
        }
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<FuncId> {
        self.functions.iter().position(|f| f.name == name).map(|i| FuncId(i as u32))
    }

    /// Every access with its function and block.
    pub fn accesses(&self) -> impl Iterator<Item = (FuncId, BlockId, AccessId, Kind, &Place)> {
        self.functions.iter().enumerate().flat_map(|(f, function)| {
            function.blocks.iter().enumerate().flat_map(move |(b, block)| {
                block.insts.iter().filter_map(move |inst| {
                    let (id, kind, place) = inst.access()?;
                    Some((FuncId(f as u32), BlockId(b as u32), id, kind, place))
                })
            })
        })
    }
}
