//! Writing STD text: exactly what [`StdReader`](super::std_reader::StdReader) reads, and nothing that it would read differently.

use super::message::excerpt;
use super::names::{self, Memory, lookup};
use super::orders::Order;
use super::std_reader::check_name;
use super::words::{Count, Spelling, Word, write_op};
use crate::{Event, Loc, Namespace, Span, Symbols};
use std::io::Write;

/// Appends the event's line.
pub(super) fn write_line(event: &Event, symbols: &Symbols, out: &mut Vec<u8>) -> Result<(), String> {
    let mut line = StdLine { symbols, out, word: None, operands: 0 };
    line.push_name(Namespace::Thread, event.tid.0)?;
    line.out.push(b'|');
    write_op(&event.op, &mut line)?;
    if line.word.is_some_and(|w| !w.is_marker()) {
        line.out.push(b')');
    }
    line.out.push(b'|');
    line.push_loc(event.loc)?;
    line.out.push(b'\n');
    Ok(())
}

struct StdLine<'a> {
    symbols: &'a Symbols,
    out: &'a mut Vec<u8>,
    word: Option<Word>,
    /// How many operands have been written.
    operands: usize,
}

impl StdLine<'_> {
    fn push_name(&mut self, space: Namespace, index: u32) -> Result<(), String> {
        let name = lookup(self.symbols, space, index)?;
        check_name(space, name)?;
        if self.word.is_some_and(|w| w.arity() == 2) && name.contains(',') {
            return Err(format!(
                "the name of the {}, {}, contains a comma",
                names::kind(space),
                excerpt(name.as_bytes())
            ));
        }
        self.out.extend_from_slice(name.as_bytes());
        Ok(())
    }

    fn push_loc(&mut self, loc: Loc) -> Result<(), String> {
        self.word = None;
        match (loc.as_number(), loc.name_index()) {
            (Some(n), _) => {
                push_decimal(self.out, n.into());
                Ok(())
            }
            (_, Some(i)) => self.push_name(Namespace::Loc, i),
            _ => {
                self.out.push(b'-');
                Ok(())
            }
        }
    }

    fn separate(&mut self) {
        if self.operands > 0 {
            self.out.push(b',');
        }
        self.operands += 1;
    }
}

impl Spelling for StdLine<'_> {
    fn word(&mut self, word: Word) -> Result<&mut Self, String> {
        self.out.extend_from_slice(word.std().as_bytes());
        if !word.is_marker() {
            self.out.push(b'(');
        }
        self.word = Some(word);
        Ok(self)
    }

    fn memory(&mut self, span: Span) -> Result<&mut Self, String> {
        match names::memory(span)? {
            Memory::Named(i) => return self.name(Namespace::Var, i),
            Memory::Bytes { addr, size } => {
                self.separate();
                // Writing to memory cannot fail.
                let _ = write!(self.out, "{addr:#x}:{size}");
            }
        }
        Ok(self)
    }

    fn name(&mut self, space: Namespace, index: u32) -> Result<&mut Self, String> {
        self.separate();
        self.push_name(space, index)?;
        Ok(self)
    }

    fn order(&mut self, order: Order) -> Result<&mut Self, String> {
        self.separate();
        self.out.extend_from_slice(order.name().as_bytes());
        Ok(self)
    }

    fn number(&mut self, _: Count, n: u32) -> Result<&mut Self, String> {
        self.separate();
        push_decimal(self.out, n.into());
        Ok(self)
    }
}

/// Appends the digits; several times as fast as the formatting machinery.
pub(super) fn push_decimal(out: &mut Vec<u8>, mut n: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (n % 10) as u8;
        n /= 10;
        if n == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
}
