//! The names by which a finding refers to addresses, threads and mutexes.

use alloc::format;
use alloc::string::String;
use core::fmt;
use serde::de::{Deserialize, Deserializer, Error};
use serde::ser::{Serialize, Serializer};

/// An address in the watched process.
///
/// In JSON a string, `"0x7f1200"`: numbers beyond 2⁵³ do not survive every JSON parser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Addr(pub u64);

impl fmt::Display for Addr {
    /// With the twelve digits that a user's address has at most, as ThreadSanitizer shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#014x}", self.0)
    }
}

impl Serialize for Addr {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(&format_args!("{:#x}", self.0))
    }
}

impl<'de> Deserialize<'de> for Addr {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Addr, D::Error> {
        let text = String::deserialize(from)?;
        let digits = text.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
        digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).map(Addr).ok_or_else(|| {
            D::Error::custom(format!("`{text}` is no address: expected 0x and up to 16 digits"))
        })
    }
}

/// A thread of the run, in order of creation: the main thread is 0, thread `T1` is 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct ThreadId(pub u32);

impl ThreadId {
    /// The thread that runs `main`.
    pub const MAIN: ThreadId = ThreadId(0);
}

impl fmt::Display for ThreadId {
    /// `main thread` or `thread T1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => f.write_str("main thread"),
            n => write!(f, "thread T{n}"),
        }
    }
}

/// A mutex of one finding: `M0`, `M1`, …
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct MutexId(pub u32);

impl fmt::Display for MutexId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "M{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn shown() {
        assert_eq!(Addr(0x404040).to_string(), "0x000000404040");
        assert_eq!(Addr(u64::MAX).to_string(), "0xffffffffffffffff");
        assert_eq!(
            (ThreadId::MAIN.to_string(), ThreadId(7).to_string()),
            ("main thread".into(), "thread T7".into())
        );
    }

    #[test]
    fn addresses_in_json() {
        for addr in [0, 0x7fff_8000_0000_0010, u64::MAX] {
            let json = serde_json::to_string(&Addr(addr)).unwrap();
            assert_eq!(json, format!("\"{addr:#x}\""));
            assert_eq!(serde_json::from_str::<Addr>(&json).unwrap(), Addr(addr));
        }
        for bad in ["\"12\"", "\"0x\"", "\"0xg\"", "\"0x+1\"", "12", "\"0x12345678123456789\""] {
            assert!(serde_json::from_str::<Addr>(bad).is_err(), "{bad}");
        }
    }
}
