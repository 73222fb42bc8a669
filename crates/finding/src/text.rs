//! The report for people, in the form that users of ThreadSanitizer and the parsers of its reports know.
//!
//! Between two banners: what is wrong, then paragraphs that start with two spaces, each with a stack below it, then `SUMMARY`.
//! Ours is one paragraph more, which says what ordering was missing; it has no frames, and parsers skip what they do not know.

use crate::words::{base_name, printable, strip_prefix};
use crate::{
    Access, AccessMode, Edge, Finding, Frame, Hold, Life, Memory, Mutex, Stack, Thread, ThreadId, ThreadSort,
};
use alloc::format;
use alloc::string::String;
use anstyle::AnsiColor;
use core::fmt::{Result, Write};

/// The line before and after every finding.
const BANNER: &str = "==================";
/// Longest line of a sentence.
const WIDTH: usize = 100;

/// How to write.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Style<'a> {
    /// With colours?
    pub colour: Colour,
    /// Source paths are shown from behind this.
    pub strip_path_prefix: &'a str,
    /// With the `SUMMARY` line?
    pub summary: Summary,
}

/// With colours?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Colour {
    /// Text only.
    #[default]
    Plain,
    /// The sequences that terminals take for colours.
    Ansi,
}

/// With the `SUMMARY` line?
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Summary {
    #[default]
    Shown,
    Hidden,
}

/// Writes one finding, banners included.
pub fn write_finding(out: &mut dyn Write, finding: &Finding, style: Style<'_>) -> Result {
    Writer { out, style, finding }.finding()
}

/// Writes the last line of a run that found something; nothing if it found nothing.
pub fn write_total(out: &mut dyn Write, findings: u64) -> Result {
    match findings {
        0 => Ok(()),
        n => writeln!(out, "ThreadSanitizer: reported {n} warnings"),
    }
}

/// `FILE:LINE:COL in FUNC`, or the module if there is no file: how the `SUMMARY` line calls a finding.
pub fn summary(finding: &Finding, strip_path_prefix: &str) -> Option<String> {
    let frame = finding.main_stack()?.top()?;
    let at = source(frame, strip_path_prefix).or_else(|| {
        let module = printable(frame.module.as_deref()?);
        Some(format!("({module}+{:#x}){}", frame.offset_in_module.0, build_id(frame)))
    })?;
    let function = frame.function.as_deref().map(|name| format!(" in {}", printable(name)));
    Some(at + &function.unwrap_or_default())
}

/// What a part of the report is about, for its colour.
#[derive(Clone, Copy)]
enum Part {
    Warning,
    Access,
    Memory,
    Mutex,
    Thread,
    Why,
}

struct Writer<'a> {
    out: &'a mut dyn Write,
    style: Style<'a>,
    finding: &'a Finding,
}

