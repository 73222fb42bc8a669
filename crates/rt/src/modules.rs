//! What is loaded where, and from there to names: the symbolizer's view of this process.

use crate::os::{self, Fd, Maps, OpenFlags, Seek};
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
    let own = OwnMemory::open();
    while let Ok(Some(m)) = maps.next() {
        let Ok(path) = core::str::from_utf8(m.path) else { continue };
        if !path.starts_with('/') {
            continue;
        }
        match modules.last_mut().filter(|last| last.path == path) {
            Some(last) => last.end = m.end as u64,
            None if m.offset == 0 && m.read => {
                let bias = own.as_ref().map_or(m.start as u64, |own| own.bias(m.start as u64));
                let (start, end) = (m.start as u64, m.end as u64);
                modules.push(Module { path: path.to_string(), bias, start, end, bytes: None });
            }
            None => {}
        }
    }
    // The zeroed part of a module's data has no file behind it.
    for i in 0..modules.len() {
        let limit = modules.get(i + 1).map_or(u64::MAX, |next| next.start);
        let end = own.as_ref().map_or(0, |own| own.end_of_data(modules[i].start, modules[i].bias));
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

/// The memory of this process, read through the kernel: another thread may unload a library while we look at it.
struct OwnMemory(Fd);

impl OwnMemory {
    fn open() -> Option<OwnMemory> {
        os::open(c"/proc/self/mem", OpenFlags::READ, 0).ok().map(OwnMemory)
    }

    /// The loadable segments of the ELF file mapped there, if it is one.
    fn segments(&self, start: u64) -> Vec<Segment> {
        let mut page = [0; os::PAGE];
        let read = os::lseek(self.0, Seek::Start(start)).and_then(|_| os::read(self.0, &mut page));
        if read != Ok(os::PAGE) || !page.starts_with(b"\x7fELF\x02") {
            return Vec::new();
        }
        // SAFETY: the page is longer than a header, and any bytes are one.
        let header = unsafe { (page.as_ptr() as *const Header).read_unaligned() };
        let segments =
            page.get(header.program_headers as usize..).unwrap_or(&[]).chunks_exact(size_of::<Segment>());
        // SAFETY: each chunk is as long as a segment, and any bytes are one.
        let segments = segments.map(|bytes| unsafe { (bytes.as_ptr() as *const Segment).read_unaligned() });
        segments.take(header.program_header_count as usize).filter(|s| s.kind == LOAD).collect()
    }

    fn bias(&self, start: u64) -> u64 {
        let first = self.segments(start).first().map(|s| s.address & !(os::PAGE as u64 - 1));
        start.wrapping_sub(first.unwrap_or(0))
    }

    fn end_of_data(&self, start: u64, bias: u64) -> u64 {
        let ends = self
            .segments(start)
            .into_iter()
            .map(|s| bias.wrapping_add(s.address.wrapping_add(s.memory_size)));
        ends.max().unwrap_or(0)
    }
}

impl Drop for OwnMemory {
    fn drop(&mut self) {
        let _: Result<(), _> = os::close(self.0);
    }
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
pub fn set_loader(start: u64) {
    if let (true, Some(own)) = (start != 0, OwnMemory::open()) {
        let end = own.end_of_data(start, own.bias(start));
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
