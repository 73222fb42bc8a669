//! A program in the small language, read from a file.

use crate::args::is_standard;
use crate::failure::{Failure, plain};
use anstream::{AutoStream, ColorChoice};
use deadheat_lang::ast::Program;
use deadheat_lang::code::Code;
use deadheat_lang::{Error, check, compile, parse};
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest program: far more than anybody writes, far less than memory.
const LARGEST: u64 = 64 << 20;

/// A program and its text.
pub struct Source {
    /// What it is called in messages.
    pub name: String,
    /// Where it is; standard input if there is no such path.
    pub path: PathBuf,
    /// The text.
    pub text: String,
}

impl Source {
    /// Reads the file, or standard input for `-`.
    pub fn read(path: &Path) -> Result<Source, Failure> {
        let name = if is_standard(path) { "standard input".into() } else { path.display().to_string() };
        let bytes = read(path).map_err(|e| Failure::at(&name, plain(&e)))?;
        if bytes.len() as u64 > LARGEST {
            return Err(Failure::at(&name, "is larger than 64 MiB"));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            Failure::at(&name, format!("is no text: byte {} is not UTF-8", e.utf8_error().valid_up_to()))
        })?;
        Ok(Source { name, path: path.to_owned(), text })
    }

    /// The tree, its names and types checked.
    pub fn checked(&self) -> Result<Program, Failure> {
        let program = parse(&self.text).map_err(|errors| self.refuse(&errors))?;
        check(&program).map(|_| ()).map_err(|errors| self.refuse(&errors))?;
        Ok(program)
    }

    /// The code.
    pub fn compiled(&self) -> Result<Arc<Code>, Failure> {
        let program = parse(&self.text).map_err(|errors| self.refuse(&errors))?;
        let types = check(&program).map_err(|errors| self.refuse(&errors))?;
        compile(&program, &types).map(Arc::new).map_err(|error| self.refuse(&[error]))
    }

    /// Shows the mistakes on standard error; what is left to say is how many.
    pub fn refuse(&self, errors: &[Error]) -> Failure {
        let colour = io::stderr().is_terminal() && AutoStream::choice(&io::stderr()) != ColorChoice::Never;
        let mut err = anstream::stderr().lock();
        for error in errors {
            let _ = writeln!(err, "{}", error.render(&self.name, &self.text, colour).trim_end());
        }
        Failure::at(
            &self.name,
            format!("{} found", deadheat_report::counted(errors.len() as u64, "mistake", "mistakes")),
        )
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    match is_standard(path) {
        true => io::stdin().lock().take(LARGEST + 1).read_to_end(&mut bytes)?,
        false => std::fs::File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}
