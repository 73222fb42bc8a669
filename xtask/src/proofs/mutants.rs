//! Mistakes that must not get through, as lists of lines to be replaced: `mutants.txt` beside the sources that they are made in.

use super::{cannot, end_of};
use crate::shell::{Step, root};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Makes each mistake of the folder's list; `passes` says whether the sources with it still pass, given the file and its new text.
pub fn each(folder: &Path, mut passes: impl FnMut(&str, &str) -> Result<bool, String>) -> Step {
    let list = folder.join("mutants.txt");
    let text = fs::read_to_string(&list).map_err(|e| cannot("read", &list, &e))?;
    let mutants = parse(&text);
    let wrong = |mutant: &Mutant<'_>| {
        let file = folder.join(mutant.file);
        mutant.apply(&fs::read_to_string(&file).map_err(|e| cannot("read", &file, &e))?)
    };
    // All of them first: a list that no longer fits is told before anything is built.
    let texts = mutants.iter().map(wrong).collect::<Result<Vec<String>, String>>()?;
    for (number, (mutant, text)) in mutants.iter().zip(&texts).enumerate() {
        if passes(mutant.file, text)? {
            return Err(format!("{} passes with a mistake: {}", mutant.file, mutant.what));
        }
        println!("found, {} of {}: {}: {}", number + 1, mutants.len(), mutant.file, mutant.what);
    }
    let place = folder.strip_prefix(root()).unwrap_or(folder);
    println!("{} mistakes in {} are found", mutants.len(), place.display());
    Ok(())
}

/// The same for the Coq sources, which have been built in that folder: with a mistake they no longer build.
pub fn coq(sources: &Path, build: &Path) -> Step {
    let wrong = build.with_file_name("mutant");
    let path = |path: &Path| path.display().to_string();
    each(sources, |file, text| {
        let _ = fs::remove_dir_all(&wrong);
        // With the times of the files: what does not depend on the mistake is not built again.
        end_of(Stdio::null(), build, "cp", &["--archive", &path(build), &path(&wrong)])?;
        fs::write(wrong.join(file), text).map_err(|e| cannot("write", &wrong, &e))?;
        let make = "make --silent --file=build.mk --jobs=2 2>&1";
        Ok(end_of(Stdio::null(), &wrong, "sh", &["-c", make])?.status.success())
    })
}

/// A mistake: these lines instead of those.
pub struct Mutant<'a> {
    pub file: &'a str,
    pub what: &'a str,
    pub old: String,
    pub new: String,
}

impl Mutant<'_> {
    fn apply(&self, text: &str) -> Result<String, String> {
        if !text.contains(&self.old) {
            return Err(format!("mutants.txt: {} does not have the lines of: {}", self.file, self.what));
        }
        Ok(text.replacen(&self.old, &self.new, 1))
    }
}

/// The mistakes of a list.
pub fn parse(text: &str) -> Vec<Mutant<'_>> {
    let mut mutants: Vec<Mutant<'_>> = Vec::new();
    for line in text.lines() {
        if let Some((file, what)) = line.strip_prefix("@ ").and_then(|head| head.split_once(": ")) {
            mutants.push(Mutant { file, what, old: String::new(), new: String::new() });
        } else if let (Some(mutant), Some(sign)) = (mutants.last_mut(), line.chars().next()) {
            let lines = if sign == '-' { &mut mutant.old } else { &mut mutant.new };
            lines.push_str(&line[1..]);
            lines.push('\n');
        }
    }
    mutants
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fit_the_sources() {
        for list in ["crates/elide/mutants.txt"] {
            let file = root().join(list);
            let text = fs::read_to_string(&file).expect("a list");
            for mutant in parse(&text) {
                let source = fs::read_to_string(file.with_file_name(mutant.file)).expect("a source");
                assert_ne!(mutant.apply(&source), Ok(source.clone()), "{}", mutant.what);
                mutant.apply(&source).expect("the lines are there");
            }
        }
    }

    #[test]
    fn mutants_replace_whole_lines() {
        let mutants = parse("About.\n\n@ a.bpl: wrong: very\n-x\n-y\n+z\n@ b.bpl: gone\n-x\n");
        let heads: Vec<_> = mutants.iter().map(|m| (m.file, m.what)).collect();
        assert_eq!(heads, [("a.bpl", "wrong: very"), ("b.bpl", "gone")]);
        assert_eq!(mutants[0].apply("w\nx\ny\nx\n").as_deref(), Ok("w\nz\nx\n"));
        assert_eq!(mutants[1].apply("x\n").as_deref(), Ok(""));
        assert!(mutants[0].apply("x\nz\n").is_err());
    }
}
