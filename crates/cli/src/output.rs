//! Where results go: standard output or a file, which is removed again if it could not be finished.

use crate::args::is_standard;
use crate::failure::Failure;
use deadheat_report::printable;
use std::cell::RefCell;
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A place to write to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// Standard output.
    Standard,
    /// That file.
    File(PathBuf),
}

impl Target {
    /// The file, or standard output for none and for `-`.
    pub fn new(path: Option<&Path>) -> Target {
        path.filter(|p| !is_standard(p)).map_or(Target::Standard, |p| Target::File(p.to_owned()))
    }

    /// What it is called in messages.
    pub fn name(&self) -> String {
        match self {
            Target::Standard => "standard output".into(),
            Target::File(path) => path.display().to_string(),
        }
    }

    /// Starts to write. `input` is what is being read meanwhile, which must not be overwritten.
    pub fn create(&self, input: Option<&Path>) -> Result<(Sink, Fate), Failure> {
        let (name, error) = (self.name(), Rc::default());
        let (to, unfinished): (Box<dyn Write>, _) = match self {
            Target::Standard => (Box::new(io::stdout()), None),
            Target::File(path) => {
                if input.is_some_and(|input| same_file(input, path)) {
                    return Err(Failure::at(name, "is also the input; write to another file"));
                }
                let file = File::create(path).map_err(|e| Failure::writing(&name, &e))?;
                // Not /dev/full and its like.
                let removable = file.metadata().is_ok_and(|about| about.is_file());
                (Box::new(file), removable.then(|| path.clone()))
            }
        };
        Ok((Sink { to, error: Rc::clone(&error) }, Fate { error, unfinished, name }))
    }
}

/// Something is written here; its [`Fate`] stays outside of the writers that it is handed to.
pub struct Sink {
    to: Box<dyn Write>,
    error: Rc<RefCell<Option<io::Error>>>,
}

impl Sink {
    fn remember<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.map_err(|e| {
            let kind = e.kind();
            *self.error.borrow_mut() = Some(e);
            kind.into()
        })
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes);
        self.remember(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        let flushed = self.to.flush();
        self.remember(flushed)
    }
}

/// How the writing went. A file that is not [finished](Self::finish) goes: it would pass for a whole one.
pub struct Fate {
    error: Rc<RefCell<Option<io::Error>>>,
    unfinished: Option<PathBuf>,
    name: String,
}

impl Fate {
    /// Why a writer failed: what the system says, or if it has nothing to say, the writer's own words.
    pub fn failure(&self, own: impl Display) -> Failure {
        match &*self.error.borrow() {
            Some(e) => Failure::writing(&self.name, e),
            None => Failure::at(&self.name, own),
        }
    }

    /// All is written.
    pub fn finish(mut self) {
        self.unfinished = None;
    }
}

impl Drop for Fate {
    fn drop(&mut self) {
        if let Some(path) = &self.unfinished {
            let _ = fs::remove_file(path);
        }
    }
}

fn same_file(input: &Path, output: &Path) -> bool {
    let input = if is_standard(input) { Path::new("/dev/stdin") } else { input };
    let real = |path: &Path| fs::canonicalize(path).ok().filter(|p| p.is_file());
    real(input).is_some_and(|input| real(output) == Some(input))
}

/// Prints to standard output, with colours where they are wanted.
pub fn print(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|e| Failure::writing("standard output", &e))
}

/// A remark on standard error, which nobody has to read.
pub fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", printable(text.into()));
}
