//! What the runtime costs a program, read off one that was really linked: an access of the current epoch takes at most ten instructions, and the file grows by a few megabytes.

use std::path::Path;
use std::process::Command;

const MOST: usize = 10;

#[test]
fn same_epoch_accesses_take_at_most_ten_instructions() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let program = build(folder.path());
    for size in [1, 2, 4, 8] {
        for access in ["read", "write"] {
            let name = format!("__tsan_{access}{size}");
            let count = until_return(&disassemble(&program, &name));
            assert!((1..=MOST).contains(&count), "{name} takes {count} instructions");
        }
    }
}

/// The runtime has tables for all threads and all memory; none of them may be in the file.
#[test]
fn a_program_grows_by_a_few_megabytes() {
    const MOST_BYTES: u64 = 4 << 20;
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bytes = build(folder.path()).metadata().expect("a program").len();
    assert!(bytes <= MOST_BYTES, "{bytes} bytes");
}

fn build(folder: &Path) -> std::path::PathBuf {
    let (source, program) = (folder.join("a.c"), folder.join("a"));
    std::fs::write(&source, "int x; int main(void) { return x; }\n").expect("a source file");
    let deadheat =
        Command::new(env!("CARGO_BIN_EXE_deadheat")).arg("cc").arg(&source).arg("-o").arg(&program).output();
    let deadheat = deadheat.expect("deadheat runs");
    assert!(deadheat.status.success(), "{}", String::from_utf8_lossy(&deadheat.stderr));
    program
}

fn disassemble(program: &Path, function: &str) -> Vec<String> {
    let objdump = Command::new("objdump")
        .args(["-d", "--no-show-raw-insn", &format!("--disassemble={function}")])
        .arg(program)
        .output()
        .expect("objdump, which comes with the linker");
    let text = String::from_utf8_lossy(&objdump.stdout).into_owned();
    let instruction = |line: &str| Some(line.split_once(":\t")?.1.trim().to_owned());
    text.lines().filter_map(instruction).collect()
}

/// How many instructions run if no branch is taken, the return included; none if there is no return.
fn until_return(instructions: &[String]) -> usize {
    instructions.iter().position(|i| i.starts_with("ret")).map_or(0, |at| at + 1)
}
