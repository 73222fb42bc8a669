//! Objects that libraries watch over themselves: a use of one is an access to the byte at its address, and reports call it by its type.

use crate::heap;
use crate::os::Mutex;
use alloc::collections::BTreeMap;
use alloc::ffi::CString;
use alloc::string::String;
use alloc::vec::Vec;

/// A type of objects; its tag is its number, from one.
struct Type {
    name: CString,
    /// What reports are headed by.
    header: Option<String>,
}

struct Objects {
    types: Vec<Type>,
    /// Blocks of the heap that are objects: the first byte, and where the block was allocated, by which an object is told from a later one at its place.
    blocks: BTreeMap<u64, (u64, u32)>,
}

static OBJECTS: Mutex<Objects> = Mutex::new(Objects { types: Vec::new(), blocks: BTreeMap::new() });

/// A tag for a type of that name.
pub fn register(name: CString) -> u64 {
    let mut objects = OBJECTS.lock();
    objects.types.push(Type { name, header: None });
    objects.types.len() as u64
}

fn number(tag: u64) -> Option<usize> {
    usize::try_from(tag).ok()?.checked_sub(1)
}

/// Says what heads reports about objects of that type.
pub fn set_header(tag: u64, header: String) {
    let mut objects = OBJECTS.lock();
    if let Some(t) = number(tag).and_then(|i| objects.types.get_mut(i)) {
        t.header = Some(header);
    }
}

/// The block at that address is an object of that type.
pub fn assign(address: u64, tag: u64) {
    if let Some(block) = heap::block_of(address as usize) {
        OBJECTS.lock().blocks.insert(block.start as u64, (tag, block.origin.site));
    }
}

/// The tag of the block that begins there and was allocated at that site.
pub fn tag_of_block(start: u64, site: u32) -> Option<u64> {
    OBJECTS.lock().blocks.get(&start).filter(|(_, origin)| *origin == site).map(|(tag, _)| *tag)
}

/// The name of the type.
pub fn name(tag: u64) -> Option<String> {
    let objects = OBJECTS.lock();
    Some(objects.types.get(number(tag)?)?.name.to_string_lossy().into_owned())
}

/// The tag of a type of that name.
pub fn tag(name: &str) -> Option<u64> {
    let objects = OBJECTS.lock();
    let found = objects.types.iter().position(|t| t.name.to_bytes() == name.as_bytes());
    found.map(|i| i as u64 + 1)
}

/// The name of the type as it was registered, for ever.
pub fn c_name(tag: u64) -> Option<*const core::ffi::c_char> {
    Some(OBJECTS.lock().types.get(number(tag)?)?.name.as_ptr())
}

/// What heads reports about objects of that type.
pub fn header(tag: u64) -> String {
    let own = number(tag).and_then(|i| OBJECTS.lock().types.get(i)?.header.clone());
    let name = || name(tag).unwrap_or_else(|| "external object".into());
    own.unwrap_or_else(|| alloc::format!("race on {}", name()))
}
