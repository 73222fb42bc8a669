//! Opening a trace: a file or standard input, with how far it has been read.

use crate::args::is_standard;
use crate::failure::{Failure, plain};
use crate::limit::MemoryLimit;
use crate::output::note;
use deadheat_trace::format::{self, Reader};
use deadheat_trace::{Batch, Position, Source, Symbols, TraceError};
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::rc::Rc;

/// An open trace and what it is called in messages.
pub struct Input {
    source: Reader<'static>,
    /// The file's name.
    pub name: String,
    /// Bytes of the file, if it is one that has an end.
    pub size: Option<u64>,
    raw: Rc<Raw>,
}

/// What is known about the bytes behind the trace.
#[derive(Default)]
struct Raw {
    /// How many have been read.
    read: Cell<u64>,
    /// Why no more can be. The formats' own words for it would be about the trace.
    failure: RefCell<Option<Failure>>,
}

impl Input {
    /// Opens that file, or standard input for `-`.
    pub fn open(path: &Path, limit: MemoryLimit) -> Result<Input, Failure> {
        let (name, size, from) = if is_standard(path) { standard_input() } else { file(path)? };
        let raw = Rc::new(Raw::default());
        let watched = Watched { name: name.clone(), from, limit, raw: raw.clone() };
        let source = format::open(watched).map_err(|e| failure(&raw, &name, &e))?;
        Ok(Input { source, name, size, raw })
    }

    /// Replaces the batch by the next events; `false` at the end.
    pub fn next_batch(&mut self, batch: &mut Batch) -> Result<bool, Failure> {
        self.source.next_batch(batch).map_err(|e| failure(&self.raw, &self.name, &e))
    }

    /// The names seen so far.
    pub fn symbols(&self) -> &Symbols {
        self.source.symbols()
    }

    /// Bytes of the file read so far.
    pub fn read(&self) -> u64 {
        self.raw.read.get()
    }

    /// `file:line`, or with the byte where there are no lines.
    pub fn place(&self, at: Position) -> String {
        place(&self.name, at)
    }
}

type Opened = (String, Option<u64>, Box<dyn Read>);

fn standard_input() -> Opened {
    if io::stdin().is_terminal() {
        note("note: reading the trace from the terminal; --help tells how to name a file");
    }
    ("standard input".into(), None, Box::new(io::stdin().lock()))
}

fn file(path: &Path) -> Result<Opened, Failure> {
    let name = path.display().to_string();
    let failed = |e: io::Error| Failure::at(&name, plain(&e));
    let file = File::open(path).map_err(failed)?;
    let about = file.metadata().map_err(failed)?;
    if about.is_dir() {
        return Err(Failure::at(name, "is a directory, not a trace"));
    }
    Ok((name, about.is_file().then_some(about.len()), Box::new(file)))
}

fn failure(raw: &Raw, name: &str, error: &TraceError) -> Failure {
    let own = raw.failure.borrow_mut().take();
    own.unwrap_or_else(|| Failure::at(place(name, error.at), &error.what))
}

fn place(name: &str, at: Position) -> String {
    match at {
        Position::Line(n) => format!("{name}:{n}"),
        Position::Byte(n) => format!("{name}, byte {n}"),
        Position::File => name.into(),
    }
}

/// Counts what is read, and stops reading when that has filled the memory: the names in a single batch may be a gigabyte.
struct Watched {
    name: String,
    from: Box<dyn Read>,
    limit: MemoryLimit,
    raw: Rc<Raw>,
}

impl Watched {
    fn refuse(&self, failure: Failure) -> io::Error {
        *self.raw.failure.borrow_mut() = Some(failure);
        io::Error::other("see the failure")
    }
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.limit.check().map_err(|failure| self.refuse(failure))?;
        match self.from.read(buffer) {
            Err(e) if e.kind() != io::ErrorKind::Interrupted => {
                Err(self.refuse(Failure::at(&self.name, format!("cannot read on: {}", plain(&e)))))
            }
            Ok(n) => {
                self.raw.read.set(self.raw.read.get() + n as u64);
                Ok(n)
            }
            interrupted => interrupted,
        }
    }
}
