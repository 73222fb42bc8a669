//! The records of one block and how they become events: the loop that has to be fast.

use super::super::message::excerpt;
use super::super::names::{self, define, kind};
use super::super::orders::Order;
use super::super::words::{Count, Operands, Word};
use super::cursor::{Cursor, WINDOW, quick_varint};
use super::{Before, KINDS, LANES, LOC_SHIFT, MAX_NAME, SAME_THREAD, namespace, opcode, unzigzag};
use crate::{Batch, Event, Loc, LockId, Namespace, Op, Position, Span, Symbols, Tid, TraceError};

/// A block in memory.
#[derive(Default)]
pub(super) struct Block {
    /// The records, then zeros for the [`Cursor`]'s window.
    bytes: Vec<u8>,
    /// How many of the bytes are records.
    len: usize,
    /// Up to where they have been decoded.
    at: usize,
    offset: u64,
    /// How many events the header promises, and how many have come.
    promised: u32,
    decoded: u32,
    before: Before,
}

impl Block {
    /// The same memory for the records of another block.
    pub(super) fn cleared(self, len: usize) -> Block {
        let mut bytes = self.bytes;
        bytes.resize(len + WINDOW, 0);
        bytes[len..].fill(0);
        Block { bytes, len, ..Block::default() }
    }

    /// Where the records are to be read to.
    pub(super) fn space(&mut self) -> &mut [u8] {
        &mut self.bytes[..self.len]
    }

    pub(super) fn records(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Says what the header says.
    pub(super) fn start(&mut self, offset: u64, events: u32) {
        self.offset = offset;
        self.promised = events;
    }

    /// Where the block starts in the file.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    pub(super) fn is_done(&self) -> bool {
        self.at == self.len
    }

    /// How many events have come.
    pub(super) fn events(&self) -> u64 {
        self.decoded.into()
    }

    /// To be asked at the end of the block: were there as many events as its header says?
    pub(super) fn check_count(&self) -> Result<(), TraceError> {
        if self.decoded == self.promised {
            return Ok(());
        }
        let what = format!("the block should have {} events, found {}", self.promised, self.decoded);
        Err(TraceError::new(Position::Byte(self.offset), what))
    }

    /// Adds the next events to the batch.
    pub(super) fn decode(&mut self, batch: &mut Batch, symbols: &mut Symbols) -> Result<(), TraceError> {
        let room = Batch::LEN - batch.events.len().min(Batch::LEN);
        let result = self.decode_records(batch, room, symbols);
        self.decoded = self.decoded.saturating_add(batch.events.len() as u32);
        // The records start after the header.
        let at = self.offset + (super::BLOCK_HEADER + self.at) as u64;
        result.map_err(|what| TraceError::new(Position::Byte(at), what))
    }

    fn decode_records(
        &mut self,
        batch: &mut Batch,
        room: usize,
        symbols: &mut Symbols,
    ) -> Result<(), String> {
        let mut limits = Limits::of(symbols);
        while batch.events.len() < room && self.at < self.len {
            self.accesses(&mut batch.events, room, &limits);
            if batch.events.len() == room || self.at == self.len {
                break;
            }
            let Some(window) = self.bytes[self.at..].first_chunk() else { return Err(overrun()) };
            if window[0] == opcode::NAME {
                self.at += self.name(symbols)?;
                limits = Limits::of(symbols);
                continue;
            }
            let (event, len) = event(window, &mut self.before, &limits)?;
            if len > self.len - self.at {
                return Err(overrun());
            }
            self.at += len;
            batch.events.push(event);
        }
        Ok(())
    }

    /// Decodes accesses up to a record that is something else, or wrong.
    fn accesses(&mut self, events: &mut Vec<Event>, room: usize, limits: &Limits) {
        // A local, because the compiler keeps it in a register.
        let mut at = self.at;
        while events.len() < room
            && let Some(window) = self.bytes[at..].first_chunk()
            && let Some((event, len)) = access(window, self.len - at, &mut self.before, limits)
        {
            events.push(event);
            at += len;
        }
        self.at = at;
    }

