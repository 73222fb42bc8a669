//! The machine-checked proofs: everything from clean, nothing assumed, and what each theorem rests on.
//!
//! The sources in `proofs/coq` are copied to the target folder and built there. What has been checked once is not checked again
//! until something in `proofs` changes: a stamp named by its contents says so.

mod civl;
pub mod comparisons;
mod differential;
pub mod mutants;

use crate::setup;
use crate::shell::{Step, cargo, has, root, target};
use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Axioms that a theorem may rest on. None so far.
const ALLOWED: &[&str] = &[];

/// Words that would let something through unproved. `Variable` and `Hypothesis` outside a section do too; `Print Assumptions` tells.
const FORBIDDEN: &[&str] = &[
    "Admitted",
    "admit",
    "give_up",
    "Axiom",
    "Axioms",
    "Parameter",
    "Parameters",
    "Conjecture",
    "Conjectures",
    "bypass_check",
    "Guard",
    "Positivity",
    "Universe",
    "native_compute",
];

/// Checks all proofs, and compares what is extracted from them with the Rust detectors; with `anew` even if nothing has changed. First of all, that the pages on
/// them are true: what these name is not all in `proofs`, so no stamp can tell.
pub fn run(anew: bool) -> Step {
    cargo(&["test", "--quiet", "--package", "xtask", "--test", "rules_table", "--test", "trust_page"])?;
    let build = target().join("proofs/coq");
    check(&build, anew)?;
    differential::run(&build, anew)
}

fn check(build: &Path, anew: bool) -> Step {
    let stamp = target().join("proofs").join(format!("checked-{:016x}", contents(&root().join("proofs"))?));
    if !anew
        && build.join("oracle.ml").exists()
        && let Ok(theorems) = fs::read_to_string(&stamp)
    {
        println!("{theorems}\nnothing in proofs has changed since they were checked");
        return Ok(());
    }
    install()?;
    copy_sources(build)?;
    forbid(build)?;
    say(build, "coq_makefile", &["-f", "_CoqProject", "-o", "build.mk"])?;
    said(build, "make", &["--silent", "-f", "build.mk", "-j", "2"])?;
    let theorems = assumptions(build)?;
    println!("{theorems}");
    // The kernel alone, on the compiled files: whatever tactics and plugins did, these are the terms that count.
    say(build, "coqchk", &["-silent", "-o", "-Q", ".", "Deadheat", "Deadheat.Assumptions"])?;
    mutants::coq(&root().join("proofs/coq"), build)?;
    civl::run()?;
    fs::write(&stamp, theorems).map_err(|e| cannot("write", &stamp, &e))
}

fn install() -> Step {
    let tools =
        [("coqc", "coq"), ("make", "make"), ("ocamlfind", "ocaml-findlib"), ("ocamlopt", "ocaml-nox")];
    let missing: Vec<&str> = tools
        .into_iter()
        .filter(|(program, _)| !has(program, &[if *program == "ocamlfind" { "list" } else { "--version" }]))
        .map(|(_, package)| package)
        .collect();
    setup::apt_install(&missing)
}

/// A folder of its own with the sources and nothing else.
fn copy_sources(build: &Path) -> Step {
    let _ = fs::remove_dir_all(build);
    copy_changed(build)
}

/// The same, but a file that is there already is left alone, and so is what has been built of it.
fn copy_changed(build: &Path) -> Step {
    fs::create_dir_all(build).map_err(|e| cannot("make", build, &e))?;
    for file in files(&root().join("proofs/coq"))?.into_iter().filter(|file| is_source(file)) {
        let copy = build.join(file.file_name().expect("a file has a name"));
        let text = fs::read(&file).map_err(|e| cannot("read", &file, &e))?;
        if fs::read(&copy).ok().as_ref() != Some(&text) {
            fs::write(&copy, text).map_err(|e| cannot("write", &copy, &e))?;
        }
    }
    Ok(())
}

fn is_source(file: &Path) -> bool {
    file.extension().is_some_and(|e| e == "v") || file.file_name().is_some_and(|name| name == "_CoqProject")
}

/// What else results depend on. What a `make` by hand has extracted is none of it.
fn is_other_source(file: &Path) -> bool {
    let kinds = ["ml", "bpl", "txt", "rs", "toml"];
    file.extension().is_some_and(|e| kinds.iter().any(|kind| e == *kind)) && !file.ends_with("coq/oracle.ml")
}

/// No word of [`FORBIDDEN`] outside comments; and every file is built.
fn forbid(build: &Path) -> Step {
    let project = fs::read_to_string(build.join("_CoqProject")).map_err(|e| cannot("read", build, &e))?;
    for file in files(build)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "v")) {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !project.lines().any(|line| line == name) {
            return Err(format!("{name} is not in _CoqProject: nothing checks it"));
        }
        let text = fs::read_to_string(&file).map_err(|e| cannot("read", &file, &e))?;
        for (number, line) in without_comments(&text).lines().enumerate() {
            let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '\'');
            if let Some(word) = words.find(|word| FORBIDDEN.contains(word)) {
                return Err(format!("{name}:{}: `{word}`: nothing here may be left unproved", number + 1));
            }
        }
    }
    Ok(())
}