impl Writer<'_> {
    fn finding(&mut self) -> Result {
        let finding = self.finding;
        writeln!(self.out, "{BANNER}")?;
        let title = printable(finding.title());
        self.headed(Part::Warning, &format!("WARNING: ThreadSanitizer: {title} (pid={})", finding.pid))?;
        self.cycle(&finding.cycle)?;
        self.places()?;
        for (nth, access) in finding.accesses.iter().enumerate() {
            self.access(nth, access)?;
        }
        self.why()?;
        if !finding.slept.is_empty() {
            self.section(Part::Why, "  As if synchronized via sleep:", &finding.slept)?;
        }
        self.memory(&finding.memory)?;
        for mutex in &finding.mutexes {
            self.mutex(mutex)?;
        }
        for thread in finding.threads.iter().filter(|thread| thread.id != ThreadId::MAIN) {
            self.thread(thread)?;
        }
        if finding.similar > 0 {
            writeln!(self.out, "  And {} more similar {}s.\n", finding.similar, finding.title())?;
        }
        self.summary()?;
        writeln!(self.out, "{BANNER}")
    }

    fn access(&mut self, nth: usize, access: &Access) -> Result {
        let mode = match (nth, access.mode) {
            (0, AccessMode::Read) => "Read",
            (0, AccessMode::Write | AccessMode::Free) => "Write",
            (0, AccessMode::AtomicRead) => "Atomic read",
            (0, AccessMode::AtomicWrite) => "Atomic write",
            (_, AccessMode::Read) => "Previous read",
            (_, AccessMode::Write | AccessMode::Free) => "Previous write",
            (_, AccessMode::AtomicRead) => "Previous atomic read",
            (_, AccessMode::AtomicWrite) => "Previous atomic write",
        };
        let Access { size, addr, thread, object, .. } = access;
        let what = match (object.as_str(), nth, access.mode) {
            ("", ..) => format!("{mode} of size {size}"),
            (_, 0, AccessMode::Read) => format!("Read-only access of {}", printable(object)),
            (_, 0, _) => format!("Modifying access of {}", printable(object)),
            (_, _, AccessMode::Read) => format!("Previous read-only access of {}", printable(object)),
            _ => format!("Previous modifying access of {}", printable(object)),
        };
        let heading = format!("  {what} at {addr} by {thread}{}:", held(access));
        self.section(Part::Access, &heading, &access.stack)
    }

    /// The place of the bug right below the warning, what led to it after that.
    fn places(&mut self) -> Result {
        let finding = self.finding;
        for (nth, place) in finding.places.iter().enumerate() {
            if nth > 0 {
                let what = if place.what.is_empty() { "and" } else { &place.what };
                self.headed(Part::Access, &format!("  {}:", printable(what)))?;
            }
            self.stack(&place.stack)?;
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn cycle(&mut self, cycle: &[Edge]) -> Result {
        let Some(first) = cycle.first() else { return Ok(()) };
        let mut line = String::from("  Cycle in lock order graph:");
        for edge in cycle {
            let addr = self.finding.mutex(edge.held).map(|mutex| format!(" ({})", mutex.addr));
            write!(line, " {}{} =>", edge.held, addr.unwrap_or_default())?;
        }
        writeln!(line, " {}", first.held)?;
        self.headed(Part::Mutex, &line)?;
        for edge in cycle {
            let Edge { held, taken, thread, .. } = edge;
            let heading = format!("  Mutex {taken} acquired here while holding mutex {held} in {thread}:");
            self.section(Part::Mutex, &heading, &edge.stack)?;
            if !edge.held_stack.is_empty() {
                let heading = format!("  Mutex {held} previously acquired by the same thread here:");
                self.section(Part::Mutex, &heading, &edge.held_stack)?;
            }
        }
        Ok(())
    }

    fn memory(&mut self, memory: &Memory) -> Result {
        match memory {
            Memory::Unknown => Ok(()),
            Memory::Heap { start, size, thread, stack, freed, object, .. } => {
                let what = if object.is_empty() { "heap block".into() } else { printable(object) };
                let heading =
                    format!("  Location is {what} of size {size} at {start} allocated by {thread}:");
                self.section(Part::Memory, &heading, stack)?;
                let Some(freed) = freed else { return Ok(()) };
                self.section(Part::Memory, &format!("  Freed by {} at:", freed.thread), &freed.stack)
            }
            Memory::Global { name, start, size, module, offset_in_module } => {
                let name = printable(name.as_deref().unwrap_or("??"));
                let size = size.map(|size| format!(" of size {size}")).unwrap_or_default();
                let module = printable(base_name(module.as_deref().unwrap_or("<null>")));
                let offset = offset_in_module.0;
                self.alone(&format!("  Location is global '{name}'{size} at {start} ({module}+{offset:#x})"))
            }
            Memory::ThreadLocal { thread } => self.alone(&format!("  Location is TLS of {thread}.")),
            Memory::Stack { thread } => self.alone(&format!("  Location is stack of {thread}.")),
            Memory::FileDescriptor { fd, closed, thread, stack } => {
                let done = if *closed { "destroyed" } else { "created" };
                let heading = format!("  Location is file descriptor {fd} {done} by {thread} at:");
                self.section(Part::Memory, &heading, stack)
            }
        }
    }

    fn mutex(&mut self, mutex: &Mutex) -> Result {
        let Mutex { id, addr, .. } = mutex;
        if mutex.created.is_empty() && mutex.destroyed {
            self.headed(Part::Mutex, &format!("  Mutex {id} ({addr}) is already destroyed.\n"))
        } else {
            self.section(Part::Mutex, &format!("  Mutex {id} ({addr}) created at:"), &mutex.created)
        }
    }

    fn thread(&mut self, thread: &Thread) -> Result {
        let mut heading = format!("  Thread T{}", thread.id.0);
        if !thread.name.is_empty() {
            write!(heading, " '{}'", printable(&thread.name))?;
        }
        let life = match thread.life {
            Life::Running => "running",
            Life::Finished => "finished",
        };
        let sort = match thread.sort {
            ThreadSort::Thread => "",
            ThreadSort::Fiber => ", fiber",
        };
        write!(heading, " (tid={}, {life}{sort})", thread.os_tid)?;
        if let Some(creator) = thread.created_by {
            write!(heading, " created by {creator}")?;
        }
        if thread.created.is_empty() {
            heading.push('\n');
            return self.headed(Part::Thread, &heading);
        }
        let at = if thread.created_by.is_some() { " at:" } else { " created at:" };
        self.section(Part::Thread, &(heading + at), &thread.created)
    }

    /// The sentences that are ours, broken between words.
    fn why(&mut self) -> Result {
        let finding = self.finding;
        if finding.why.is_empty() {
            return Ok(());
        }
        let mut line = String::new();
        for word in printable(&finding.why).split(' ') {
            if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.headed(Part::Why, &line)?;
                line.clear();
            }
            line.push_str(if line.is_empty() { "  " } else { " " });
            line.push_str(word);
        }
        line.push('\n');
        self.headed(Part::Why, &line)
    }

    fn summary(&mut self) -> Result {
        if self.style.summary == Summary::Hidden {
            return Ok(());
        }
        let at = summary(self.finding, self.style.strip_path_prefix).map(|at| format!(" {at}"));
        writeln!(
            self.out,
            "SUMMARY: ThreadSanitizer: {}{}",
            printable(self.finding.title()),
            at.unwrap_or_default()
        )
    }

    /// A paragraph without a stack.
    fn alone(&mut self, text: &str) -> Result {
        self.headed(Part::Memory, text)?;
        writeln!(self.out)
    }

    /// A paragraph: a heading, a stack, an empty line.
    fn section(&mut self, part: Part, heading: &str, stack: &Stack) -> Result {
        self.headed(part, heading)?;
        self.stack(stack)?;
        writeln!(self.out)
    }

    /// A line in the colour of what it is about.
    fn headed(&mut self, part: Part, text: &str) -> Result {
        let colour = match part {
            Part::Warning => AnsiColor::Red.on_default().bold(),
            Part::Access => AnsiColor::Blue.on_default().bold(),
            Part::Memory => AnsiColor::Green.on_default().bold(),
            Part::Mutex => AnsiColor::Magenta.on_default().bold(),
            Part::Thread => AnsiColor::Cyan.on_default().bold(),
            Part::Why => AnsiColor::Yellow.on_default().bold(),
        };
        match self.style.colour {
            Colour::Plain => writeln!(self.out, "{text}"),
            Colour::Ansi => writeln!(self.out, "{colour}{text}{colour:#}"),
        }
    }

    fn stack(&mut self, stack: &Stack) -> Result {
        if stack.is_empty() {
            return writeln!(self.out, "    [failed to restore the stack]");
        }
        let mut same_code = false;
        for (nth, frame) in stack.0.iter().enumerate() {
            self.frame(nth, frame, same_code)?;
            same_code = frame.inlined;
        }
        Ok(())
    }

    /// One frame. The build is named once for all that is inlined into one function.
    fn frame(&mut self, nth: usize, frame: &Frame, same_code: bool) -> Result {
        let function = printable(frame.function.as_deref().unwrap_or("<null>"));
        let at = source(frame, self.style.strip_path_prefix).unwrap_or_else(|| "<null>".into());
        write!(self.out, "    #{nth} {function} {at}")?;
        match &frame.module {
            Some(module) => {
                let module = printable(base_name(module));
                write!(self.out, " ({module}+{:#x})", frame.offset_in_module.0)?;
            }
            None => write!(self.out, " ({})", frame.pc)?,
        }
        let build = if same_code { String::new() } else { build_id(frame) };
        writeln!(self.out, "{build}")
    }
}

/// ` (mutexes: write M0, read M1)`.
fn held(access: &Access) -> String {
    if access.held.is_empty() {
        return String::new();
    }
    let mut out = String::from(" (mutexes: ");
    for (nth, held) in access.held.iter().enumerate() {
        let comma = if nth == 0 { "" } else { ", " };
        let hold = match held.hold {
            Hold::Write => "write",
            Hold::Read => "read",
        };
        out.push_str(&format!("{comma}{hold} {}", held.mutex));
    }
    out.push(')');
    out
}

/// `FILE:LINE:COL`, as far as known.
fn source(frame: &Frame, prefix: &str) -> Option<String> {
    let mut at = printable(strip_prefix(frame.file.as_deref()?, prefix)).into_owned();
    if let Some(line) = frame.line {
        at.push_str(&format!(":{line}"));
        if let Some(column) = frame.column {
            at.push_str(&format!(":{column}"));
        }
    }
    Some(at)
}

fn build_id(frame: &Frame) -> String {
    frame.build_id.as_deref().map(|id| format!(" (BuildId: {})", printable(id))).unwrap_or_default()
}

#[cfg(test)]
mod tests;
