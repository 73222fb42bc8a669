//! What is loaded where, and from there to names: the symbolizer's view of this process.

use crate::os::{self, Fd, Maps, OpenFlags};
use alloc::ffi::CString;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::sync::atomic::{AtomicU64, Ordering};
use deadheat_finding::{Addr, Frame, Memory, Stack};
use deadheat_symbolize::{At, Module, Symbolizer};

/// The symbolizer of this process.
pub type Names = Symbolizer<fn(&str) -> Option<&'static [u8]>>;

/// The bytes of a file, mapped for good.
pub fn open(path: &str) -> Option<&'static [u8]> {
    let path = CString::new(path).ok()?;
    let fd = os::open(&path, OpenFlags::READ, 0).ok()?;
    let bytes = os::fstat(fd).ok().and_then(|stat| os::map_file(fd, stat.size as usize).ok());
    let _: Result<(), _> = os::close(fd);
    bytes
}

/// The text of a file.
pub fn read_text(path: &str) -> Option<String> {
    let path = CString::new(path).ok()?;
    let fd = os::open(&path, OpenFlags::READ, 0).ok()?;
    let text = read_all(fd);
    let _: Result<(), _> = os::close(fd);
    Some(String::from_utf8_lossy(&text?).into_owned())
}

fn read_all(fd: Fd) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match os::read(fd, &mut buffer).ok()? {
            0 => return Some(text),
            n => text.extend_from_slice(&buffer[..n]),
        }
    }
}

/// No names known yet.
pub const fn names() -> Names {
    Symbolizer::new(open as fn(&str) -> Option<&'static [u8]>)
}

/// The executable and libraries that are loaded now.
pub fn loaded() -> Vec<Module> {
    let mut modules: Vec<Module> = Vec::new();
    let Ok(mut maps) = Maps::open() else { return modules };
    while let Ok(Some(m)) = maps.next() {
        let Ok(path) = core::str::from_utf8(m.path) else { continue };
        if !path.starts_with('/') {
            continue;
        }
        match modules.last_mut().filter(|last| last.path == path) {
            Some(last) => last.end = m.end as u64,
            None if m.offset == 0 && m.read => {
                // SAFETY: the first mapped page of an ELF file holds its header and program headers.
                let bias = unsafe { bias(m.start) };
                let (start, end) = (m.start as u64, m.end as u64);
                modules.push(Module { path: path.to_string(), bias, start, end, bytes: None });
            }
            None => {}
        }
    }
    // The zeroed part of a module's data has no file behind it.
    for i in 0..modules.len() {
        let limit = modules.get(i + 1).map_or(u64::MAX, |next| next.start);
        // SAFETY: as above.
        let end = unsafe { end_of_data(modules[i].start as usize, modules[i].bias) };
        modules[i].end = modules[i].end.max(end).min(limit);
    }
    modules
}

#[repr(C)]
struct Header {
    magic: [u8; 16],
    kind: u16,
    machine: u16,
    version: u32,
    entry: u64,
    program_headers: u64,
    sections: u64,
    flags: u32,
    size: u16,
    program_header_size: u16,
    program_header_count: u16,
}

#[repr(C)]
struct Segment {
    kind: u32,
    flags: u32,
    offset: u64,
    address: u64,
    physical: u64,
    file_size: u64,
    memory_size: u64,
    align: u64,
}

const LOAD: u32 = 1;

/// The loadable segments of the ELF file mapped there, if it is one.
unsafe fn segments(start: usize) -> &'static [Segment] {
    let header = start as *const Header;
    // SAFETY: the caller's promise; what is no ELF file of this shape has no segments.
    unsafe {
        let valid = (*header).magic.starts_with(b"\x7fELF\x02") && (*header).program_headers == 64;
        let count = (*header).program_header_count as usize;
        if !valid || count * size_of::<Segment>() + 64 > os::PAGE {
            return &[];
        }
        core::slice::from_raw_parts((start + 64) as *const Segment, count)
    }
}

