//! What the runtime tells the world: findings with all their evidence, as text and JSON; which of them users do not want to see;
//! the options that users set; and the raw record of events.
//!
//! Used on both sides: inside the watched process (so no standard library, nothing that panics on odd input) and by the
//! command line, which reads the JSON back. Nothing here opens a file or knows about terminals.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(feature = "export")]
pub mod html;
mod id;
pub mod json;
mod kind;
mod model;
pub mod options;
pub mod raw;
#[cfg(feature = "export")]
pub mod sarif;
pub mod suppressions;
#[cfg(feature = "export")]
mod tell;
pub mod text;
mod why;
mod words;

#[cfg(test)]
mod samples;

pub use id::{Addr, MutexId, ThreadId};
pub use kind::Kind;
pub use model::{
    Access, AccessMode, Edge, Finding, Frame, Freed, Held, Hold, Life, Memory, Mutex, Place, Stack, Thread,
    ThreadSort,
};
pub use options::Options;
pub use suppressions::Suppressions;
pub use why::{Missing, why};
