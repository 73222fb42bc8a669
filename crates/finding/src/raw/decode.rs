//! Bytes as records. A file may come from a program that died, or from anyone: whatever is in it, the answer is a record or an error
//! that says where.

use super::encode::{Fields, Header};
use super::event::{Event, Order, Scope, What};
use super::{Item, MAGIC, RawModule, UNIT, VERSION, kind};
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// A file that is not what it should be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RawError {
    /// Where the unit starts that is wrong, in bytes.
    pub offset: u64,
    /// What is wrong with it.
    pub fault: RawFault,
}

/// What is wrong with a unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RawFault {
    /// The file does not start as ours do.
    NotARecord,
    /// It was written by another version.
    Version(u16),
    /// It ends within a unit or a text: the program ended while it wrote.
    Truncated,
    /// There is no record of that kind.
    Kind(u8),
    /// There is no such memory order, or not for this operation.
    Order(u8),
    /// A number is out of its range.
    Number(u64),
    /// A run of no bytes, or one beyond the end of memory.
    Range,
    /// The text is damaged.
    Text,
}

impl fmt::Display for RawError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: ", self.offset)?;
        match self.fault {
            RawFault::NotARecord => f.write_str("not a record of a run"),
            RawFault::Version(n) => write!(f, "version {n} of the format; this is version {VERSION}"),
            RawFault::Truncated => f.write_str("the file ends within a record"),
            RawFault::Kind(n) => write!(f, "unknown kind of record: {n}"),
            RawFault::Order(n) => write!(f, "no such memory order: {n}"),
            RawFault::Number(n) => write!(f, "number out of range: {n}"),
            RawFault::Range => f.write_str("impossible range of memory"),
            RawFault::Text => f.write_str("damaged text"),
        }
    }
}

impl core::error::Error for RawError {}

/// Turns units into items, one after the other.
#[derive(Clone, Debug)]
pub struct Decoder {
    header: Header,
    offset: u64,
    /// High halves of the stamps, by thread, where they are not 0.
    high: BTreeMap<u32, u32>,
    /// A record whose text has not ended.
    text: Option<Text>,
}

#[derive(Clone, Debug)]
struct Text {
    offset: u64,
    kind: u8,
    thread: u32,
    address: u64,
    aux: u64,
    size: usize,
    bytes: Vec<u8>,
}

impl Decoder {
    /// Starts after that first unit.
    pub fn new(header: &[u8; UNIT]) -> Result<Decoder, RawError> {
        let error = |fault| Err(RawError { offset: 0, fault });
        if header[..8] != MAGIC {
            return error(RawFault::NotARecord);
        }
        match u16::from_le_bytes(part(header, 8)) {
            VERSION => {}
            other => return error(RawFault::Version(other)),
        }
        if usize::from(u16::from_le_bytes(part(header, 10))) != UNIT {
            return error(RawFault::NotARecord);
        }
        let header = Header { pid: u32::from_le_bytes(part(header, 12)) };
        Ok(Decoder { header, offset: UNIT as u64, high: BTreeMap::new(), text: None })
    }

    /// What the header says.
    pub fn header(&self) -> Header {
        self.header
    }

    /// Takes the next unit. `None` if it is a part of an item that goes on.
    pub fn unit(&mut self, unit: &[u8; UNIT]) -> Result<Option<Item>, RawError> {
        let offset = self.offset;
        self.offset += UNIT as u64;
        if let Some(mut text) = self.text.take() {
            let wanted = (text.size - text.bytes.len()).min(UNIT);
            text.bytes.extend_from_slice(&unit[..wanted]);
            return self.grown(text);
        }
        let fields = fields(unit);
        match fields.kind {
            kind::THREAD_NAME | kind::OBJECT_NAME | kind::MODULE => self.grown(Text {
                offset,
                kind: fields.kind,
                thread: fields.thread,
                address: fields.address,
                aux: fields.aux,
                size: fields.size.into(),
                bytes: Vec::new(),
            }),
            _ => self.record(fields).map(Some).map_err(|fault| RawError { offset, fault }),
        }
    }