unsafe fn bias(start: usize) -> u64 {
    // SAFETY: the caller's promise.
    let first = unsafe { segments(start) }.iter().find(|s| s.kind == LOAD);
    first.map_or(start as u64, |s| (start as u64).wrapping_sub(s.address & !(os::PAGE as u64 - 1)))
}

unsafe fn end_of_data(start: usize, bias: u64) -> u64 {
    // SAFETY: the caller's promise.
    let loads = unsafe { segments(start) }.iter().filter(|s| s.kind == LOAD);
    loads.map(|s| bias.wrapping_add(s.address + s.memory_size)).max().unwrap_or(0)
}

/// The stack of those program counters, each where a call returns to.
///
/// What lies below `main`, and what the runtime itself put between the program's functions, is no part of the program.
pub fn stack(names: &Names, pcs: &[u64]) -> Stack {
    let mut frames: Vec<Frame> = pcs.iter().flat_map(|pc| names.frames(*pc, At::Return)).map(frame).collect();
    if let Some(main) = frames.iter().rposition(|f| f.function.as_deref() == Some("main")) {
        frames.truncate(main + 1);
    }
    if frames.len() > 1 {
        frames.retain(|f| !is_own(f));
    }
    Stack(frames)
}

/// The functions at that place, where a call returns to: the innermost of those that were inlined first.
pub fn frames(names: &Names, pc: u64) -> Vec<Frame> {
    names.frames(pc, At::Return).into_iter().map(frame).collect()
}

/// A function of the runtime.
fn is_own(frame: &Frame) -> bool {
    is_own_code(frame.pc.0)
}

/// Where the runtime's own code is: first byte and the one behind the last.
static OWN: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Says where the runtime's own code is.
pub fn set_own_code(start: u64, end: u64) {
    OWN[0].store(start, Ordering::Relaxed);
    OWN[1].store(end, Ordering::Relaxed);
}

/// That instruction is the runtime's.
pub fn is_own_code(pc: u64) -> bool {
    (OWN[0].load(Ordering::Relaxed)..OWN[1].load(Ordering::Relaxed)).contains(&pc)
}

/// Where the dynamic loader is, as [`OWN`].
static LOADER: [AtomicU64; 2] = [const { AtomicU64::new(0) }; 2];

/// Says where the dynamic loader is mapped; nowhere, if the program needs none.
///
/// # Safety
/// The first mapped page of an ELF file, or 0.
pub unsafe fn set_loader(start: u64) {
    if start != 0 {
        // SAFETY: the caller's promise.
        let end = unsafe { end_of_data(start as usize, bias(start as usize)) };
        LOADER[0].store(start, Ordering::Relaxed);
        LOADER[1].store(end, Ordering::Relaxed);
    }
}

/// That instruction is the dynamic loader's.
#[inline]
pub fn is_loader(pc: u64) -> bool {
    (LOADER[0].load(Ordering::Relaxed)..LOADER[1].load(Ordering::Relaxed)).contains(&pc)
}

fn frame(f: deadheat_symbolize::Frame) -> Frame {
    Frame {
        pc: Addr(f.pc),
        function: f.function,
        file: f.file,
        line: f.line,
        column: f.column,
        module: f.module,
        offset_in_module: Addr(f.offset_in_module),
        build_id: f.build_id,
        inlined: f.inlined,
    }
}

/// The same with nothing looked up.
pub fn bare_stack(pcs: &[u64]) -> Stack {
    Stack(pcs.iter().map(|pc| Frame { pc: Addr(*pc), ..Frame::default() }).collect())
}

/// The global variable at that address.
pub fn global(names: &Names, address: u64) -> Option<Memory> {
    let module = names.module(address)?.path.clone();
    Some(match names.global(address) {
        Some(g) => Memory::Global {
            name: Some(g.name),
            start: Addr(g.start),
            size: Some(g.size),
            module: Some(g.module),
            offset_in_module: Addr(g.offset_in_module),
        },
        None => Memory::Global {
            name: None,
            start: Addr(address),
            size: None,
            module: Some(module),
            offset_in_module: Addr(address - names.module(address)?.bias),
        },
    })
}
