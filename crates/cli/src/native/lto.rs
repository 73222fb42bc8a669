//! What `-flto` asks for, and whether the linker can do it.

use super::command_line::{Role, parts};
use super::compiler::Compiler;
use std::ffi::OsString;
use std::path::PathBuf;

/// What objects are, and when they become machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lto {
    /// Machine code, at once.
    None,
    /// Modules, each of which the linker makes machine code of, with some of what it knows of the others.
    Thin,
    /// Modules, which the linker joins.
    Full,
}

impl Lto {
    /// What the words say; the last one counts.
    pub fn asked(words: &[OsString]) -> Lto {
        match words.iter().rev().find(|word| is_about(word)).and_then(|word| word.to_str()) {
            None | Some("-fno-lto") => Lto::None,
            Some("-flto=thin") => Lto::Thin,
            Some(_) => Lto::Full,
        }
    }
}

/// Does the word say that the linker optimises, or that it does not?
pub fn is_about(word: &OsString) -> bool {
    word.to_str().is_some_and(|w| matches!(w, "-flto" | "-fno-lto") || w.starts_with("-flto="))
}

/// The words without those about it.
pub fn without(words: &[OsString]) -> Vec<OsString> {
    let others = parts(words).into_iter().filter(|(role, part)| *role != Role::Option || !is_about(&part[0]));
    others.flat_map(|(_, part)| part.to_vec()).collect()
}

/// The plugin that the linker would need to read modules, if it is not there. lld reads them by itself.
pub fn missing_plugin(compiler: &Compiler, words: &[OsString]) -> Option<PathBuf> {
    let mut question = compiler.command();
    let options = parts(words).into_iter().filter(|(role, part)| *role == Role::Option && part[0] != "-c");
    question.args(options.flat_map(|(_, part)| part)).args(["-###", "-x", "none", "/dev/null"]);
    let told = String::from_utf8(question.output().ok()?.stderr).ok()?;
    let (_, behind) = told.split_once("\"-plugin\" \"")?;
    let plugin = PathBuf::from(behind.split_once('"')?.0);
    (!plugin.exists()).then_some(plugin)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<OsString> {
        text.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn the_last_word_counts() {
        let cases = [
            ("-O2 a.c", Lto::None),
            ("-flto a.c", Lto::Full),
            ("-flto=full a.c", Lto::Full),
            ("-flto=auto a.c", Lto::Full),
            ("-flto -flto=thin a.c", Lto::Thin),
            ("-flto a.c -fno-lto", Lto::None),
            ("-flto-jobs=2 a.c", Lto::None),
        ];
        for (text, asked) in cases {
            assert_eq!(Lto::asked(&words(text)), asked, "{text}");
        }
        assert_eq!(without(&words("-O2 -flto=auto a.c -o -flto")), words("-O2 a.c -o -flto"));
    }
}