    /// Says whether the file may end here: not within a text.
    pub fn finish(&self) -> Result<(), RawError> {
        match &self.text {
            Some(text) => Err(RawError { offset: text.offset, fault: RawFault::Truncated }),
            None => Ok(()),
        }
    }

    fn grown(&mut self, text: Text) -> Result<Option<Item>, RawError> {
        if text.bytes.len() < text.size {
            self.text = Some(text);
            return Ok(None);
        }
        let offset = text.offset;
        named(text).map(Some).ok_or(RawError { offset, fault: RawFault::Text })
    }

    fn record(&mut self, fields: Fields) -> Result<Item, RawFault> {
        match fields.kind {
            kind::END => Ok(Item::End),
            kind::SITE => {
                let parent = small(fields.aux)?;
                Ok(Item::Site { site: fields.site, parent, pc: fields.address })
            }
            kind::STAMP => {
                let high = small(fields.aux)?;
                self.high.insert(fields.thread, high);
                Ok(Item::Stamp { thread: fields.thread, high })
            }
            _ => {
                let what = what(&fields)?;
                let high = self.high.get(&fields.thread).copied().unwrap_or(0);
                let stamp = u64::from(high) << 32 | u64::from(fields.stamp);
                Ok(Item::Event(Event { stamp, thread: fields.thread, site: fields.site, what }))
            }
        }
    }
}

/// Reads a whole file that is in memory. After an error it ends.
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    decoder: Decoder,
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Starts with that file.
    pub fn new(file: &'a [u8]) -> Result<Reader<'a>, RawError> {
        match file.split_first_chunk() {
            Some((header, rest)) => Ok(Reader { decoder: Decoder::new(header)?, rest }),
            None if !file.is_empty() && MAGIC.starts_with(&file[..file.len().min(MAGIC.len())]) => {
                Err(RawError { offset: 0, fault: RawFault::Truncated })
            }
            None => Err(RawError { offset: 0, fault: RawFault::NotARecord }),
        }
    }

    /// What the header says.
    pub fn header(&self) -> Header {
        self.decoder.header()
    }

    fn step(&mut self) -> Option<Result<Item, RawError>> {
        loop {
            let Some((unit, rest)) = self.rest.split_first_chunk() else {
                let offset = self.decoder.offset;
                let within_text = self.decoder.finish().err();
                let within_unit =
                    (!self.rest.is_empty()).then_some(RawError { offset, fault: RawFault::Truncated });
                self.decoder.text = None;
                self.rest = &[];
                return within_text.or(within_unit).map(Err);
            };
            self.rest = rest;
            match self.decoder.unit(unit) {
                Ok(Some(Item::End)) => self.rest = &[],
                Ok(Some(item)) => return Some(Ok(item)),
                Ok(None) => {}
                Err(error) => {
                    self.rest = &[];
                    return Some(Err(error));
                }
            }
        }
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Item, RawError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step()
    }
}

fn part<const N: usize>(unit: &[u8; UNIT], at: usize) -> [u8; N] {
    let mut out = [0; N];
    out.copy_from_slice(&unit[at..at + N]);
    out
}

fn fields(unit: &[u8; UNIT]) -> Fields {
    Fields {
        kind: unit[0],
        order: unit[1],
        size: u16::from_le_bytes(part(unit, 2)),
        stamp: u32::from_le_bytes(part(unit, 4)),
        thread: u32::from_le_bytes(part(unit, 8)),
        site: u32::from_le_bytes(part(unit, 12)),
        address: u64::from_le_bytes(part(unit, 16)),
        aux: u64::from_le_bytes(part(unit, 24)),
    }
}

fn small(n: u64) -> Result<u32, RawFault> {
    u32::try_from(n).map_err(|_| RawFault::Number(n))
}

