//! What all formats agree on: which names and which memory a trace can have.

use super::message::excerpt;
use crate::{Loc, Namespace, Span, Symbols, Tid};

/// What to call a thing of that namespace in a message.
pub(super) fn kind(space: Namespace) -> &'static str {
    match space {
        Namespace::Thread => "thread",
        Namespace::Var => "variable",
        Namespace::Lock => "lock",
        Namespace::Volatile => "volatile",
        Namespace::Cond => "condition",
        Namespace::Barrier => "barrier",
        Namespace::Chan => "channel",
        Namespace::Label => "label",
        Namespace::Loc => "location",
    }
}

/// How many names a namespace can hold: what the identifiers' bits allow.
pub(super) fn limit(space: Namespace) -> u32 {
    match space {
        Namespace::Thread => Tid::LIMIT,
        // The top bit says "named", and all ones are `Loc::NONE`.
        Namespace::Loc => (1 << 31) - 1,
        _ => u32::MAX,
    }
}

/// Is there an index left for one more name?
pub(super) fn check_room(space: Namespace, count: u32) -> Result<(), String> {
    match limit(space) {
        limit if count < limit => Ok(()),
        limit => Err(format!("too many {}s: a trace can have {limit}", kind(space))),
    }
}

/// Is it a name at all? Only a label may be empty: `begin` has no operand in many traces.
pub(super) fn check_name(space: Namespace, name: &str) -> Result<(), String> {
    match name {
        "" if space != Namespace::Label => Err(format!("the {} has no name", kind(space))),
        _ => Ok(()),
    }
}

/// The index of a name, new or known; `check` says whether a new name is one the format can write.
///
/// Only new names are decoded and checked: a known one has passed before. That keeps UTF-8 validation off the path of
/// a line whose names have all been seen.
#[inline]
pub(super) fn intern(
    symbols: &mut Symbols,
    space: Namespace,
    name: &[u8],
    check: fn(Namespace, &str) -> Result<(), String>,
) -> Result<u32, String> {
    match symbols.find_bytes(space, name) {
        Some(index) => Ok(index),
        None => define(symbols, space, name, check),
    }
}

/// Gives a new name its index.
#[cold]
pub(super) fn define(
    symbols: &mut Symbols,
    space: Namespace,
    name: &[u8],
    check: fn(Namespace, &str) -> Result<(), String>,
) -> Result<u32, String> {
    let text = std::str::from_utf8(name)
        .map_err(|_| format!("the name of the {}, {}, is not UTF-8", kind(space), excerpt(name)))?;
    check_name(space, text)?;
    check(space, text)?;
    check_room(space, symbols.count(space))?;
    Ok(symbols.intern(space, text))
}

/// The name with that index, which an event that is to be written refers to.
pub(super) fn lookup(symbols: &Symbols, space: Namespace, index: u32) -> Result<&str, String> {
    let name = symbols
        .name(space, index)
        .filter(|_| index < limit(space))
        .ok_or_else(|| format!("{} number {index} is not among the symbols", kind(space)))?;
    check_name(space, name)?;
    Ok(name)
}

/// Memory as it is written: by name or by address.
pub(super) enum Memory {
    Named(u32),
    Bytes { addr: u64, size: u64 },
}

/// How an event's memory is written, if it is memory that can be read back.
pub(super) fn memory(span: Span) -> Result<Memory, String> {
    match span.addr.name_index() {
        Some(i) if span == Span::named(i) => Ok(Memory::Named(i)),
        Some(_) => Err(format!("{} bytes at {:#x} are part of a named variable", span.size, span.addr.0)),
        None => bytes(span.addr.0, span.size).map(|s| Memory::Bytes { addr: s.addr.0, size: s.size }),
    }
}

/// That run of bytes, if there is one in the lower half of the address space, where named variables are not.
pub(super) fn bytes(addr: u64, size: u64) -> Result<Span, String> {
    match Span::MAX_SIZE.checked_sub(addr) {
        _ if size == 0 => Err(format!("the memory at {addr:#x} has a size of 0")),
        Some(room) if size <= room => Ok(Span::new(addr, size)),
        _ => Err(format!("{size} bytes at {addr:#x} reach beyond {:#x}", Span::MAX_SIZE)),
    }
}

/// The place with that index in the symbols; [`check_room`] has kept the index small enough.
pub(super) fn named_loc(index: u32) -> Loc {
    Loc::named(index)
}

/// The digits of a number without leading zeros, sign or anything else, so that writing it gives the same text.
#[inline]
pub(super) fn canonical_decimal(text: &[u8]) -> Option<u64> {
    const DIGITS: usize = 19;
    match text {
        [b'0'] => Some(0),
        [b'1'..=b'9', ..] if text.len() <= DIGITS => text.iter().try_fold(0u64, |n, &b| match b {
            b'0'..=b'9' => Some(10 * n + u64::from(b - b'0')),
            _ => None,
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_ends_where_its_identifiers_do() {
        assert_eq!(check_room(Namespace::Loc, (1 << 31) - 2), Ok(()));
        assert_eq!(
            check_room(Namespace::Loc, (1 << 31) - 1),
            Err("too many locations: a trace can have 2147483647".to_owned())
        );
        assert_eq!(check_room(Namespace::Thread, Tid::LIMIT - 1), Ok(()));
        assert!(check_room(Namespace::Thread, Tid::LIMIT).is_err());
        assert!(check_room(Namespace::Lock, u32::MAX).is_err());
        assert_ne!(named_loc(limit(Namespace::Loc) - 1), Loc::NONE);
    }

    #[test]
    fn memory_ends_where_named_variables_begin() {
        assert!(bytes(0, Span::MAX_SIZE).is_ok());
        assert!(bytes(Span::MAX_SIZE - 1, 1).is_ok());
        for (addr, size) in [(0, 0), (1, Span::MAX_SIZE), (Span::MAX_SIZE, 1), (u64::MAX, u64::MAX)] {
            assert!(bytes(addr, size).is_err(), "{addr:#x}:{size}");
        }
        assert!(memory(Span { size: 2, ..Span::named(1) }).is_err());
        assert!(memory(Span::new(Span::named(1).addr.0 + 3, 1)).is_err());
        assert!(memory(Span::new(u64::MAX, 1)).is_err());
    }

    #[test]
    fn only_canonical_numbers_are_numbers() {
        assert_eq!(canonical_decimal(b"0"), Some(0));
        assert_eq!(canonical_decimal(b"9999999999999999999"), Some(9_999_999_999_999_999_999));
        for text in ["", "00", "01", "+1", "-1", " 1", "1 ", "1a", "10000000000000000000"] {
            assert_eq!(canonical_decimal(text.as_bytes()), None, "{text}");
        }
    }
}
