//! What a compiler's command line asks for: gcc's and clang's, as far as it matters here.

use super::compiler::Language;
use super::response::expand;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// How far a command line goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// It has no input: a question such as `--version`.
    Nothing,
    /// It stops before linking.
    Objects,
    /// It links something that is no program: a shared library, an object made of objects, or what brings its own C library.
    Part,
    /// It links a program.
    Program,
    /// It links a program that loads nothing at run time.
    StaticProgram,
}

/// What a command line says.
#[derive(Debug, Default)]
pub struct CommandLine {
    /// Files to compile or link.
    pub inputs: Vec<OsString>,
    /// There is a `-g…`.
    pub debug: bool,
    /// There is a `-O…`.
    pub optimised: bool,
    /// There is a `-o`.
    pub output: Option<OsString>,
    /// The linker is told to insist on definitions.
    pub insists: bool,
    /// The language by `-x`.
    language: Option<OsString>,
    early: bool,
    part: bool,
    fixed: bool,
}

/// Options whose value is the next word.
const TAKES_A_WORD: [&str; 40] = [
    "-A",
    "-B",
    "-D",
    "-F",
    "-I",
    "-L",
    "-MF",
    "-MJ",
    "-MQ",
    "-MT",
    "-T",
    "-U",
    "-Xanalyzer",
    "-Xassembler",
    "-Xclang",
    "-Xlinker",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-b",
    "-dumpbase",
    "-dumpdir",
    "-e",
    "-gcc-toolchain",
    "-idirafter",
    "-imacros",
    "-imultilib",
    "-include",
    "-iprefix",
    "-iquote",
    "-isysroot",
    "-isystem",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-l",
    "-target",
    "-u",
    "-wrapper",
    "-z",
    "--param",
];

/// Options after which nothing is linked.
const EARLY: [&str; 8] = ["-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "--analyze"];

/// Options after which what is linked is no program of ours.
const PART: [&str; 6] = ["-shared", "-r", "-nostdlib", "-nodefaultlibs", "-nolibc", "-nostartfiles"];

impl CommandLine {
    /// Reads it, response files too.
    pub fn read(words: &[OsString]) -> CommandLine {
        let mut line = CommandLine::default();
        let expanded = expand(words);
        let mut rest = expanded.iter();
        while let Some(word) = rest.next() {
            let text = word.to_string_lossy();
            match &*text {
                "-" => line.inputs.push(word.clone()),
                "-o" => line.output = rest.next().cloned(),
                "-x" => line.language = rest.next().cloned(),
                // Of all that is passed on, only this matters.
                "-Xlinker" | "-z" => {
                    line.linker(&rest.next().map(|w| w.to_string_lossy()).unwrap_or_default())
                }
                option if TAKES_A_WORD.contains(&option) => drop(rest.next()),
                option if option.starts_with('-') => line.option(option),
                _ => line.inputs.push(word.clone()),
            }
        }
        line
    }

    fn option(&mut self, option: &str) {
        self.early |= EARLY.contains(&option);
        self.part |= PART.contains(&option);
        self.fixed |= matches!(option, "-static" | "-static-pie" | "--static");
        self.debug |= option.starts_with("-g") && !option.starts_with("-gcc-toolchain");
        self.optimised |= option.starts_with("-O");
        if let Some(file) = option.strip_prefix("-o") {
            self.output = Some(file.into());
        }
        if let Some(language) = option.strip_prefix("-x") {
            self.language = Some(language.into());
        }
        if let Some(told) = option.strip_prefix("-Wl,") {
            told.split(',').for_each(|word| self.linker(word));
        }
        if let Some(word) = option.strip_prefix("-z") {
            self.linker(word);
        }
    }

    fn linker(&mut self, word: &str) {
        self.insists |= matches!(word, "defs" | "--no-undefined" | "-no-undefined" | "-zdefs");
        self.part |= matches!(word, "-shared" | "--shared" | "-Bshareable");
    }

    /// How far it goes.
    pub fn goal(&self) -> Goal {
        match self {
            _ if self.inputs.is_empty() => Goal::Nothing,
            _ if self.early || self.only_headers() => Goal::Objects,
            _ if self.part => Goal::Part,
            _ if self.fixed => Goal::StaticProgram,
            _ => Goal::Program,
        }
    }

    /// Headers are compiled ahead, and not linked.
    fn only_headers(&self) -> bool {
        match self.language.as_deref().and_then(OsStr::to_str) {
            Some(language) => language.ends_with("-header"),
            None => self.inputs.iter().all(|file| kind(file) == Some(Kind::Header)),
        }
    }

    /// Is something compiled, or only assembled and linked?
    pub fn compiles(&self) -> bool {
        let is_source = |file: &OsString| !matches!(kind(file), Some(Kind::Linked | Kind::Assembly));
        self.inputs.iter().any(is_source)
    }

    /// C++ if one of the inputs is.
    pub fn language(&self) -> Language {
        let by_option = self.language.as_deref().is_some_and(|l| l.to_string_lossy().starts_with("c++"));
        let cxx = self.inputs.iter().any(|file| kind(file) == Some(Kind::Source(Language::Cxx)));
        if cxx || by_option { Language::Cxx } else { Language::C }
    }
}

/// What a part of a command line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Role {
    /// A file to compile or link.
    Input,
    /// `-o`, with its file.
    Output,
    /// `-x`, with its language.
    Language,
    /// What writes down which files were read: `-MD` and its like.
    Dependencies,
    /// Any other option, with its value.
    Option,
}

