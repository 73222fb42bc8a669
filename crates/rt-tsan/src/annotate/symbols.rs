//! Names for the program's own reports: the functions of `sanitizer/common_interface_defs.h` that turn addresses into text.
//!
//! Each takes a format and writes a text for every function at the address, the innermost of those that were inlined first: texts end in a zero, and the last is empty.

use crate::entries;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ffi::{CStr, c_char, c_int, c_void};
use deadheat_finding::{Frame, Memory};
use deadheat_rt::sites::{Note, SITES};
use deadheat_rt::thread::Stay;
use deadheat_rt::{modules, output, report};

/// The file, line and column; as much as is known.
fn source(frame: &Frame) -> Option<String> {
    let mut text = frame.file.clone()?;
    for number in [frame.line, frame.line.and(frame.column)].into_iter().flatten() {
        text.push_str(&format!(":{number}"));
    }
    Some(text)
}

/// The file of the code and the address in it; or the address in the process.
fn place(frame: &Frame) -> String {
    match &frame.module {
        Some(module) => format!("({module}+{:#x})", frame.offset_in_module.0),
        None => format!("({:#x})", frame.pc.0),
    }
}

/// What a letter of the format stands for; nothing if it stands for nothing.
fn part(letter: char, number: usize, frame: &Frame) -> Option<String> {
    let unknown = |text: &Option<String>| text.clone().unwrap_or_else(|| "??".into());
    Some(match letter {
        '%' => "%".into(),
        'n' => format!("{number}"),
        'p' => format!("{:#x}", frame.pc.0),
        'm' => unknown(&frame.module),
        'o' => format!("{:#x}", frame.offset_in_module.0),
        'f' => unknown(&frame.function),
        's' => unknown(&frame.file),
        'l' => format!("{}", frame.line.unwrap_or(0)),
        'c' => format!("{}", frame.column.unwrap_or(0)),
        'F' => frame.function.as_ref().map(|name| format!("in {name}")).unwrap_or_default(),
        'S' => source(frame).unwrap_or_default(),
        'L' => source(frame).unwrap_or_else(|| place(frame)),
        'M' => place(frame),
        _ => return None,
    })
}

/// The format with what its letters stand for.
fn render(format: &str, part: impl Fn(char) -> Option<String>) -> String {
    let mut text = String::new();
    let mut letters = format.chars();
    while let Some(c) = letters.next() {
        match c {
            '%' => text.push_str(&letters.next().and_then(&part).unwrap_or_default()),
            c => text.push(c),
        }
    }
    text
}

/// Writes the texts, as far as there is room, and an empty one behind them.
///
/// # Safety
/// `to` has so much room.
unsafe fn answer(texts: &[String], to: *mut c_char, room: usize) {
    let Some(most) = room.checked_sub(1) else { return };
    let mut used = 0;
    for text in texts.iter().filter(|text| !text.is_empty()) {
        for byte in text.bytes().chain([0]).take(most - used) {
            // SAFETY: the caller's promise.
            unsafe { *to.add(used) = byte as c_char };
            used += 1;
        }
    }
    // SAFETY: as above.
    unsafe { *to.add(used) = 0 };
}

/// # Safety
/// A text of the program's.
unsafe fn text<'a>(of: *const c_char) -> &'a str {
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(of) }.to_str().unwrap_or("")
}

fn symbolize(pc: u64, format: *const c_char, to: *mut c_char, room: usize) {
    let Some(_stay) = Stay::begin() else { return };
    // SAFETY: the program's text.
    let format = match unsafe { text(format) } {
        "DEFAULT" => "    #%n %p %F %L",
        format => format,
    };
    let frames = report::frames(pc);
    let texts: Vec<String> =
        frames.iter().enumerate().map(|(i, f)| render(format, |c| part(c, i, f))).collect();
    // SAFETY: the program's buffer.
    unsafe { answer(&texts, to, room) };
}

entries! {
    fn __sanitizer_symbolize_pc(pc; at: u64, format: *const c_char, to: *mut c_char, room: usize) {
        symbolize(at, format, to, room);
    }

    fn __tsan_symbolize_pc(pc; at: u64, format: *const c_char, to: *mut c_char, room: usize) {
        symbolize(at, format, to, room);
    }

    fn __sanitizer_symbolize_global(pc; address: u64, format: *const c_char, to: *mut c_char, room: usize) {
        let Some(_stay) = Stay::begin() else { return };
        let name = match report::global(address) {
            Some(Memory::Global { name: Some(name), .. }) => name,
            _ => String::new(),
        };
        let part = |letter| match letter {
            '%' => Some("%".into()),
            'g' => Some(name.clone()),
            // Where variables are declared is not looked up.
            's' => Some("??".into()),
            'l' => Some("0".into()),
            _ => None,
        };
        // SAFETY: the program's text and its buffer.
        unsafe {
            let rendered = if name.is_empty() { String::new() } else { render(text(format), part) };
            answer(&[rendered], to, room);
        }
    }

    fn __sanitizer_get_module_and_offset_for_pc(pc; at: u64, to: *mut c_char, room: usize, offset: *mut *mut c_void) -> c_int {
        let Some(_stay) = Stay::begin() else { return 0 };
        let Some(module) = modules::loaded().into_iter().find(|m| (m.start..m.end).contains(&at)) else { return 0 };
        // SAFETY: the program's buffer and its variable.
        unsafe {
            if !to.is_null() {
                let path: Vec<u8> = module.path.bytes().take(room.saturating_sub(1)).chain([0]).take(room).collect();
                core::ptr::copy_nonoverlapping(path.as_ptr(), to as *mut u8, path.len());
            }
            if !offset.is_null() {
                *offset = at.wrapping_sub(module.bias) as *mut c_void;
            }
        }
        1
    }

    fn __sanitizer_print_stack_trace(pc;) {
        let Some(thread) = Stay::begin() else { return };
        let pcs = SITES.stack(thread.placer.site(pc, Note::CALL));
        let frames = pcs.iter().flat_map(|pc| report::frames(*pc)).enumerate();
        let lines = frames.map(|(i, f)| render("    #%n %p %F %L\n", |c| part(c, i, &f)));
        output::print(&lines.collect::<String>());
    }
}
