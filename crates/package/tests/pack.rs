//! A small stand-in for the runtime, packaged and linked as the real one is.

use deadheat_package::{MARKER, Runtime, pack};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

struct Folder(TempDir);

impl Folder {
    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, program: &str, args: &[&str]) -> Output {
        Command::new(program).args(args).current_dir(self.0.path()).output().unwrap()
    }

    #[track_caller]
    fn must(&self, program: &str, args: &[&str]) -> String {
        let output = self.run(program, args);
        assert!(output.status.success(), "{program} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// The stand-in as a static library, compiled with those flags.
    fn library(flags: &[&str]) -> (Folder, PathBuf) {
        let folder = Folder(TempDir::new().unwrap());
        let source = source("stand_in.c");
        let compile =
            ["-c", "-O1", "-g", "-fPIC", "-fno-builtin", "-ffunction-sections", &source, "-o", "s.o"];
        folder.must("cc", &[&compile, flags].concat());
        folder.must("ar", &["rcs", "libs.a", "s.o"]);
        let library = folder.path("libs.a");
        (folder, library)
    }

    fn packed() -> (Folder, Runtime) {
        let (folder, library) = Folder::library(&[]);
        let runtime = pack(&library, &folder.path("work"), &folder.path("out")).unwrap();
        (folder, runtime)
    }
}

fn source(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name).display().to_string()
}

/// The C library's `strdup` calls the program's `malloc`; the runtime's own copies are not counted.
#[test]
fn a_program_with_the_archive() {
    let (folder, runtime) = Folder::packed();
    folder.must("cc", &["-c", "-fsanitize=thread", &source("program.c"), "-o", "p.o"]);
    let archive = runtime.archive.display().to_string();
    let exports = format!("-Wl,--dynamic-list={}", runtime.exports.display());
    let whole = ["-Wl,--whole-archive", &archive, "-Wl,--no-whole-archive", &exports];
    folder.must("cc", &[&whole[..], &["p.o", "-o", "p", "-ldl"]].concat());
    assert_eq!(folder.must("./p", &[]), "starts 1, writes yes, copies 1, allocations yes\n");
    let exported = folder.must("nm", &["-D", "--defined-only", "p"]);
    for name in [MARKER, "malloc", "__tsan_write8"] {
        assert!(exported.lines().any(|line| line.ends_with(&format!(" {name}"))), "{name}: {exported}");
    }
}

/// What gcc linked against its own library runs on ours.
#[test]
fn a_program_with_the_shared_library() {
    let (folder, runtime) = Folder::packed();
    let shared = runtime.shared.display().to_string();
    folder.must("cc", &["-c", "-fsanitize=thread", &source("program.c"), "-o", "p.o"]);
    let rpath = format!("-Wl,-rpath,{}", folder.path("out").display());
    folder.must("cc", &["p.o", &shared, &rpath, "-o", "p"]);
    assert!(folder.must("readelf", &["-d", "p"]).contains("[libtsan.so.2]"));
    assert_eq!(folder.must("./p", &[]), "starts 1, writes yes, copies 1, allocations yes\n");
}

#[test]
fn a_program_with_a_malloc_of_its_own() {
    let (folder, runtime) = Folder::packed();
    let own = "#include <stddef.h>\nstatic char block[1 << 20]; static size_t used;\n\
               void *malloc(size_t n) { used += (n + 15) & ~15ul; return block + used; }\n";
    std::fs::write(folder.path("own.c"), own).unwrap();
    let (archive, program) = (runtime.archive.display().to_string(), source("program.c"));
    folder.must("cc", &["-c", "-fsanitize=thread", &program, "-o", "p.o"]);
    let whole = ["-Wl,--whole-archive", &archive, "-Wl,--no-whole-archive"];
    folder.must("cc", &[&whole[..], &["p.o", "own.c", "-o", "p", "-ldl"]].concat());
    assert_eq!(folder.must("./p", &[]), "starts 1, writes yes, copies 1, allocations no\n");
}

/// Nothing but what programs may call can be seen from outside.
#[test]
fn the_rest_is_hidden() {
    let (folder, runtime) = Folder::packed();
    let archive = runtime.archive.display().to_string();
    let seen = folder.must("nm", &["-g", "--defined-only", &archive]);
    assert!(
        seen.contains(" memcpy\n") && !seen.contains("internal_helper") && !seen.contains("__interceptor_"),
        "{seen}"
    );
    assert!(!folder.must("readelf", &["-SW", &archive]).contains(".debug_"));
}

#[test]
fn what_the_c_library_lacks_is_named() {
    let (folder, library) = Folder::library(&["-Dprintf=nobody_has_this"]);
    let error = pack(&library, &folder.path("work"), &folder.path("out")).unwrap_err();
    assert_eq!(error, "the runtime needs what the C library does not have: nobody_has_this");
}

#[test]
fn a_runtime_that_would_call_itself_is_refused() {
    let (folder, library) = Folder::library(&["-D__interceptor_malloc=__interceptor_printf"]);
    let error = pack(&library, &folder.path("work"), &folder.path("out")).unwrap_err();
    assert_eq!(error, "the runtime calls what it intercepts, and so itself: printf; look the real ones up");
}

#[test]
fn a_library_without_the_interface_is_refused() {
    let folder = Folder(TempDir::new().unwrap());
    std::fs::write(folder.path("a.c"), "int a;\n").unwrap();
    folder.must("cc", &["-c", "a.c"]);
    folder.must("ar", &["rcs", "liba.a", "a.o"]);
    let error = pack(&folder.path("liba.a"), &folder.path("work"), &folder.path("out")).unwrap_err();
    assert!(error.ends_with("liba.a has nothing that a program could call"), "{error}");
}
