//! Records as bytes. Events need no allocation: they go straight into the thread's buffer.

use super::event::{Event, What};
use super::{MAGIC, RawModule, UNIT, VERSION, kind};
use alloc::vec::Vec;

/// The fields of a record, in the order of the file.
#[derive(Clone, Copy, Default)]
pub(super) struct Fields {
    pub kind: u8,
    pub order: u8,
    pub size: u16,
    pub stamp: u32,
    pub thread: u32,
    pub site: u32,
    pub address: u64,
    pub aux: u64,
}

impl Fields {
    #[inline]
    fn bytes(self) -> [u8; UNIT] {
        let mut out = [0; UNIT];
        out[0] = self.kind;
        out[1] = self.order;
        out[2..4].copy_from_slice(&self.size.to_le_bytes());
        out[4..8].copy_from_slice(&self.stamp.to_le_bytes());
        out[8..12].copy_from_slice(&self.thread.to_le_bytes());
        out[12..16].copy_from_slice(&self.site.to_le_bytes());
        out[16..24].copy_from_slice(&self.address.to_le_bytes());
        out[24..32].copy_from_slice(&self.aux.to_le_bytes());
        out
    }
}

/// The first unit of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The process.
    pub pid: u32,
}

impl Header {
    /// The header as it stands in the file.
    pub fn bytes(self) -> [u8; UNIT] {
        let mut out = [0; UNIT];
        out[..8].copy_from_slice(&MAGIC);
        out[8..10].copy_from_slice(&VERSION.to_le_bytes());
        out[10..12].copy_from_slice(&(UNIT as u16).to_le_bytes());
        out[12..16].copy_from_slice(&self.pid.to_le_bytes());
        out
    }
}

impl Event {
    /// The record as it stands in the file, with the low half of the stamp.
    #[inline]
    pub fn bytes(&self) -> [u8; UNIT] {
        let Event { stamp, thread, site, what } = *self;
        Fields { stamp: stamp as u32, thread, site, ..fields(what) }.bytes()
    }
}

#[inline]
fn fields(what: What) -> Fields {
    let object = |kind, address| Fields { kind, address, ..Fields::default() };
    let pair = |kind, address, aux| Fields { kind, address, aux, ..Fields::default() };
    match what {
        What::Read { address, size } => pair(kind::READ, address, size),
        What::Write { address, size } => pair(kind::WRITE, address, size),
        What::AtomicLoad { address, size, order } => {
            Fields { order: order as u8, ..pair(kind::ATOMIC_LOAD, address, size) }
        }
        What::AtomicStore { address, size, order } => {
            Fields { order: order as u8, ..pair(kind::ATOMIC_STORE, address, size) }
        }
        What::AtomicRmw { address, size, order } => {
            Fields { order: order as u8, ..pair(kind::ATOMIC_RMW, address, size) }
        }
        What::Fence { order } => Fields { order: order as u8, ..object(kind::FENCE, 0) },
        What::Lock { lock } => object(kind::LOCK, lock),
        What::Unlock { lock } => object(kind::UNLOCK, lock),
        What::LockShared { lock } => object(kind::LOCK_SHARED, lock),
        What::UnlockShared { lock } => object(kind::UNLOCK_SHARED, lock),
        What::Fork { child } => pair(kind::FORK, 0, child.into()),
        What::Join { child } => pair(kind::JOIN, 0, child.into()),
        What::Start => object(kind::START, 0),
        What::Exit => object(kind::EXIT, 0),
        What::Wait { cond, lock } => pair(kind::WAIT, cond, lock),
        What::Woken { cond, lock } => pair(kind::WOKEN, cond, lock),
        What::Notify { cond, scope } => Fields { order: scope as u8, ..object(kind::NOTIFY, cond) },
        What::BarrierMake { barrier, parties } => pair(kind::BARRIER_MAKE, barrier, parties.into()),
        What::BarrierEnter { barrier } => object(kind::BARRIER_ENTER, barrier),
        What::BarrierLeave { barrier } => object(kind::BARRIER_LEAVE, barrier),
        What::Alloc { address, size } => pair(kind::ALLOC, address, size),
        What::Free { address, size } => pair(kind::FREE, address, size),
        What::Release { object: o } => object(kind::RELEASE, o),
        What::Acquire { object: o } => object(kind::ACQUIRE, o),
        What::Gone { object: o } => object(kind::GONE, o),
        // The size of an access fits: ranges are reported by their first racing bytes.
        What::Race { address, size, with } => {
            let size = u16::try_from(size).unwrap_or(u16::MAX);
            Fields { size, ..pair(kind::RACE, address, with.into()) }
        }
    }
}

/// Defines a site.
pub fn write_site(site: u32, parent: u32, pc: u64) -> [u8; UNIT] {
    Fields { kind: kind::SITE, site, address: pc, aux: parent.into(), ..Fields::default() }.bytes()
}

/// Says the high half of that thread's stamps from here on.
pub fn write_stamp(thread: u32, high: u32) -> [u8; UNIT] {
    Fields { kind: kind::STAMP, thread, aux: high.into(), ..Fields::default() }.bytes()
}

/// Names a thread.
pub fn write_thread_name(out: &mut Vec<u8>, thread: u32, name: &str) {
    text(out, Fields { kind: kind::THREAD_NAME, thread, ..Fields::default() }, name.as_bytes());
}

/// Names an object.
pub fn write_object_name(out: &mut Vec<u8>, address: u64, name: &str) {
    text(out, Fields { kind: kind::OBJECT_NAME, address, ..Fields::default() }, name.as_bytes());
}

/// Describes a module. Its text is the bias, the length of the build's name, that name, and the path.
pub fn write_module(out: &mut Vec<u8>, module: &RawModule) {
    let id = &module.build_id[..module.build_id.len().min(usize::from(u8::MAX))];
    let mut body = Vec::from(module.bias.to_le_bytes());
    body.push(id.len() as u8);
    body.extend_from_slice(id);
    body.extend_from_slice(module.path.as_bytes());
    let fields = Fields { kind: kind::MODULE, address: module.start, aux: module.end, ..Fields::default() };
    text(out, fields, &body);
}

/// A record and its text, which is cut where `size` ends, padded with zeros to whole units.
fn text(out: &mut Vec<u8>, fields: Fields, body: &[u8]) {
    let size = u16::try_from(body.len()).unwrap_or(u16::MAX);
    out.extend_from_slice(&Fields { size, ..fields }.bytes());
    let body = &body[..usize::from(size)];
    out.extend_from_slice(body);
    out.resize(out.len() + body.len().next_multiple_of(UNIT) - body.len(), 0);
}
