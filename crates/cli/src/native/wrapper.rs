//! `deadheat cc` and `deadheat c++`: compilers that instrument.

use super::build;
use super::child::Child;
use super::command_line::CommandLine;
use super::compiler::{Compiler, Language};
use super::elide;
use super::runtime::Runtime;
use crate::failure::{Failure, plain};
use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::ExitCode;

/// The words after `deadheat cc` or `deadheat c++`, if that is what was typed. They are the compiler's, whatever they look like;
/// only a lone `--help` is a question about the wrapper.
pub fn words() -> Option<(Language, Vec<OsString>)> {
    let mut typed = env::args_os().skip(1);
    let language = match typed.next()?.to_str()? {
        "cc" => Language::C,
        "c++" => Language::Cxx,
        _ => return None,
    };
    let words: Vec<OsString> = typed.collect();
    (words != ["--help"]).then_some((language, words))
}

/// Runs the compiler, and is it from then on.
pub fn run(language: Language, words: &[OsString]) -> Result<ExitCode, Failure> {
    let chosen = if language == Language::C { "DEADHEAT_CC" } else { "DEADHEAT_CXX" };
    let compiler = match env::var_os(chosen).filter(|name| !name.is_empty()) {
        Some(name) => Compiler::named(&name, Language::C)?,
        None => Compiler::find(language)?,
    };
    let (options, words) = elide::Options::take(words)?;
    let runtime = Runtime::unpack()?;
    if let Some(status) = elide::compile(&compiler, &words, &runtime, options)? {
        return Ok(status);
    }
    let mut command = build::command(&compiler, &CommandLine::read(&words), &words, &runtime)?;
    if runtime.is_passing() {
        return Ok(Child::start(command)?.wait()?.code());
    }
    Err(Failure::new(format!("cannot run {}: {}", compiler.name(), plain(&command.exec()))))
}
