//! From an address to what is remembered of it, byte by byte.
//!
//! Memory is watched in *granules* of eight aligned bytes. Each has a *cell*: a [`VarState`](deadheat_online::VarState) at an address that two
//! instructions compute (`layout`). It holds the granule's `history` of writes and that of reads: one access each as a rule, with an extent that says which bytes it is
//! about, and more only where bytes differ. When there are atomic accesses, or when something is attached to an address (a mutex, what an atomic has published), the cell's W
//! points to a `detail` that has these beside the histories.
//!
//! Never allocates while the common case lasts, never asks the operating system for anything: memory for cells is the embedder's business.
#![no_std]

extern crate alloc;

mod access;
mod atomics;
mod detail;
mod fields;
mod fold;
mod history;
pub mod layout;
mod open;
pub mod roll;
mod two;

pub use access::{Access, Conflict, Memory, Mode, Stamps, flatly_replaced, replaced};
pub use detail::{Attachment, Detail};
pub use fields::{has_line, renewed};
pub use fold::{BLOCK, Block, unfold};
pub use history::{is_flat, is_known, is_told_in_line, latest, told};
pub use layout::Layout;
pub use open::{Open, Version};
pub use two::{KIND_BIT, KIND_BITS, SINCE, TWO_EXTENT, since};
