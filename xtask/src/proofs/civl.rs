//! The CIVL programs in `proofs/civl`, by Boogie: they verify, and with any of the mistakes in `mutants.txt` they do not.

use super::{cannot, files, mutants, said_whatever};
use crate::setup;
use crate::shell::{Step, has, root, target};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Debian's solver does not know an option that Boogie 2.4.1 sets.
const SOLVER: &str = "#!/bin/sh\nsed -u /model_compress/d | z3 \"$@\"\n";

/// Checks the programs and the mistakes.
pub fn run() -> Step {
    let missing: Vec<&str> = [("boogie", "-version"), ("z3", "--version")]
        .into_iter()
        .filter(|(program, ask)| !has(program, &[ask]))
        .map(|(program, _)| program)
        .collect();
    setup::apt_install(&missing)?;
    let folder = target().join("proofs/civl");
    fs::create_dir_all(&folder).map_err(|e| cannot("make", &folder, &e))?;
    let boogie = Boogie::new(&folder)?;
    let sources = root().join("proofs/civl");
    for file in files(&sources)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "bpl")) {
        let text = fs::read_to_string(&file).map_err(|e| cannot("read", &file, &e))?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let said = boogie.verify(&name, &text)?;
        if !verified(&said) {
            return Err(format!("{name} does not verify:\n{said}"));
        }
        println!("{name}: {}", said.lines().last().unwrap_or_default());
    }
    mutants::each(&sources, |_, wrong| Ok(verified(&boogie.verify("mutant.bpl", wrong)?)))
}

fn verified(said: &str) -> bool {
    said.lines().last().is_some_and(|line| line.contains("verified, 0 errors") && !line.contains("time out"))
}

struct Boogie {
    folder: PathBuf,
    solver: String,
}

impl Boogie {
    fn new(folder: &Path) -> Result<Boogie, String> {
        let solver = folder.join("z3");
        fs::write(&solver, SOLVER).map_err(|e| cannot("write", &solver, &e))?;
        let runs = fs::Permissions::from_mode(0o755);
        fs::set_permissions(&solver, runs).map_err(|e| cannot("change", &solver, &e))?;
        Ok(Boogie { folder: folder.to_owned(), solver: format!("-z3exe:{}", solver.display()) })
    }

    /// What Boogie says of that program.
    fn verify(&self, name: &str, text: &str) -> Result<String, String> {
        let file = self.folder.join(name);
        fs::write(&file, text).map_err(|e| cannot("write", &file, &e))?;
        let options = ["-nologo", "-noinfer", "-useArrayTheory", "-typeEncoding:m", "-timeLimit:120"];
        let solver = ["-p:O:smt.arith.solver=2", &self.solver, name];
        said_whatever(&self.folder, "boogie", &[&options[..], &solver].concat())
    }
}
