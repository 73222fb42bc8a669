//! JSON Lines, for people and scripts: `{"thread":"T1","op":"write","var":"x","loc":12}`, one event a line.
//!
//! `docs/trace-formats.md` lists the operations and the fields of each. A field that is unknown, missing, given twice or of no use
//! to the operation is an error: a misspelt name must not become a different trace.

use super::json_fields::{Field, Fields, Value, mismatch};
use super::lines::{Line, Lines};
use super::message::excerpt;
use super::names::{self, Memory, intern, lookup};
use super::orders::Order;
use super::reader::Decode;
use super::std_writer::push_decimal;
use super::words::{Count, Operands, Spelling, Word, write_op};
use crate::{Batch, Event, Loc, Namespace, Position, Span, Symbols, Tid, TraceError};
use std::io::{Read, Write};

/// Reads JSON Lines.
pub(super) struct JsonReader<R> {
    lines: Lines<R>,
    symbols: Symbols,
}

impl<R: Read> JsonReader<R> {
    pub(super) fn new(input: R) -> JsonReader<R> {
        JsonReader { lines: Lines::new(input), symbols: Symbols::default() }
    }
}

impl<R: Read> Decode for JsonReader<R> {
    fn decode(&mut self, batch: &mut Batch) -> Result<(), TraceError> {
        for _ in 0..Batch::LEN {
            let Some(Line { number, text }) = self.lines.next()? else { break };
            let event = read_line(text, &mut self.symbols)
                .map_err(|what| TraceError::new(Position::Line(number), what))?;
            batch.events.push(event);
            batch.lines.push(number);
        }
        Ok(())
    }

    fn symbols(&self) -> &Symbols {
        &self.symbols
    }
}

fn read_line(line: &[u8], symbols: &mut Symbols) -> Result<Event, String> {
    let text = std::str::from_utf8(line).map_err(|e| {
        let at = e.valid_up_to();
        format!("byte {:#04x} in column {} is not UTF-8", line[at], at + 1)
    })?;
    let mut fields: Fields = serde_json::from_str(text).map_err(|e| syntax(&e))?;
    let tid = Tid(intern_text(symbols, Namespace::Thread, &fields.text(Field::Thread)?)?);
    let op = fields.text(Field::Op)?;
    let word = Word::from_json(&op).ok_or_else(|| Word::unknown(op.as_bytes(), Word::json))?;
    let loc = read_loc(&mut fields, symbols)?;
    let op = word.read_op(&mut JsonOperands { fields: &mut fields, symbols })?;
    fields.check_empty(word.json())?;
    Ok(Event { op, tid, loc })
}

/// The parser's complaint. It counts lines within what it was given, which is one line, and columns from 1 as we do.
fn syntax(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let what = error.to_string();
    match what.strip_suffix(&place) {
        _ if error.is_eof() => "the line ends in the middle of its object".to_owned(),
        Some(what) if error.is_data() => what.to_owned(),
        Some(what) => format!("column {}: {what}", error.column()),
        None => what,
    }
}

fn intern_text(symbols: &mut Symbols, space: Namespace, name: &str) -> Result<u32, String> {
    intern(symbols, space, name.as_bytes(), |_, _| Ok(()))
}

/// A location too large for a number is named by its digits, as in STD text.
fn read_loc(fields: &mut Fields, symbols: &mut Symbols) -> Result<Loc, String> {
    let mut named = |name: &str| intern_text(symbols, Namespace::Loc, name).map(names::named_loc);
    match fields.take(Field::Loc) {
        None => Ok(Loc::NONE),
        Some(Value::Text(s)) => named(&s),
        Some(Value::Number(n)) => match u32::try_from(n).ok().and_then(Loc::number) {
            Some(loc) => Ok(loc),
            None => named(&n.to_string()),
        },
        Some(other) => Err(mismatch(Field::Loc, "a number or a string", &other)),
    }
}

struct JsonOperands<'a, 'text> {
    fields: &'a mut Fields<'text>,
    symbols: &'a mut Symbols,
}