    /// Defines a name and returns the length of its record.
    #[cold]
    fn name(&self, symbols: &mut Symbols) -> Result<usize, String> {
        let rest = &self.bytes[self.at..self.len];
        let Some(window) = self.bytes[self.at..].first_chunk() else { return Err(overrun()) };
        let mut cursor = Cursor::new(window);
        let _opcode = cursor.byte();
        let number = cursor.byte();
        let space = namespace(number).ok_or_else(|| format!("unknown namespace {number}"))?;
        let len = cursor.varint()?;
        let start = cursor.position();
        if len > MAX_NAME as u64 {
            return Err(format!("a name of {len} bytes is longer than the limit of {MAX_NAME}"));
        }
        let end = start + len as usize;
        let name = rest.get(start..end).ok_or_else(overrun)?;
        if symbols.find_bytes(space, name).is_some() {
            return Err(format!("the {} {} is defined twice", kind(space), excerpt(name)));
        }
        define(symbols, space, name, |_, _| Ok(()))?;
        Ok(end)
    }
}

#[cold]
fn overrun() -> String {
    "a record reaches beyond the end of its block".to_owned()
}

/// One more than the largest valid number of each kind; all checks are "less than".
struct Limits {
    names: [u64; Namespace::ALL.len()],
    /// By opcode / 2: the variable's index, or the address of that many bytes.
    places: [u64; KINDS.len()],
    /// Named locations follow the numeric ones.
    loc: u64,
}

impl Limits {
    fn of(symbols: &Symbols) -> Limits {
        let names = Namespace::ALL.map(|space| u64::from(symbols.count(space)));
        let places = KINDS.map(|size| match size {
            0 => names[Namespace::Var as usize],
            size => Span::MAX_SIZE - size + 1,
        });
        Limits { names, places, loc: (1 << 31) + names[Namespace::Loc as usize] }
    }

    #[inline]
    fn check(&self, space: Namespace, index: u64) -> Result<u32, String> {
        if index < self.names[space as usize] { Ok(index as u32) } else { Err(undefined(space, index)) }
    }
}

#[cold]
fn undefined(space: Namespace, index: u64) -> String {
    format!("{} number {index} has no name", kind(space))
}

/// An access of a usual size whose numbers are in order, and the length of its record; anything else is left to [`event`],
/// which has the rules. Changes `before` only if it succeeds.
#[inline(always)]
fn access(
    window: &[u8; WINDOW],
    rest: usize,
    before: &mut Before,
    limits: &Limits,
) -> Option<(Event, usize)> {
    let head = window[0];
    let code = head & opcode::MASK;
    if code >= opcode::SIZED {
        return None;
    }
    let (tid, at) = match head & SAME_THREAD {
        0 => quick_varint(window, 1)?,
        _ => (before.tid.into(), 1),
    };
    let (difference, at) = quick_varint(window, at)?;
    let lane = &mut before.lanes[tid as usize % LANES];
    let (loc, len) = match head >> LOC_SHIFT {
        3 => {
            let (difference, end) = quick_varint(window, at)?;
            (u64::from(lane.loc).wrapping_add(unzigzag(difference)), end)
        }
        how => (u64::from(lane.loc) + u64::from(how == 2), at),
    };
    if tid >= limits.names[Namespace::Thread as usize] || loc >= limits.loc || len > rest {
        return None;
    }
    // Traces have named variables or addresses, seldom both: an easy branch.
    let kind = usize::from(code / 2);
    let last = if kind == 0 { &mut lane.var } else { &mut lane.addr };
    let place = last.wrapping_add(unzigzag(difference));
    if place >= limits.places[kind] {
        return None;
    }
    *last = place;
    lane.loc = loc as u32;
    before.tid = tid as u32;
    let loc = if head >> LOC_SHIFT == 0 { Loc::NONE } else { Loc(loc as u32) };
    let span = if kind == 0 { Span::named(place as u32) } else { Span::new(place, KINDS[kind]) };
    // Both arms have the same payload, so this becomes arithmetic and not a branch that cannot be predicted.
    let op = if code & 1 == 0 { Op::Read(span) } else { Op::Write(span) };
    Some((Event { op, tid: Tid(tid as u32), loc }, len))
}

