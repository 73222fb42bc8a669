//! From an address to what is remembered of it, byte by byte.
//!
//! Memory is watched in *granules* of eight aligned bytes. Each has a *cell*: a [`VarState`](deadheat_online::VarState) at an address that two
//! instructions compute (`layout`). As long as one write and one read (or one set of reads) describe all accessed bytes of the granule the cell holds
//! just these, with an extent that says which bytes they are about. When the bytes have different histories, when there are atomic accesses, or when
//! something is attached to an address (a mutex, what an atomic has published), the cell's W points to a `detail` that tells the granule byte by byte; it goes away when the bytes
//! agree again.
//!
//! Never allocates while the common case lasts, never asks the operating system for anything: memory for cells is the embedder's business.
#![no_std]

extern crate alloc;

mod access;
mod atomics;
mod detail;
pub mod layout;
mod open;
mod parts;

pub use access::{Access, Conflict, Memory, Mode, Stamps};
pub use detail::{Attachment, Detail};
pub use layout::Layout;
pub use open::Open;