/// The text with its comments, which nest, made blank.
fn without_comments(text: &str) -> String {
    let (mut out, mut depth, mut rest) = (String::new(), 0_u32, text);
    while let Some(c) = rest.chars().next() {
        let comment = depth > 0 || rest.starts_with("(*");
        let step = match &rest.get(..2) {
            Some("(*") => {
                depth += 1;
                2
            }
            Some("*)") => {
                depth = depth.saturating_sub(1);
                2
            }
            _ => c.len_utf8(),
        };
        let (now, later) = rest.split_at(step);
        out.extend(now.chars().map(|c| if comment && c != '\n' { ' ' } else { c }));
        rest = later;
    }
    out
}

/// Every theorem that `Assumptions.v` names, with what it rests on; an error if that is not in [`ALLOWED`].
fn assumptions(build: &Path) -> Result<String, String> {
    let file = "Assumptions.v";
    let text = fs::read_to_string(build.join(file)).map_err(|e| cannot("read", Path::new(file), &e))?;
    let asked: Vec<&str> = text
        .lines()
        .filter_map(|line| line.strip_prefix("Print Assumptions ").and_then(|rest| rest.strip_suffix('.')))
        .collect();
    let printed = said(build, "coqc", &["-Q", ".", "Deadheat", file])?;
    let answers = answers(&printed);
    if asked.len() != answers.len() || asked.is_empty() {
        return Err(format!(
            "{file} asks about {} theorems and Coq answers about {}",
            asked.len(),
            answers.len()
        ));
    }
    let mut out = String::from("theorem: what it rests on beyond Coq's logic\n");
    for (theorem, axioms) in asked.into_iter().zip(answers) {
        if let Some(axiom) = axioms.iter().find(|axiom| !ALLOWED.contains(&axiom.as_str())) {
            return Err(format!("{theorem} rests on {axiom}, which is not on the list of allowed axioms"));
        }
        let axioms = if axioms.is_empty() { "nothing".into() } else { axioms.join(", ") };
        out += &format!("  {theorem}: {axioms}\n");
    }
    Ok(out)
}

/// What Coq printed, theorem by theorem: the names of axioms.
fn answers(printed: &str) -> Vec<Vec<String>> {
    let mut answers: Vec<Vec<String>> = Vec::new();
    for line in printed.lines() {
        match line {
            "Closed under the global context" => answers.push(Vec::new()),
            "Axioms:" | "Section Variables:" => answers.push(Vec::new()),
            _ if line.starts_with(' ') || line.is_empty() => {}
            _ => {
                let name = line.split([' ', ':']).next().unwrap_or(line).to_owned();
                answers.last_mut().into_iter().for_each(|axioms| axioms.push(name.clone()));
            }
        }
    }
    answers
}

/// A hash of all sources below that folder.
fn contents(folder: &Path) -> Result<u64, String> {
    let mut hasher = DefaultHasher::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for file in files(&folder)? {
            if file.is_dir() {
                folders.push(file);
            } else if is_source(&file) || is_other_source(&file) {
                file.strip_prefix(root()).unwrap_or(&file).hash(&mut hasher);
                fs::read(&file).map_err(|e| cannot("read", &file, &e))?.hash(&mut hasher);
            }
        }
    }
    [include_str!("proofs.rs"), include_str!("proofs/civl.rs"), include_str!("proofs/mutants.rs")]
        .hash(&mut hasher);
    Ok(hasher.finish())
}

/// What is in that folder, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|e| cannot("read", folder, &e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    Ok(files)
}

/// Runs a program in that folder.
fn say(folder: &Path, program: &str, args: &[&str]) -> Step {
    said_to(Stdio::inherit(), folder, program, args).map(|_| ())
}

/// Runs a program in that folder and returns what it prints.
fn said(folder: &Path, program: &str, args: &[&str]) -> Result<String, String> {
    said_to(Stdio::piped(), folder, program, args)
}

/// As [`said`], however the program ends.
fn said_whatever(folder: &Path, program: &str, args: &[&str]) -> Result<String, String> {
    let ended = end_of(Stdio::piped(), folder, program, args)?;
    Ok(String::from_utf8_lossy(&ended.stdout).trim().to_owned())
}

fn said_to(out: Stdio, folder: &Path, program: &str, args: &[&str]) -> Result<String, String> {
    eprintln!("$ {program} {}", args.join(" "));
    let ended = end_of(out, folder, program, args)?;
    if !ended.status.success() {
        return Err(format!("`{program} {}` failed", args.join(" ")));
    }
    String::from_utf8(ended.stdout).map_err(|_| format!("`{program}` does not print text"))
}

fn end_of(out: Stdio, folder: &Path, program: &str, args: &[&str]) -> Result<Output, String> {
    let mut command = Command::new(program);
    let ended = command.args(args).current_dir(folder).stdout(out).stderr(Stdio::inherit()).output();
    ended.map_err(|e| format!("cannot run `{program} {}`: {e}", args.join(" ")))
}

fn cannot(do_it: &str, path: &Path, e: &io::Error) -> String {
    format!("cannot {do_it} {}: {e}", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_nest_and_keep_their_lines() {
        let text = "a (* b (* Admitted\n *) c *) d";
        assert_eq!(without_comments(text), "a                 \n         d");
    }

    #[test]
    fn axioms_are_told_theorem_by_theorem() {
        let printed =
            "Closed under the global context\nAxioms:\nlem : forall P : Prop,\n  P \\/ ~ P\next\n  : True\n";
        assert_eq!(answers(printed), [vec![], vec!["lem".to_owned(), "ext".to_owned()]]);
    }
}