/// Any event, and the length of its record.
#[inline(never)]
fn event(window: &[u8; WINDOW], before: &mut Before, limits: &Limits) -> Result<(Event, usize), String> {
    let mut cursor = Cursor::new(window);
    let head = cursor.byte();
    let tid = if head & SAME_THREAD != 0 { before.tid.into() } else { cursor.varint()? };
    before.tid = limits.check(Namespace::Thread, tid)?;
    let op = operation(head & opcode::MASK, &mut cursor, before, limits)?;
    let loc = loc(head >> LOC_SHIFT, &mut cursor, before, limits)?;
    Ok((Event { op, tid: Tid(before.tid), loc }, cursor.position()))
}

/// A named variable or a run of bytes of a size that has opcodes.
fn place(kind: usize, cursor: &mut Cursor, before: &mut Before, limits: &Limits) -> Result<Span, String> {
    let lane = before.lane();
    let last = if kind == 0 { &mut lane.var } else { &mut lane.addr };
    let place = last.wrapping_add(unzigzag(cursor.varint()?));
    if place >= limits.places[kind] {
        return Err(bad_place(kind, place));
    }
    *last = place;
    Ok(if kind == 0 { Span::named(place as u32) } else { Span::new(place, KINDS[kind]) })
}

#[cold]
fn bad_place(kind: usize, place: u64) -> String {
    match KINDS[kind] {
        0 => undefined(Namespace::Var, place),
        size => names::bytes(place, size).err().unwrap_or_default(),
    }
}

fn loc(how: u8, cursor: &mut Cursor, before: &mut Before, limits: &Limits) -> Result<Loc, String> {
    let lane = before.lane();
    let difference = match how {
        0 => return Ok(Loc::NONE),
        1 => return Ok(Loc(lane.loc)),
        2 => 1,
        _ => unzigzag(cursor.varint()?),
    };
    let loc = u64::from(lane.loc).wrapping_add(difference);
    if loc >= limits.loc {
        return Err(format!("location {loc:#x} has no name"));
    }
    lane.loc = loc as u32;
    Ok(Loc(lane.loc))
}

fn operation(code: u8, cursor: &mut Cursor, before: &mut Before, limits: &Limits) -> Result<Op, String> {
    if code < opcode::SIZED {
        let span = place(usize::from(code / 2), cursor, before, limits)?;
        return Ok(if code & 1 == 0 { Op::Read(span) } else { Op::Write(span) });
    }
    let mut from = BinaryOperands { cursor, before, limits };
    Ok(match code {
        opcode::SIZED => Op::Read(from.memory()?),
        opcode::SIZED_WRITE => Op::Write(from.memory()?),
        opcode::ACQUIRE => Op::Acquire(LockId(from.name(Namespace::Lock)?)),
        opcode::RELEASE => Op::Release(LockId(from.name(Namespace::Lock)?)),
        opcode::OTHER => {
            let number = from.cursor.byte();
            let word = Word::from_number(number).ok_or_else(|| format!("unknown operation {number}"))?;
            word.read_op(&mut from)?
        }
        _ => return Err(format!("unknown opcode {code}")),
    })
}

struct BinaryOperands<'a, 'w> {
    cursor: &'a mut Cursor<'w>,
    before: &'a mut Before,
    limits: &'a Limits,
}

impl Operands for BinaryOperands<'_, '_> {
    fn memory(&mut self) -> Result<Span, String> {
        match self.cursor.varint()? {
            0 => place(0, self.cursor, self.before, self.limits),
            size => {
                let lane = self.before.lane();
                let addr = lane.addr.wrapping_add(unzigzag(self.cursor.varint()?));
                lane.addr = addr;
                names::bytes(addr, size)
            }
        }
    }

    fn name(&mut self, space: Namespace) -> Result<u32, String> {
        self.limits.check(space, self.cursor.varint()?)
    }

    fn order(&mut self) -> Result<Order, String> {
        let number = self.cursor.byte();
        Order::ALL.get(usize::from(number)).copied().ok_or_else(|| format!("unknown memory order {number}"))
    }

    fn number(&mut self, what: Count) -> Result<u32, String> {
        let n = self.cursor.varint()?;
        u32::try_from(n).map_err(|_| format!("{n} is too large for the {}", what.name()))
    }
}