fn what(fields: &Fields) -> Result<What, RawFault> {
    let Fields { address, aux, .. } = *fields;
    let size = || range(address, aux);
    Ok(match fields.kind {
        kind::READ => What::Read { address, size: size()? },
        kind::WRITE => What::Write { address, size: size()? },
        kind::ATOMIC_LOAD => What::AtomicLoad { address, size: size()?, order: order(fields)? },
        kind::ATOMIC_STORE => What::AtomicStore { address, size: size()?, order: order(fields)? },
        kind::ATOMIC_RMW => What::AtomicRmw { address, size: size()?, order: order(fields)? },
        kind::FENCE => What::Fence { order: order(fields)? },
        kind::LOCK => What::Lock { lock: address },
        kind::UNLOCK => What::Unlock { lock: address },
        kind::LOCK_SHARED => What::LockShared { lock: address },
        kind::UNLOCK_SHARED => What::UnlockShared { lock: address },
        kind::FORK => What::Fork { child: small(aux)? },
        kind::JOIN => What::Join { child: small(aux)? },
        kind::START => What::Start,
        kind::EXIT => What::Exit,
        kind::WAIT => What::Wait { cond: address, lock: aux },
        kind::WOKEN => What::Woken { cond: address, lock: aux },
        kind::NOTIFY => What::Notify { cond: address, scope: scope(fields)? },
        kind::BARRIER_MAKE => What::BarrierMake { barrier: address, parties: small(aux)? },
        kind::BARRIER_ENTER => What::BarrierEnter { barrier: address },
        kind::BARRIER_LEAVE => What::BarrierLeave { barrier: address },
        kind::ALLOC => What::Alloc { address, size: size()? },
        kind::FREE => What::Free { address, size: size()? },
        kind::RELEASE => What::Release { object: address },
        kind::ACQUIRE => What::Acquire { object: address },
        kind::RACE => What::Race { address, size: range(address, fields.size.into())?, with: small(aux)? },
        kind::GONE => What::Gone { object: address },
        other => return Err(RawFault::Kind(other)),
    })
}

/// A run of at least one byte that ends within memory. No run is longer than half of memory: the trace model's limit.
fn range(address: u64, size: u64) -> Result<u64, RawFault> {
    let ends = address.checked_add(size).is_some();
    (ends && (1..=1 << 63).contains(&size)).then_some(size).ok_or(RawFault::Range)
}

/// The order, if the operation can have it: a store does not acquire, a load does not release, a fence does one of them.
fn order(fields: &Fields) -> Result<Order, RawFault> {
    let order = Order::from_number(fields.order).ok_or(RawFault::Order(fields.order))?;
    let fits = match fields.kind {
        kind::ATOMIC_LOAD => !matches!(order, Order::Release | Order::AcqRel),
        kind::ATOMIC_STORE => matches!(order, Order::Relaxed | Order::Release | Order::SeqCst),
        kind::FENCE => order != Order::Relaxed,
        _ => true,
    };
    if fits { Ok(order) } else { Err(RawFault::Order(fields.order)) }
}

fn scope(fields: &Fields) -> Result<Scope, RawFault> {
    match fields.order {
        0 => Ok(Scope::One),
        1 => Ok(Scope::All),
        other => Err(RawFault::Number(other.into())),
    }
}

/// The item that a record and its text make. Names need not be UTF-8: programs choose them.
fn named(text: Text) -> Option<Item> {
    let Text { thread, address, aux, bytes, .. } = text;
    let readable = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(match text.kind {
        kind::THREAD_NAME => Item::ThreadName { thread, name: readable(&bytes) },
        kind::OBJECT_NAME => Item::ObjectName { address, name: readable(&bytes) },
        _ => {
            let (bias, rest) = bytes.split_first_chunk()?;
            let (len, rest) = rest.split_first()?;
            let (build_id, path) = rest.split_at_checked(usize::from(*len))?;
            Item::Module(RawModule {
                start: address,
                end: aux,
                bias: u64::from_le_bytes(*bias),
                build_id: build_id.into(),
                path: readable(path),
            })
        }
    })
}
