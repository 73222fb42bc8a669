//! From the static library that cargo built to the three files that programs are linked and run with.

use crate::Error;
use crate::object_file::Names;
use crate::symbols::{self, Plan};
use crate::tools::{named, run, write};
use std::fs;
use std::path::{Path, PathBuf};

/// A symbol that says: this program carries Deadheat's runtime.
pub const MARKER: &str = "__deadheat_runtime";

/// The packaged runtime.
#[derive(Debug)]
pub struct Runtime {
    /// `libdeadheat.a`, to be linked whole into a program.
    pub archive: PathBuf,
    /// `libdeadheat.syms`, what a program with the archive in it has to export, for `--dynamic-list`: shared libraries that are
    /// loaded later call `malloc` too.
    pub exports: PathBuf,
    /// `libtsan.so.2`, in place of gcc's.
    pub shared: PathBuf,
}

/// Packages a static library into that folder; what is needed on the way stays in `work`.
pub fn pack(library: &Path, work: &Path, out: &Path) -> Result<Runtime, Error> {
    for folder in [work, out] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let merged = merge(library, work)?;
    let plan = symbols::plan(&Names::of_object(&merged)?)?;
    let object = rename(&merged, &plan, work)?;
    let runtime = Runtime {
        archive: out.join("libdeadheat.a"),
        exports: out.join("libdeadheat.syms"),
        shared: out.join("libtsan.so.2"),
    };
    // `ar` adds to an archive that is there.
    let _ = fs::remove_file(&runtime.archive);
    run("ar", [Path::new("rcsD"), &runtime.archive, &object])?;
    write(&runtime.exports, &dynamic_list(&plan))?;
    share(&object, work, &runtime.shared)?;
    Ok(runtime)
}

/// All code in one piece, so that the runtime can tell its own from the program's.
const ONE_TEXT: &str = "SECTIONS {
  .text : { __deadheat_text_start = .; *(.text .text.*) __deadheat_text_end = .; }
  .eh_frame : { KEEP(*(.eh_frame)) }
  .preinit_array : { KEEP(*(.preinit_array)) }
  .init_array : { KEEP(*(.init_array .init_array.*)) }
}
";

/// The parts of the library that programs can reach, as one object. What only Rust's own libraries would need stays out.
fn merge(library: &Path, work: &Path) -> Result<PathBuf, Error> {
    let names = Names::of_archive(library)?;
    let roots: Vec<String> = symbols::roots(&names).map(|name| format!("-u {name}\n")).collect();
    if roots.is_empty() {
        return Err(format!("{} has nothing that a program could call", library.display()));
    }
    let (list, merged) = (work.join("roots"), work.join("merged.o"));
    write(&list, &roots.concat())?;
    let [to, from] = [&merged, library].map(|p| p.display().to_string());
    let script = work.join("script");
    write(&script, ONE_TEXT)?;
    let options = [format!("@{}", list.display()), format!("--script={}", script.display())];
    run("ld", ["-r", "--gc-sections", &options[0], &options[1], "-o", &to, &from])?;
    Ok(merged)
}

/// Gives the symbols their final names, hides all others and drops what only a debugger reads.
fn rename(merged: &Path, plan: &Plan, work: &Path) -> Result<PathBuf, Error> {
    let file = |name: &str| work.join(name);
    let pairs = |list: &[(String, String)]| {
        list.iter().map(|(old, new)| format!("{old} {new}\n")).collect::<String>()
    };
    write(&file("own"), &pairs(&plan.own))?;
    write(&file("interceptors"), &pairs(&plan.interceptors))?;
    let exported: String = plan.exported.iter().map(|name| format!("{name}\n")).collect();
    write(&file("exported"), &format!("{exported}{MARKER}\n"))?;
    let with = |option: &str, name: &str| format!("--{option}={}", file(name).display());
    let paths = |from: &Path, to: &Path| [from, to].map(|p| p.display().to_string());

    // First our own calls; linking once more makes one symbol of the call and its target. Only then is `memcpy` free.
    let (called, linked, named) = (file("called.o"), file("linked.o"), file("deadheat.o"));
    let first = ["--strip-debug".into(), "--remove-section=.comment".into(), with("redefine-syms", "own")];
    run("objcopy", first.into_iter().chain(paths(merged, &called)))?;
    run("ld", ["-r", "-o"].map(String::from).into_iter().chain(paths(&linked, &called)))?;
    run("objcopy", [with("redefine-syms", "interceptors")].into_iter().chain(paths(&linked, &called)))?;
    // Weak: a program may have a `malloc` of its own, or answer `__tsan_default_options`.
    let last = [
        format!("--add-symbol={MARKER}=1,global"),
        with("keep-global-symbols", "exported"),
        with("weaken-symbols", "exported"),
    ];
    let discard = (!keeps_symbols()).then(|| "--discard-all".into());
    run("objcopy", last.into_iter().chain(discard).chain(paths(&called, &named)))?;
    Ok(named)
}

/// For profilers: functions keep their names, in programs too.
fn keeps_symbols() -> bool {
    std::env::var_os(crate::SYMBOLS).is_some()
}

fn dynamic_list(plan: &Plan) -> String {
    let names: String = plan.exported.iter().map(|name| format!("  {name};\n")).collect();
    format!("{{\n{names}  {MARKER};\n}};\n")
}

/// The shared library. Whatever it needs that the C library does not have is an error.
fn share(object: &Path, work: &Path, shared: &Path) -> Result<(), Error> {
    // Only programs have functions that run before all others.
    let late = work.join("shared.o");
    let [from, to] = [object, &late].map(|p| p.display().to_string());
    run("objcopy", ["--rename-section", ".preinit_array=.init_array", &from, &to])?;
    let output = shared.display().to_string();
    let flags = ["-shared", "-nodefaultlibs", "-Wl,-soname,libtsan.so.2", "-Wl,-z,now,-z,defs,-z,relro"];
    let libraries = ["-Wl,--as-needed", "-lc", "-lpthread", "-ldl"];
    run("cc", flags.iter().chain(&["-o", &output, &to]).chain(&libraries)).map_err(|message| {
        match named(&message, "undefined reference to").join(", ") {
            names if names.is_empty() => message,
            names => format!("the runtime needs what the C library does not have: {names}"),
        }
    })
}
