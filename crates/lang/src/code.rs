//! What programs are compiled to: instructions for a register machine, of which only some can be seen by other threads.
//!
//! The *visible* instructions are the steps of the papers' semantics: each reads or writes one shared cell or synchronises. All others
//! work on the thread's own registers and cells that never change, so that nobody can tell when they run.

use crate::ast::{Binary, Span, Type, Unary};

/// A register of the running function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reg(pub u16);

/// The place of an instruction in [`Code`], over all functions: what reports call a site.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Pc(pub u32);

impl Pc {
    /// As an index into the code.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FunctionId(pub u32);

/// One instruction. The first register is the one written, where there is one.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub enum Instr {
    // Of the thread alone.
    Const(Reg, i64),
    Move(Reg, Reg),
    Unary(Unary, Reg, Reg),
    /// Not `&&` and `||`, which are jumps.
    Binary(Binary, Reg, Reg, Reg),
    Max(Reg, Reg, Reg),
    Min(Reg, Reg, Reg),
    SelfId(Reg),
    Jump(Pc),
    /// A jump to an earlier place: where a thread that spins comes by.
    JumpBack(Pc),
    JumpUnless(Reg, Pc),
    /// Arguments lie in registers from the last one on; the result goes to the first.
    Call(Reg, FunctionId, Reg),
    Return(Option<Reg>),
    Assert(Reg),
    /// The message's number in [`Code::messages`].
    Panic(u32),
    /// So many registers from this one.
    Print(Reg, u16),
    /// Address of a field: object, offset. A null object is an error.
    FieldAddress(Reg, Reg, u16),
    /// Address of an element: array, index.
    ElementAddress(Reg, Reg, Reg),
    /// Address of an element of a global array: the array's number in [`Code::inline`], index.
    InlineAddress(Reg, u32, Reg),
    /// Address of a heap cell: pointer, index.
    CellAddress(Reg, Reg, Reg),
    /// The length of an array.
    Length(Reg, Reg),
    /// An object's lock.
    LockAddress(Reg, Reg),
    /// A new object with so many fields.
    New(Reg, u16),
    NewArray(Reg, Reg),

    // Memory that threads share: visible.
    Load(Reg, Reg),
    Store(Reg, Reg),
    LoadGlobal(Reg, u32),
    StoreGlobal(u32, Reg),
    AtomicLoad(Reg, Reg),
    AtomicStore(Reg, Reg),
    Xchg(Reg, Reg, Reg),
    /// Result, address, old, new.
    Cas(Reg, Reg, Reg, Reg),
    FetchAdd(Reg, Reg, Reg),
    NewChan(Reg, Reg),
    Malloc(Reg, Reg),
    Free(Reg),

    // Synchronisation: visible, and always a preemption point.
    Lock(Reg),
    Unlock(Reg),
    TryLock(Reg, Reg),
    /// The thread, the function, its first argument.
    Spawn(Reg, FunctionId, Reg),
    Wait(Reg),
    Deschedule,
    /// Stands after [`Instr::Deschedule`], where the thread goes on when it was made runnable.
    Resume,
    MakeRunnable(Reg),
    Yield,
    Send(Reg, Reg),
    Receive(Reg, Reg),
    Close(Reg),
    /// The number in [`Code::selects`].
    Select(u32),
}

const _: () = assert!(size_of::<Instr>() <= 16);

impl Instr {
    /// How others see it.
    #[inline]
    pub fn visibility(&self) -> Visibility {
        match self {
            Instr::Load(..)
            | Instr::Store(..)
            | Instr::LoadGlobal(..)
            | Instr::StoreGlobal(..)
            | Instr::AtomicLoad(..)
            | Instr::AtomicStore(..)
            | Instr::Xchg(..)
            | Instr::Cas(..)
            | Instr::FetchAdd(..)
            | Instr::NewChan(..)
            | Instr::Malloc(..)
            | Instr::Free(..) => Visibility::Memory,
            Instr::Lock(..)
            | Instr::Unlock(..)
            | Instr::TryLock(..)
            | Instr::Spawn(..)
            | Instr::Wait(..)
            | Instr::Deschedule
            | Instr::Resume
            | Instr::MakeRunnable(..)
            | Instr::Yield
            | Instr::Send(..)
            | Instr::Receive(..)
            | Instr::Close(..)
            | Instr::Select(..) => Visibility::Sync,
            _ => Visibility::Local,
        }
    }
}

/// Who can see an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// Nobody: it has no effect on others, and they have none on it.
    Local,
    /// It touches shared memory.
    Memory,
    /// It synchronises.
    Sync,
}

/// A branch of a `select`, its operands in registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Branch {
    /// What it does.
    pub guard: BranchGuard,
    /// Where it goes on.
    pub target: Pc,
}

/// What a branch does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BranchGuard {
    /// Channel, value.
    Send(Reg, Reg),
    /// Result, channel.
    Receive(Reg, Reg),
}

/// A `select`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Select {
    /// Its branches in order.
    pub branches: Vec<Branch>,
    /// Where it goes on if no branch is ready; without it, it waits.
    pub default: Option<Pc>,
}

/// A compiled function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionCode {
    /// What reports call it, and the thread that runs it.
    pub name: String,
    /// Its first instruction.
    pub entry: Pc,
    /// How many parameters it has: its first registers.
    pub params: u16,
    /// How many registers it needs.
    pub registers: u16,
}

/// A global as it lies in memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GlobalCell {
    /// Its name.
    pub name: String,
    /// Its first cell.
    pub offset: u32,
    /// Its type.
    pub ty: Type,
    /// The name of the class for objects is in the type; for arrays in place, how many cells.
    pub cells: u32,
}

/// A global array in place: where it lies, and how long it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inline {
    /// Its first cell.
    pub offset: u32,
    /// Its length.
    pub length: u32,
}

/// A compiled program.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Code {
    /// All instructions.
    pub instrs: Vec<Instr>,
    /// Where each of them comes from.
    pub spans: Vec<Span>,
    /// The functions; the first is main.
    pub functions: Vec<FunctionCode>,
    /// The shared variables.
    pub globals: Vec<GlobalCell>,
    /// What the cells of the globals hold at the start; cell 0 is nobody's, so that 0 can be null.
    pub initial: Vec<i64>,
    /// Global arrays.
    pub inline: Vec<Inline>,
    /// The `select`s.
    pub selects: Vec<Select>,
    /// What `panic`s say.
    pub messages: Vec<String>,
    /// Is there a `try_lock`, so that it matters when locks are taken and given back?
    pub tries_locks: bool,
}