/// The parts of a command line, one after the other: a word, or an option with its value.
pub fn parts(words: &[OsString]) -> Vec<(Role, &[OsString])> {
    let (mut parts, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let text = words[at].to_string_lossy();
        let two = matches!(&*text, "-o" | "-x" | "-Xlinker" | "-z") || TAKES_A_WORD.contains(&&*text);
        let role = match &*text {
            "-" => Role::Input,
            t if !t.starts_with('-') => Role::Input,
            t if t.starts_with("-o") => Role::Output,
            t if t.starts_with("-x") => Role::Language,
            t if t.starts_with("-M") => Role::Dependencies,
            _ => Role::Option,
        };
        let end = (at + if two { 2 } else { 1 }).min(words.len());
        parts.push((role, &words[at..end]));
        at = end;
    }
    parts
}

/// What a file is by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// To be compiled.
    Source(Language),
    /// To be compiled ahead, if given as input.
    Header,
    /// To be assembled as it is.
    Assembly,
    /// To be linked: objects, archives, libraries.
    Linked,
}

/// What that file is by its name; `None` if that does not tell.
pub fn kind(file: &OsStr) -> Option<Kind> {
    let name = Path::new(file).file_name()?.to_str()?;
    Some(match name.rsplit_once('.')?.1 {
        "s" => Kind::Assembly,
        "c" | "i" | "S" | "sx" => Kind::Source(Language::C),
        "cc" | "cpp" | "cxx" | "c++" | "C" | "cp" | "CPP" | "ii" => Kind::Source(Language::Cxx),
        "h" | "hh" | "hpp" | "hxx" | "h++" | "H" | "hp" | "HPP" => Kind::Header,
        "o" | "a" | "so" | "lo" => Kind::Linked,
        // libz.so.1
        digits if digits.bytes().all(|b| b.is_ascii_digit()) && name.contains(".so.") => Kind::Linked,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(words: &str) -> CommandLine {
        CommandLine::read(&words.split_whitespace().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn goals() {
        for question in
            ["--version", "-v", "-print-prog-name=ld", "-dumpmachine", "-o x", "-lm", "-I inc -D X"]
        {
            assert_eq!(line(question).goal(), Goal::Nothing, "{question}");
        }
        for early in [
            "-c a.c",
            "a.c -S",
            "-E -",
            "-M a.c",
            "-x c -c -",
            "a.h",
            "-x c++-header inc",
            "-fsyntax-only a.c",
        ] {
            assert_eq!(line(early).goal(), Goal::Objects, "{early}");
        }
        for part in ["-shared a.o -o liba.so", "-r a.o b.o", "-nostdlib a.c", "a.o -Wl,-shared"] {
            assert_eq!(line(part).goal(), Goal::Part, "{part}");
        }
        for program in ["a.c", "-x c -", "a.o b.o -o p", "-o p a.c -lm -MD -MF a.d", "-v a.o", "-I -c a.c"] {
            assert_eq!(line(program).goal(), Goal::Program, "{program}");
        }
        assert_eq!(line("-static a.c").goal(), Goal::StaticProgram);
        assert_eq!(line("-static -c a.c").goal(), Goal::Objects);
    }

    #[test]
    fn what_is_said() {
        let about = line("-O2 -g0 -o p a.cc b.o -Wl,-z,defs");
        assert!(about.optimised && about.debug && about.insists && about.compiles());
        assert_eq!((about.output.as_deref(), about.language()), (Some(OsStr::new("p")), Language::Cxx));
        let about = line("a.o libz.so.1.2 -op -Xlinker --no-undefined");
        assert!(!about.compiles() && !about.debug && about.insists);
        assert_eq!(about.output.as_deref(), Some(OsStr::new("p")));
        assert!(!line("-c a.s").compiles() && line("-c a.S").compiles());
        assert_eq!(line("-x c++ -").language(), Language::Cxx);
        assert_eq!(line("-xc a.txt").language(), Language::C);
    }
}
