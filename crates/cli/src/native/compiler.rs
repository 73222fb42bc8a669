//! Which compiler to use, and what kind it is.

use crate::failure::Failure;
use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The languages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    C,
    Cxx,
}

/// Compilers differ in how they are told to leave their own runtime out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    Clang,
    Gcc,
}

/// A compiler: a program, and words that always go first (`ccache clang`).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Compiler {
    words: Vec<OsString>,
    /// Its kind.
    pub family: Family,
}

/// The clangs that are looked for by number, newest first.
const CLANGS: std::ops::RangeInclusive<u32> = 14..=22;

impl Compiler {
    /// The compiler that the user named: for C++ the C++ sibling of a C compiler's name.
    pub fn named(name: &OsStr, language: Language) -> Result<Compiler, Failure> {
        let mut words: Vec<OsString> = match name.to_str() {
            Some(text) if !Path::new(text).exists() => text.split_whitespace().map(OsString::from).collect(),
            _ => vec![name.to_owned()],
        };
        if let (Some(last), Language::Cxx) = (words.last_mut(), language)
            && let Some(sibling) = last.to_str().and_then(cxx_sibling)
        {
            *last = sibling.into();
        }
        match words.first() {
            Some(program) if find(program).is_some() => Ok(Compiler { family: family(&words), words }),
            _ => Err(Failure::new(format!("there is no compiler {}", name.display()))),
        }
    }

    /// The newest clang, or else gcc, or else whatever is called `cc`.
    pub fn find(language: Language) -> Result<Compiler, Failure> {
        let plus = if language == Language::Cxx { "++" } else { "" };
        let (gcc, cc) = if language == Language::Cxx { ("g++", "c++") } else { ("gcc", "cc") };
        let numbered = CLANGS.rev().find(|n| find(format!("clang{plus}-{n}")).is_some());
        let plain = format!("clang{plus}");
        let of_clang = |name: String| Compiler { words: vec![name.into()], family: Family::Clang };
        match (numbered, find(&plain)) {
            (Some(n), Some(_)) if version(&plain) < Some(n) => return Ok(of_clang(format!("{plain}-{n}"))),
            (Some(n), None) => return Ok(of_clang(format!("{plain}-{n}"))),
            (_, Some(_)) => return Ok(of_clang(plain)),
            (None, None) => {}
        }
        let found = [gcc, cc].into_iter().find(|name| find(name).is_some());
        let found = found.ok_or_else(|| Failure::new(missing(language)))?;
        Compiler::named(found.as_ref(), Language::C)
    }

    /// It, ready to be told more.
    pub fn command(&self) -> Command {
        let mut command = Command::new(&self.words[0]);
        command.args(&self.words[1..]);
        command
    }

    /// Its version, as far as packages are named after it.
    pub fn version(&self) -> Option<u32> {
        version_of(self.command())
    }

    /// What to call it.
    pub fn name(&self) -> String {
        let words: Vec<_> = self.words.iter().map(|w| w.to_string_lossy()).collect();
        words.join(" ")
    }
}

fn missing(language: Language) -> &'static str {
    match language {
        Language::C => {
            "no C compiler: install clang or gcc (Debian, Ubuntu: apt install clang), or name one with --compiler, CC or DEADHEAT_CC"
        }
        Language::Cxx => {
            "no C++ compiler: install clang or g++ (Debian, Ubuntu: apt install clang g++), or name one with --compiler, CXX or DEADHEAT_CXX"
        }
    }
}

/// `clang++-19` for `clang-19`, `/usr/bin/g++` for `/usr/bin/gcc`.
fn cxx_sibling(name: &str) -> Option<String> {
    let (folder, file) = name.rsplit_once('/').map_or(("", name), |(f, n)| (&name[..=f.len()], n));
    let (from, to) =
        [("clang", "clang++"), ("gcc", "g++"), ("cc", "c++")].into_iter().find(|(c, _)| file.contains(c))?;
    let already = ["++", "ccache", "distcc", "sccache"].iter().any(|part| file.contains(part));
    (!already).then(|| format!("{folder}{}", file.replacen(from, to, 1)))
}

/// By its name; if that says nothing, by what it says of itself.
fn family(words: &[OsString]) -> Family {
    for word in words.iter().rev().filter_map(|w| Path::new(w).file_name()?.to_str()) {
        if word.contains("clang") {
            return Family::Clang;
        }
        if word.contains("gcc") || word.contains("g++") {
            return Family::Gcc;
        }
    }
    let told = Command::new(&words[0]).args(&words[1..]).arg("--version").output();
    match told.is_ok_and(|o| String::from_utf8_lossy(&o.stdout).contains("clang")) {
        true => Family::Clang,
        false => Family::Gcc,
    }
}

fn version(program: &str) -> Option<u32> {
    version_of(Command::new(program))
}

fn version_of(mut compiler: Command) -> Option<u32> {
    let told = compiler.arg("-dumpversion").output().ok()?;
    String::from_utf8_lossy(&told.stdout).split('.').next()?.trim().parse().ok()
}

/// Where a program is, as the shell would find it.
pub fn find(program: impl AsRef<Path>) -> Option<PathBuf> {
    let program = program.as_ref();
    let runs = |p: &PathBuf| p.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    if program.components().count() > 1 {
        return Some(program.to_owned()).filter(runs);
    }
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(program)).find(runs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn siblings() {
        let pairs = [
            ("clang", "clang++"),
            ("clang-19", "clang++-19"),
            ("gcc", "g++"),
            ("gcc-12", "g++-12"),
            ("cc", "c++"),
        ];
        for (c, cxx) in pairs {
            assert_eq!(cxx_sibling(c).as_deref(), Some(cxx));
            assert_eq!(cxx_sibling(&format!("/opt/gcc/{c}")), Some(format!("/opt/gcc/{cxx}")));
            assert_eq!(cxx_sibling(cxx), None);
        }
        assert_eq!(cxx_sibling("x86_64-linux-gnu-gcc-12").as_deref(), Some("x86_64-linux-gnu-g++-12"));
        assert_eq!(cxx_sibling("icx"), None);
    }

    #[test]
    fn families_by_name() {
        let of = |words: &[&str]| family(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of(&["/usr/bin/clang++-19"]), Family::Clang);
        assert_eq!(of(&["ccache", "x86_64-linux-gnu-gcc-12"]), Family::Gcc);
    }
}
