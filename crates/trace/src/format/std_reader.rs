//! STD text, RAPID's line format with more words: `T1|w(V12)|345`.
//!
//! ```text
//! line    := thread "|" op "|" loc
//! op      := word "(" operands ")"  |  ("begin" | "end") any text
//! memory  := "0x" hex ":" size      size bytes from that address; no leading zeros, lower case
//!          | name                   a variable
//! loc     := number below 2³¹  |  "-" for none  |  any other text
//! ```
//!
//! What differs from RAPID: a malformed line is an error (RAPID replays the line before), and so is an operand with white space; a
//! location need not be a number; markers keep their text. One operand may contain commas, as in RAPID; where an operation has
//! two, neither does. `docs/trace-formats.md` lists the words.

use super::lines::{Line, Lines, MAX_LINE};
use super::message::excerpt;
use super::names::{self, canonical_decimal, intern};
use super::orders::Order;
use super::reader::Decode;
use super::words::{Count, Operands, Word};
use crate::{Batch, Event, Loc, Namespace, Op, Position, Span, Symbols, Tid, TraceError};
use std::io::Read;

/// Does RAPID have a word for this operation? (Its locations must be numbers, too: see [`Loc::as_number`].)
pub fn rapid_knows(op: &Op) -> bool {
    use Op::*;
    matches!(op, Read(_) | Write(_) | Acquire(_) | Release(_) | Fork(_) | Join(_) | Begin(_) | End(_))
}

/// Reads STD text.
pub(super) struct StdReader<R> {
    lines: Lines<R>,
    symbols: Symbols,
}

impl<R: Read> StdReader<R> {
    pub(super) fn new(input: R) -> StdReader<R> {
        StdReader { lines: Lines::new(input), symbols: Symbols::default() }
    }
}

impl<R: Read> Decode for StdReader<R> {
    fn decode(&mut self, batch: &mut Batch) -> Result<(), TraceError> {
        while batch.events.len() < Batch::LEN {
            if let Some((event, len)) = read_access(self.lines.buffered(), &self.symbols) {
                batch.events.push(event);
                batch.lines.push(self.lines.skip(len));
                continue;
            }
            let Some(Line { number, text }) = self.lines.next()? else { break };
            let event = read_line(text, &mut self.symbols).map_err(|what| explain(number, text, what))?;
            batch.events.push(event);
            batch.lines.push(number);
        }
        Ok(())
    }

    fn symbols(&self) -> &Symbols {
        &self.symbols
    }
}

/// A first line without any field, or that is no text, is not a slip in a trace: the file is something else.
#[cold]
fn explain(number: u64, text: &[u8], what: String) -> TraceError {
    let is_text =
        memchr::memchr(b'|', text).is_some() && std::str::from_utf8(text).is_ok_and(|t| !t.contains('\0'));
    let what = match is_text {
        false if number == 1 => format!(
            "not a trace: expected lines such as T1|w(x)|12, JSON Lines or a binary trace, found {}",
            excerpt(text)
        ),
        _ => what,
    };
    TraceError::new(Position::Line(number), what)
}

/// A read or write at the start of the text and the length of its line, if thread and variable are known and the location
/// is a number: nine of ten lines. Anything else is left to [`read_line`], which has the rules.
///
/// A line end inside a field makes the field an unknown name, so the line need not be found first.
#[inline]
fn read_access(text: &[u8], symbols: &Symbols) -> Option<(Event, usize)> {
    let (thread, rest) = split(text)?;
    let (op, rest) = split(rest)?;
    let [word, b'(', operand @ .., b')'] = op else { return None };
    let span = match addressed(operand) {
        Some((addr, size)) => names::bytes(addr?, size?).ok()?,
        None => Span::named(symbols.find_bytes(Namespace::Var, operand)?),
    };
    let op = match word {
        b'r' => Op::Read(span),
        b'w' => Op::Write(span),
        _ => return None,
    };
    let tid = Tid(symbols.find_bytes(Namespace::Thread, thread)?);
    const MAX_DIGITS: usize = 11;
    let digits = rest.iter().take(MAX_DIGITS).position(|b| !b.is_ascii_digit())?;
    let loc = Loc::number(canonical_decimal(&rest[..digits])?.try_into().ok()?)?;
    let end = match rest[digits..] {
        [b'\n', ..] => digits + 1,
        [b'\r', b'\n', ..] => digits + 2,
        _ => return None,
    };
    let len = text.len() - rest.len() + end;
    (len <= MAX_LINE).then_some((Event { op, tid, loc }, len))
}

