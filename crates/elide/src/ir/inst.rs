//! Instructions: what the analyses need to know of each, the rest is text.

/// A local value of a function, by number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Value(pub u32);

/// A block of a function, by number; the entry is the first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BlockId(pub u32);

/// What an instruction computes with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Operand<'a> {
    /// A local value.
    Local(Value),
    /// A global with a constant distance.
    Global(&'a str, i64),
    /// A number.
    Int(i64),
    /// Something else: its text.
    Other(&'a str),
}

/// How an index of a `getelementptr` counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Index<'a> {
    /// The index, of a type with so many bits.
    pub by: Operand<'a>,
    /// Its bits.
    pub bits: u32,
    /// How many bytes one more is.
    pub scale: i64,
}

/// The order of an atomic operation, as far as it matters here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Relaxed or weaker.
    Relaxed,
    /// Learns: acquire, consume.
    Acquire,
    /// Publishes: release, or both.
    Release,
}

/// An instruction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Kind<'a> {
    /// `call` and `invoke`; an invoke ends its block. No callee: through a pointer, or assembly. `arguments` are what `args` says, as far as it is understood.
    Call { callee: Option<&'a str>, args: &'a str, attributes: &'a str, arguments: Vec<Operand<'a>> },
    /// A load; `atomic` if it is one.
    Load { atomic: Option<Order> },
    /// A store.
    Store { atomic: Option<Order> },
    /// `atomicrmw`, `cmpxchg`.
    Rmw(Order),
    /// `fence`.
    Fence(Order),
    /// A base and a distance from it.
    Gep { base: Operand<'a>, offset: i64, indices: Vec<Index<'a>> },
    /// A cast that keeps all bits: `bitcast`, `ptrtoint`, `inttoptr` between pointers and words.
    Same(Operand<'a>),
    /// `zext`, `sext` or `trunc`: from so many bits to so many.
    Cast { op: &'a str, from: u32, to: u32, of: Operand<'a> },
    /// Arithmetic on integers of so many bits; `nuw`, `nsw`: it does not wrap.
    Binary { op: &'a str, bits: u32, nuw: bool, nsw: bool, left: Operand<'a>, right: Operand<'a> },
    /// A comparison of integers of so many bits.
    Compare { predicate: &'a str, bits: u32, left: Operand<'a>, right: Operand<'a> },
    /// A value for each block that one may come from.
    Phi { bits: u32, from: Vec<(Operand<'a>, BlockId)> },
    /// Stack memory.
    Alloca,
    /// `br` on a condition.
    Branch { on: Operand<'a>, yes: BlockId, no: BlockId },
    /// The function returns.
    Return,
    /// Ends its block in some other way: `switch`, `unreachable`, `resume`.
    Jump,
    /// Debug records and whatever computes without touching memory or control.
    Other,
    /// Something that is not known: anything may happen.
    Unknown,
}

/// An instruction where it stands.
#[derive(Clone, Debug)]
pub struct Inst<'a> {
    /// The first line of the module that it is on.
    pub line: usize,
    /// What it defines.
    pub result: Option<Value>,
    /// What it does.
    pub kind: Kind<'a>,
    /// Blocks that may follow; empty if it does not end its block. A φ: those that it may come from.
    pub targets: Vec<BlockId>,
    /// It is a φ, of whatever type.
    pub is_phi: bool,
    /// Its text, all lines of it.
    pub text: &'a str,
}

impl Inst<'_> {
    /// Is it the last of its block?
    pub fn ends_block(&self) -> bool {
        !self.is_phi && !self.targets.is_empty()
            || matches!(self.kind, Kind::Return | Kind::Jump | Kind::Branch { .. })
    }

    /// Blocks get their final numbers.
    pub(super) fn renumber(&mut self, place: &[BlockId]) {
        let new = |block: &mut BlockId| *block = place[block.0 as usize];
        self.targets.iter_mut().for_each(new);
        match &mut self.kind {
            Kind::Phi { from, .. } => from.iter_mut().for_each(|(_, block)| new(block)),
            Kind::Branch { yes, no, .. } => {
                new(yes);
                new(no);
            }
            _ => {}
        }
    }
}
