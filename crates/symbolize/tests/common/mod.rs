//! Builds the programs, runs them, and reads what they print.

use deadheat_symbolize::{Module, Symbolizer};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Where the sources are.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs")
}

/// A program built with some flags, in a folder of its own.
pub struct Build {
    folder: PathBuf,
    flags: Vec<String>,
    library: bool,
}

impl Build {
    pub fn new(flags: &[&str]) -> Build {
        // Tests run side by side in one process.
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let nth = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("real-{nth}"));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).unwrap();
        Build { folder, flags: flags.iter().map(|f| f.to_string()).collect(), library: false }
    }

    /// The C++ part in a shared object.
    pub fn with_library(mut self) -> Build {
        self.library = true;
        self
    }

    fn tool(&self, name: &str, args: &[&str]) {
        let output = Command::new(name).args(args).current_dir(&self.folder).output().unwrap();
        assert!(output.status.success(), "{name} {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn compile(&self, compiler: &str, source: &str, object: &str, more: &[&str]) {
        let source = sources().join(source);
        let mut args: Vec<&str> =
            self.flags.iter().map(String::as_str).filter(|f| !f.starts_with("-Wl")).collect();
        args.extend(more);
        args.extend(["-c", source.to_str().unwrap(), "-o", object]);
        self.tool(compiler, &args);
    }

    fn link(&self) {
        let mut flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        if self.library {
            self.compile("c++", "library.cpp", "library.o", &["-fPIC"]);
            self.tool("c++", &["-shared", "-Wl,-soname,library.so", "library.o", "-o", "library.so"]);
            self.compile("cc", "where.c", "where.o", &["-fPIC"]);
            flags.extend(["where.o", "./library.so", "-Wl,-rpath,$ORIGIN", "-rdynamic"]);
        } else {
            self.compile("c++", "library.cpp", "library.o", &[]);
            self.compile("cc", "where.c", "where.o", &[]);
            flags.extend(["where.o", "library.o"]);
        }
        flags.extend(["-o", "where"]);
        self.tool("c++", &flags);
    }

    /// The debug information moved to `where.debug`.
    pub fn separated(self, more: &[&str]) -> Built {
        self.link();
        self.tool("objcopy", &["--only-keep-debug", "where", "where.debug"]);
        let mut args = vec!["--strip-all"];
        args.extend(more);
        args.push("where");
        self.tool("objcopy", &args);
        Built(self.folder)
    }

    pub fn run(self) -> Run {
        self.link();
        Built(self.folder).run()
    }
}

/// A program ready to run.
pub struct Built(PathBuf);

/// What a program printed.
pub struct Run {
    pub folder: PathBuf,
    pub modules: Vec<Module>,
    pub returns: Vec<u64>,
    addresses: Vec<(String, u64)>,
}

impl Built {
    pub fn run(self) -> Run {
        let program = self.0.join("where");
        let output = Command::new(&program).output().unwrap();
        assert!(output.status.success());
        let mut run = Run { folder: self.0, modules: vec![], returns: vec![], addresses: vec![] };
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            let words: Vec<&str> = line.splitn(5, ' ').collect();
            let number = |nth: usize| u64::from_str_radix(words[nth], 16).unwrap();
            match words[0] {
                "module" => {
                    let path = if words[4].is_empty() { program.to_str().unwrap() } else { words[4] };
                    let (bias, start, end) = (number(1), number(2), number(3));
                    run.modules.push(Module { path: path.into(), bias, start, end, bytes: None });
                }
                "return" => run.returns.push(number(1)),
                name => run.addresses.push((name.into(), number(1))),
            }
        }
        run
    }
}

impl Run {
    pub fn symbolizer(&self) -> Symbolizer<impl Fn(&str) -> Option<&'static [u8]>> {
        let folder = self.folder.clone();
        let mut symbolizer = Symbolizer::new(move |path: &str| open(path, &folder));
        symbolizer.set_modules(self.modules.clone());
        symbolizer
    }

    pub fn address(&self, name: &str) -> u64 {
        self.addresses.iter().find(|(n, _)| n == name).unwrap().1
    }

    pub fn module_of(&self, addr: u64) -> &Module {
        self.modules.iter().find(|m| (m.start..m.end).contains(&addr)).unwrap()
    }
}

/// The line of the source with that mark in a comment.
pub fn line(file: &str, mark: &str) -> u32 {
    let text = std::fs::read_to_string(sources().join(file)).unwrap();
    let nth = text.lines().position(|line| line.ends_with(&format!("// {mark}"))).unwrap();
    nth as u32 + 1
}

/// Opens the programs and their debug files; the system's libraries do not matter here.
pub fn open(path: &str, folder: &Path) -> Option<&'static [u8]> {
    let path = folder.join(path);
    let ours = path.starts_with(folder);
    ours.then(|| std::fs::read(&path).ok()).flatten().map(|bytes| &*bytes.leak())
}
