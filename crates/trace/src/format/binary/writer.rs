//! Writing the binary format. The same events give the same bytes, however they were cut into batches.

use super::super::names::{self, Memory, check_room, lookup};
use super::super::orders::Order;
use super::super::words::{Count, Spelling, Word, write_op};
use super::cursor::push_varint;
use super::{
    BLOCK_HEADER, BLOCK_TARGET, Before, END, KINDS, LOC_SHIFT, MAGIC, MAX_NAME, SAME_THREAD, VERSION,
    checksum, opcode, zigzag,
};
use crate::{Event, Loc, Namespace, Op, Span, Symbols};

/// The state between events.
#[derive(Default)]
pub(in super::super) struct BinaryWriter {
    records: Vec<u8>,
    /// Events in `records`.
    events: u32,
    /// Events in all blocks.
    total: u64,
    before: Before,
    /// How many names of each namespace have been written.
    defined: [u32; Namespace::ALL.len()],
}

impl BinaryWriter {
    /// What a file starts with.
    pub(in super::super) fn start(out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&VERSION.to_le_bytes());
    }

    /// Adds an event; whole blocks go to `out`.
    pub(in super::super) fn event(
        &mut self,
        e: &Event,
        symbols: &Symbols,
        out: &mut Vec<u8>,
    ) -> Result<(), String> {
        let mut names = Names { writer: self, symbols, out };
        names.define(Namespace::Thread, e.tid.0)?;
        write_op(&e.op, &mut names)?;
        if let Some(i) = e.loc.name_index() {
            names.define(Namespace::Loc, i)?;
        }
        self.record(e);
        self.end_record(out);
        Ok(())
    }

    /// The last block and the end block.
    pub(in super::super) fn finish(&mut self, out: &mut Vec<u8>) {
        if !self.records.is_empty() {
            self.end_block(out);
        }
        push_block(out, END, &self.total.to_le_bytes());
    }

    fn record(&mut self, e: &Event) {
        let start = self.records.len();
        self.records.push(0);
        let mut head = 0;
        if e.tid.0 == self.before.tid {
            head |= SAME_THREAD;
        } else {
            push_varint(&mut self.records, e.tid.0.into());
            self.before.tid = e.tid.0;
        }
        head |= self.operation(&e.op);
        head |= self.loc(e.loc) << LOC_SHIFT;
        self.records[start] = head;
        self.events += 1;
        self.total += 1;
    }

    /// Writes the operands and returns the opcode.
    fn operation(&mut self, op: &Op) -> u8 {
        let (span, write) = match *op {
            Op::Read(span) => (span, 0),
            Op::Write(span) => (span, 1),
            Op::Acquire(l) => {
                push_varint(&mut self.records, l.0.into());
                return opcode::ACQUIRE;
            }
            Op::Release(l) => {
                push_varint(&mut self.records, l.0.into());
                return opcode::RELEASE;
            }
            _ => {
                // `event` has refused whatever cannot be written.
                let _ = write_op(op, &mut Operands(self));
                return opcode::OTHER;
            }
        };
        let size = if span.addr.name_index().is_some() { 0 } else { span.size };
        match KINDS.iter().position(|&k| k == size) {
            Some(kind) => {
                self.place(span);
                2 * kind as u8 + write
            }
            None => {
                self.sized(span);
                opcode::SIZED + write
            }
        }
    }

    fn sized(&mut self, span: Span) {
        let size = if span.addr.name_index().is_some() { 0 } else { span.size };
        push_varint(&mut self.records, size);
        self.place(span);
    }

    /// The difference to the variable or the address before.
    fn place(&mut self, span: Span) {
        let (before, place) = match span.addr.name_index() {
            Some(i) => (&mut self.before.lane().var, u64::from(i)),
            None => (&mut self.before.lane().addr, span.addr.0),
        };
        let before = std::mem::replace(before, place);
        push_varint(&mut self.records, zigzag(place.wrapping_sub(before) as i64));
    }

    /// Writes the location, if more than the two bits that are returned are needed.
    fn loc(&mut self, loc: Loc) -> u8 {
        if loc == Loc::NONE {
            return 0;
        }
        let before = std::mem::replace(&mut self.before.lane().loc, loc.0);
        match i64::from(loc.0) - i64::from(before) {
            0 => 1,
            1 => 2,
            difference => {
                push_varint(&mut self.records, zigzag(difference));
                3
            }
        }
    }

    /// Ends the block if it is long enough. Asked after each record, so that the blocks do not depend on the batches.
    fn end_record(&mut self, out: &mut Vec<u8>) {
        if self.records.len() >= BLOCK_TARGET {
            self.end_block(out);
        }
    }

    fn end_block(&mut self, out: &mut Vec<u8>) {
        push_block(out, self.events, &self.records);
        self.records.clear();
        self.events = 0;
        self.before = Before::default();
    }
}