fn read_line(line: &[u8], symbols: &mut Symbols) -> Result<Event, String> {
    let Some((thread, rest)) = split(line) else { return Err(field_count(line)) };
    let Some((op, loc)) = split(rest) else { return Err(field_count(line)) };
    let loc = match canonical_decimal(loc).and_then(|n| Loc::number(n.try_into().ok()?)) {
        Some(loc) => loc,
        None => text_loc(line, loc, symbols)?,
    };
    let tid = Tid(intern(symbols, Namespace::Thread, thread, check_name)?);
    Ok(Event { op: read_op(op, symbols)?, tid, loc })
}

/// What stands before and after the first `|`. The fields are short: a call of `memchr` costs more than eight bytes at once.
#[inline]
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    const ONES: u64 = u64::MAX / 0xff;
    let mut at = 0;
    while let Some(chunk) = text[at..].first_chunk() {
        // A byte that is `|` becomes zero; subtracting one from each byte borrows from the first zero one.
        let x = u64::from_le_bytes(*chunk) ^ (ONES * u64::from(b'|'));
        let found = x.wrapping_sub(ONES) & !x & (ONES << 7);
        if found != 0 {
            at += found.trailing_zeros() as usize / 8;
            return Some((&text[..at], &text[at + 1..]));
        }
        at += chunk.len();
    }
    at += text[at..].iter().position(|&b| b == b'|')?;
    Some((&text[..at], &text[at + 1..]))
}

#[cold]
fn field_count(line: &[u8]) -> String {
    let found = memchr::memchr_iter(b'|', line).count() + 1;
    let fields = if found == 1 { "field" } else { "fields" };
    format!("expected thread|operation|location, found {found} {fields}")
}

fn text_loc(line: &[u8], loc: &[u8], symbols: &mut Symbols) -> Result<Loc, String> {
    match loc {
        b"-" => Ok(Loc::NONE),
        _ if memchr::memchr(b'|', loc).is_some() => Err(field_count(line)),
        _ => intern(symbols, Namespace::Loc, loc, check_name).map(names::named_loc),
    }
}

#[inline]
fn read_op(op: &[u8], symbols: &mut Symbols) -> Result<Op, String> {
    // A marker's operand is whatever follows the word, parentheses or not.
    for marker in [Word::Begin, Word::End] {
        if let Some(label) = op.strip_prefix(marker.std().as_bytes()) {
            return marker.read_op(&mut Arguments { symbols, texts: [label, b""], next: 0 });
        }
    }
    let open = op.iter().position(|&b| b == b'(');
    let (Some(open), [.., b')']) = (open, op) else {
        return Err(format!("expected an operation such as w(x), found {}", excerpt(op)));
    };
    let Some(word) = Word::from_std(&op[..open]) else { return Err(Word::unknown(&op[..open], Word::std)) };
    let texts = arguments(word, &op[open + 1..op.len() - 1])?;
    word.read_op(&mut Arguments { symbols, texts, next: 0 })
}

/// What stands between the parentheses, apart at the comma if the operation has two operands.
#[inline]
fn arguments(word: Word, text: &[u8]) -> Result<[&[u8]; 2], String> {
    let wrong = |found: usize| {
        let takes = match word.arity() {
            0 => "no operand",
            1 => "1 operand",
            _ => "2 operands",
        };
        Err(format!("{} takes {takes}, found {found}", word.std()))
    };
    match word.arity() {
        0 if text.is_empty() => Ok([b"", b""]),
        0 => wrong(memchr::memchr_iter(b',', text).count() + 1),
        1 if text.is_empty() => wrong(0),
        1 => Ok([text, b""]),
        _ => {
            let mut commas = memchr::memchr_iter(b',', text);
            match (commas.next(), commas.next()) {
                (Some(comma), None) => Ok([&text[..comma], &text[comma + 1..]]),
                (None, _) => wrong(usize::from(!text.is_empty())),
                _ => wrong(commas.count() + 3),
            }
        }
    }
}

