//! Which names an object file or a static library defines and which it needs.

use crate::Error;
use object::read::archive::ArchiveFile;
use object::{File, Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::path::Path;

/// Names that are seen from outside.
#[derive(Default, Debug)]
pub struct Names {
    /// What it has.
    pub defined: BTreeSet<String>,
    /// What it needs from elsewhere, unless nobody has it.
    pub needed: BTreeSet<String>,
}

impl Names {
    /// The names of an object file.
    pub fn of_object(path: &Path) -> Result<Names, Error> {
        let mut names = Names::default();
        names.add(&read(path)?).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok(names)
    }

    /// The names of all members of a static library that are object files.
    pub fn of_archive(path: &Path) -> Result<Names, Error> {
        let (bytes, mut names) = (read(path)?, Names::default());
        let damaged = |e: object::Error| format!("{}: {e}", path.display());
        for member in ArchiveFile::parse(&*bytes).map_err(damaged)?.members() {
            let member = member.map_err(damaged)?.data(&*bytes).map_err(damaged)?;
            // Rust's own description of the crate is a member too, and no object file.
            let _ = names.add(member);
        }
        Ok(names)
    }

    fn add(&mut self, bytes: &[u8]) -> object::Result<()> {
        for symbol in File::parse(bytes)?.symbols().filter(|s| s.is_global()) {
            let Ok(name) = symbol.name() else { continue };
            match symbol.is_undefined() {
                true if symbol.is_weak() || name.is_empty() => false,
                true => self.needed.insert(name.into()),
                false => self.defined.insert(name.into()),
            };
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}