fn push_block(out: &mut Vec<u8>, events: u32, records: &[u8]) {
    let mut header = [0; BLOCK_HEADER];
    header[..4].copy_from_slice(&events.to_le_bytes());
    // `end_record` keeps it below `MAX_BLOCK`.
    header[4..8].copy_from_slice(&(records.len() as u32).to_le_bytes());
    let crc = checksum(&header[..8], records);
    header[8..].copy_from_slice(&crc.to_le_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(records);
}

/// First pass over an event: defines the names that it needs, and refuses what cannot be read back.
struct Names<'a> {
    writer: &'a mut BinaryWriter,
    symbols: &'a Symbols,
    out: &'a mut Vec<u8>,
}

impl Names<'_> {
    /// Defines all names up to that one: indices count definitions.
    #[inline]
    fn define(&mut self, space: Namespace, index: u32) -> Result<(), String> {
        while self.writer.defined[space as usize] <= index {
            self.define_next(space)?;
        }
        Ok(())
    }

    #[cold]
    fn define_next(&mut self, space: Namespace) -> Result<(), String> {
        let next = self.writer.defined[space as usize];
        check_room(space, next)?;
        let name = lookup(self.symbols, space, next)?;
        if name.len() > MAX_NAME {
            return Err(format!("the name of a {} is longer than {MAX_NAME} bytes", names::kind(space)));
        }
        let records = &mut self.writer.records;
        records.extend_from_slice(&[opcode::NAME, space as u8]);
        push_varint(records, name.len() as u64);
        records.extend_from_slice(name.as_bytes());
        self.writer.defined[space as usize] = next + 1;
        self.writer.end_record(self.out);
        Ok(())
    }
}

impl Spelling for Names<'_> {
    fn word(&mut self, _: Word) -> Result<&mut Self, String> {
        Ok(self)
    }

    fn memory(&mut self, span: Span) -> Result<&mut Self, String> {
        if let Memory::Named(i) = names::memory(span)? {
            self.define(Namespace::Var, i)?;
        }
        Ok(self)
    }

    fn name(&mut self, space: Namespace, index: u32) -> Result<&mut Self, String> {
        self.define(space, index)?;
        Ok(self)
    }

    fn order(&mut self, _: Order) -> Result<&mut Self, String> {
        Ok(self)
    }

    fn number(&mut self, _: Count, _: u32) -> Result<&mut Self, String> {
        Ok(self)
    }
}

/// Second pass, for operations without an opcode of their own: the word's number and the operands in order.
struct Operands<'a>(&'a mut BinaryWriter);

impl Spelling for Operands<'_> {
    fn word(&mut self, word: Word) -> Result<&mut Self, String> {
        self.0.records.push(word as u8);
        Ok(self)
    }

    fn memory(&mut self, span: Span) -> Result<&mut Self, String> {
        self.0.sized(span);
        Ok(self)
    }

    fn name(&mut self, _: Namespace, index: u32) -> Result<&mut Self, String> {
        push_varint(&mut self.0.records, index.into());
        Ok(self)
    }

    fn order(&mut self, order: Order) -> Result<&mut Self, String> {
        self.0.records.push(order as u8);
        Ok(self)
    }

    fn number(&mut self, _: Count, n: u32) -> Result<&mut Self, String> {
        push_varint(&mut self.0.records, n.into());
        Ok(self)
    }
}