/// The operands of one operation, as texts.
struct Arguments<'a> {
    symbols: &'a mut Symbols,
    texts: [&'a [u8]; 2],
    next: usize,
}

impl<'a> Arguments<'a> {
    #[inline]
    fn take(&mut self) -> &'a [u8] {
        self.next += 1;
        self.texts.get(self.next - 1).copied().unwrap_or_default()
    }
}

impl Operands for Arguments<'_> {
    #[inline]
    fn memory(&mut self) -> Result<Span, String> {
        let text = self.take();
        match addressed(text) {
            Some((Some(addr), Some(size))) => names::bytes(addr, size),
            Some(_) => Err(beyond(text)),
            None => intern(self.symbols, Namespace::Var, text, check_name).map(Span::named),
        }
    }

    #[inline]
    fn name(&mut self, space: Namespace) -> Result<u32, String> {
        let text = self.take();
        intern(self.symbols, space, text, check_name)
    }

    fn order(&mut self) -> Result<Order, String> {
        Order::from_name(self.take())
    }

    fn number(&mut self, what: Count) -> Result<u32, String> {
        let text = self.take();
        canonical_decimal(text).and_then(|n| u32::try_from(n).ok()).ok_or_else(|| {
            format!("expected a number of at most {} as {}, found {}", u32::MAX, what.name(), excerpt(text))
        })
    }
}

/// Address and size of `0x7f10:8`, each `None` if it is too large; no pair if that is not what the operand looks like.
#[inline]
pub(super) fn addressed(text: &[u8]) -> Option<(Option<u64>, Option<u64>)> {
    let [b'0', b'x', rest @ ..] = text else { return None };
    let colon = rest.iter().position(|b| HEX[usize::from(*b)] > 15)?;
    let (digits, [b':', size @ ..]) = rest.split_at(colon) else { return None };
    // "0" alone, or a first digit other than 0.
    let canonical = |number: &[u8]| number == b"0" || number.first().is_some_and(|&b| b != b'0');
    let decimal = canonical_decimal(size);
    let is_size = decimal.is_some() || size.iter().all(u8::is_ascii_digit) && canonical(size);
    if !canonical(digits) || !is_size {
        return None;
    }
    const MAX_DIGITS: usize = 16;
    let addr = digits.iter().fold(0, |n, &b| n << 4 | u64::from(HEX[usize::from(b)]));
    Some(((digits.len() <= MAX_DIGITS).then_some(addr), decimal))
}

/// The value of each lower-case hexadecimal digit; more than 15 for other bytes.
const HEX: [u8; 256] = {
    let mut values = [0xff; 256];
    let mut i = 0;
    while i < 16 {
        values[b"0123456789abcdef"[i] as usize] = i as u8;
        i += 1;
    }
    values
};

#[cold]
fn beyond(text: &[u8]) -> String {
    format!("the memory {} reaches beyond {:#x}", excerpt(text), Span::MAX_SIZE)
}

/// Can STD text say that name? Reader and writer agree, so that whatever was read can be written.
pub(super) fn check_name(space: Namespace, name: &str) -> Result<(), String> {
    let refuse = |why: &str| {
        Err(format!("the name of the {}, {}, {why}", names::kind(space), excerpt(name.as_bytes())))
    };
    match space {
        Namespace::Label | Namespace::Loc if name.contains(['|', '\n']) => refuse("contains | or a line end"),
        Namespace::Label => Ok(()),
        Namespace::Loc if name == "-" => refuse("stands for no location"),
        Namespace::Loc if name.ends_with('\r') => refuse("ends in a carriage return"),
        Namespace::Loc if canonical_decimal(name.as_bytes()).is_some_and(|n| n < 1 << 31) => {
            refuse("looks like a number")
        }
        Namespace::Loc => Ok(()),
        _ if name.contains('|') => refuse("contains |"),
        // A byte order mark would vanish at the start of a file.
        _ if name.contains(|c: char| c.is_whitespace() || c == '\u{feff}') => refuse("contains white space"),
        // The file would pass for JSON Lines.
        Namespace::Thread if name.starts_with('{') => refuse("starts with {"),
        Namespace::Var if addressed(name.as_bytes()).is_some() => refuse("looks like an address"),
        _ => Ok(()),
    }
}
