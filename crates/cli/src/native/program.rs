//! What is known about a built program from its file: whether it is instrumented, and whose runtime it has.

use crate::failure::{Failure, plain};
use object::elf::DT_NEEDED;
use object::read::elf::ElfFile64;
use object::{Endianness, Object, ObjectSymbol};
use std::path::Path;

/// A program, as far as a race detector is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Program {
    /// It carries our runtime.
    Ours,
    /// It loads a runtime, which may be ours.
    Loads,
    /// It carries another runtime.
    Foreign,
    /// It is not instrumented.
    Plain,
    /// Not a program of this machine: perhaps a script that starts one.
    Script,
}

/// A symbol of every runtime behind `-fsanitize=thread`.
const ANY_RUNTIME: &[u8] = b"__tsan_init";

/// A symbol of ours.
const OUR_RUNTIME: &[u8] = b"__deadheat_runtime";

impl Program {
    /// Looks into the file.
    pub fn inspect(path: &Path) -> Result<Program, Failure> {
        let bytes = std::fs::read(path).map_err(|e| Failure::at(path.display(), plain(&e)))?;
        Ok(ElfFile64::<Endianness, _>::parse(&*bytes).map_or(Program::Script, |elf| Program::of(&elf)))
    }

    fn of(elf: &ElfFile64<'_, Endianness>) -> Program {
        // A stripped program has only the symbols that the loader needs; those of our runtime are among them.
        let has = |name: &[u8]| {
            let named = |s: &object::read::elf::ElfSymbol64<'_, '_, Endianness>| {
                !s.is_undefined() && s.name_bytes() == Ok(name)
            };
            elf.dynamic_symbols().any(|s| named(&s)) || elf.symbols().any(|s| named(&s))
        };
        match () {
            () if has(OUR_RUNTIME) => Program::Ours,
            () if loads_runtime(elf) => Program::Loads,
            () if has(ANY_RUNTIME) => Program::Foreign,
            () => Program::Plain,
        }
    }

    /// Should the loader find our shared library?
    pub fn may_load_ours(self) -> bool {
        matches!(self, Program::Loads | Program::Script)
    }

    /// Can we watch it? If not, what to do.
    pub fn check(self, path: &Path) -> Result<Program, Failure> {
        let what = match self {
            Program::Ours | Program::Loads | Program::Script => return Ok(self),
            Program::Foreign => {
                "carries the compiler's own race detector; link it again with deadheat cc or deadheat c++"
            }
            Program::Plain => {
                "is not instrumented; build it with deadheat cc or deadheat c++, or with -fsanitize=thread and gcc"
            }
        };
        Err(Failure::at(path.display(), what))
    }
}

/// gcc's runtime, or clang's with `-shared-libsan`.
fn loads_runtime(elf: &ElfFile64<'_, Endianness>) -> bool {
    let Ok(table) = elf.elf_dynamic_table() else { return false };
    let needed = table.iter().filter(|entry| entry.tag == DT_NEEDED);
    let mut names = needed.filter_map(|entry| table.string(entry).ok());
    names.any(|name| name.starts_with(b"libtsan.so.") || name.starts_with(b"libclang_rt.tsan"))
}
