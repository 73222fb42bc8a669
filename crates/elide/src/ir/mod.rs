//! LLVM's assembly language, as far as check elimination needs it: structure around text that stays as it is.

pub mod call;
pub mod function;
pub mod inst;
pub mod lex;
pub mod module;
pub mod read;
pub mod text;
pub mod types;

pub use function::Function;
pub use inst::{BlockId, Inst, Kind, Operand, Order, Value};
pub use module::Module;