impl JsonOperands<'_, '_> {
    fn address(&mut self) -> Result<u64, String> {
        match self.fields.take(Field::Addr) {
            None => Err("the field `var` is missing, or `addr` and `size`".to_owned()),
            Some(Value::Number(n)) => Ok(n),
            Some(Value::Text(s)) => s
                .strip_prefix("0x")
                // `from_str_radix` would take a sign.
                .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))
                .and_then(|digits| u64::from_str_radix(digits, 16).ok())
                .ok_or_else(|| mismatch(Field::Addr, "an address such as \"0x7f10\"", &Value::Text(s))),
            Some(other) => Err(mismatch(Field::Addr, "an address such as \"0x7f10\"", &other)),
        }
    }
}

impl Operands for JsonOperands<'_, '_> {
    fn memory(&mut self) -> Result<Span, String> {
        if self.fields.has(Field::Var) {
            return self.name(Namespace::Var).map(Span::named);
        }
        let addr = self.address()?;
        names::bytes(addr, self.fields.number(Field::Size)?)
    }

    fn name(&mut self, space: Namespace) -> Result<u32, String> {
        let field = Field::of(space);
        // A marker without a label is as good as one with an empty label.
        let empty_label = space == Namespace::Label && !self.fields.has(field);
        let name = if empty_label { "".into() } else { self.fields.text(field)? };
        intern_text(self.symbols, space, &name)
    }

    fn order(&mut self) -> Result<Order, String> {
        Order::from_name(self.fields.text(Field::Order)?.as_bytes())
    }

    fn number(&mut self, what: Count) -> Result<u32, String> {
        let n = self.fields.number(count_field(what))?;
        u32::try_from(n).map_err(|_| format!("{n} is too large for the field `{}`", what.name()))
    }
}

fn count_field(what: Count) -> Field {
    match what {
        Count::Parties => Field::Parties,
        Count::Capacity => Field::Capacity,
    }
}

/// Appends the event's line.
pub(super) fn write_line(event: &Event, symbols: &Symbols, out: &mut Vec<u8>) -> Result<(), String> {
    out.push(b'{');
    let mut line = JsonLine { symbols, out };
    line.text_field(Field::Thread, lookup(symbols, Namespace::Thread, event.tid.0)?)?;
    write_op(&event.op, &mut line)?;
    match (event.loc.as_number(), event.loc.name_index()) {
        (Some(n), _) => line.number_field(Field::Loc, n.into()),
        (_, Some(i)) => line.text_field(Field::Loc, lookup(symbols, Namespace::Loc, i)?)?,
        _ => {}
    }
    out.extend_from_slice(b"}\n");
    Ok(())
}

struct JsonLine<'a> {
    symbols: &'a Symbols,
    out: &'a mut Vec<u8>,
}

impl JsonLine<'_> {
    fn key(&mut self, field: Field) {
        let comma = if self.out.ends_with(b"{") { "" } else { "," };
        // Writing to memory cannot fail.
        let _ = write!(self.out, "{comma}\"{}\":", field.name());
    }

    fn text_field(&mut self, field: Field, text: &str) -> Result<(), String> {
        self.key(field);
        serde_json::to_writer(&mut *self.out, text).map_err(|e| format!("{}: {e}", excerpt(text.as_bytes())))
    }

    fn number_field(&mut self, field: Field, n: u64) {
        self.key(field);
        push_decimal(self.out, n);
    }
}

impl Spelling for JsonLine<'_> {
    fn word(&mut self, word: Word) -> Result<&mut Self, String> {
        self.text_field(Field::Op, word.json())?;
        Ok(self)
    }

    fn memory(&mut self, span: Span) -> Result<&mut Self, String> {
        match names::memory(span)? {
            Memory::Named(i) => return self.name(Namespace::Var, i),
            Memory::Bytes { addr, size } => {
                self.text_field(Field::Addr, &format!("{addr:#x}"))?;
                self.number_field(Field::Size, size);
            }
        }
        Ok(self)
    }

    fn name(&mut self, space: Namespace, index: u32) -> Result<&mut Self, String> {
        let name = lookup(self.symbols, space, index)?;
        if !name.is_empty() {
            self.text_field(Field::of(space), name)?;
        }
        Ok(self)
    }

    fn order(&mut self, order: Order) -> Result<&mut Self, String> {
        self.text_field(Field::Order, order.name())?;
        Ok(self)
    }

    fn number(&mut self, what: Count, n: u32) -> Result<&mut Self, String> {
        self.number_field(count_field(what), n.into());
        Ok(self)
    }
}
