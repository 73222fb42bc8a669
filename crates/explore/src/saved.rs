//! How identifiers of other crates are saved: as their numbers.

use deadheat_trace::{Loc, LockId, Mode, Tid};
use serde::{Deserialize, Serialize};

/// A thread.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Tid")]
pub(crate) struct Tid32(u32);

/// A place.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Loc")]
pub(crate) struct Loc32(u32);

/// A lock.
#[derive(Serialize, Deserialize)]
#[serde(remote = "LockId")]
pub(crate) struct Lock32(u32);

/// How memory is accessed.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Mode")]
pub(crate) enum SavedMode {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
}
