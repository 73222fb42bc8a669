//! A compiler's command line with instrumentation and with our runtime in place of the compiler's own.

use super::command_line::{CommandLine, Goal};
use super::compiler::{Compiler, Family};
use super::response::expand_one;
use super::runtime::Runtime;
use crate::failure::Failure;
use std::ffi::OsString;
use std::process::Command;

/// The compiler's command for these words.
pub fn command(
    compiler: &Compiler,
    line: &CommandLine,
    words: &[OsString],
    runtime: &Runtime,
) -> Result<Command, Failure> {
    let (goal, mut command) = (line.goal(), compiler.command());
    if goal == Goal::StaticProgram {
        return Err(Failure::new(
            "-static is not supported: a race detector has to stand between the program and the C library",
        ));
    }
    if goal == Goal::Nothing || (goal == Goal::Objects && !line.compiles()) {
        command.args(words);
        return Ok(command);
    }
    // Before the user's own, which may take it back for a file.
    match compiler.family {
        Family::Clang => command.arg("-fsanitize=thread"),
        Family::Gcc => command.arg(joined("-specs=", runtime.specs())),
    };
    if line.compiles() && !line.debug {
        command.arg("-g");
    }
    if goal == Goal::Program {
        // Passed through: after `-x c`, a file would be taken for C.
        link(&mut command, ["--whole-archive".into(), runtime.archive().into(), "--no-whole-archive".into()]);
        link(&mut command, [joined("--dynamic-list=", runtime.exports())]);
    }
    if compiler.family == Family::Clang && goal != Goal::Objects {
        command.arg("-fno-sanitize-link-runtime");
    }
    command.args(words_for(compiler.family, words));
    match goal {
        Goal::Program => finish_program(&mut command),
        // The program that loads the library has the functions that instrumented code calls.
        Goal::Part if line.insists => link(&mut command, ["-z".into(), "undefs".into()]),
        _ => {}
    }
    Ok(command)
}

fn joined(option: &str, value: impl Into<OsString>) -> OsString {
    let mut word = OsString::from(option);
    word.push(value.into());
    word
}

/// Words for the linker.
fn link<const N: usize>(command: &mut Command, words: [OsString; N]) {
    for word in words {
        command.arg("-Xlinker").arg(word);
    }
}

/// What compilers link for their own runtimes too. The first two are looked into at run time, by name.
fn finish_program(command: &mut Command) {
    link(command, ["--push-state".into(), "--no-as-needed".into()]);
    command.args(["-lpthread", "-ldl"]);
    link(command, ["--as-needed".into()]);
    command.args(["-lrt", "-lm"]);
    link(command, ["--pop-state".into()]);
}

/// gcc would link its runtime if it saw `-fsanitize=thread`; the specs say it to the part of gcc that compiles.
fn words_for(family: Family, words: &[OsString]) -> Vec<OsString> {
    if family == Family::Clang {
        return words.to_vec();
    }
    let without = |word: &OsString| -> Vec<OsString> {
        let meant = expand_one(word);
        match meant.iter().any(|w| without_thread(w) != Some(w.clone())) {
            true => meant.iter().filter_map(without_thread).collect(),
            false => vec![word.clone()],
        }
    };
    words.iter().flat_map(without).collect()
}

/// `-fsanitize=undefined` for `-fsanitize=thread,undefined`, nothing for `-fsanitize=thread`.
fn without_thread(word: &OsString) -> Option<OsString> {
    let Some(list) = word.to_str().and_then(|w| w.strip_prefix("-fsanitize=")) else {
        return Some(word.clone()).filter(|w| w != "-static-libtsan");
    };
    let others: Vec<&str> = list.split(',').filter(|name| *name != "thread").collect();
    (!others.is_empty()).then(|| format!("-fsanitize={}", others.join(",")).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gcc_does_not_see_the_sanitizer() {
        let words: Vec<OsString> =
            ["-fsanitize=thread", "-O2", "-fsanitize=thread,undefined", "-static-libtsan", "a.c"]
                .map(OsString::from)
                .into();
        assert_eq!(words_for(Family::Gcc, &words), ["-O2", "-fsanitize=undefined", "a.c"]);
        assert_eq!(words_for(Family::Clang, &words), words);
    }
}
