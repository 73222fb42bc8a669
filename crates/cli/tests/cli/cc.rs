//! `cc` and `c++` in the place of a compiler.

use crate::harness::{Folder, Ran, pipe, run};
use crate::programs::{RACY, RACY_CXX, WARNING, compilers, cxx, must};

/// A folder, and the wrapper around one compiler.
struct Wrapped(Folder, String);

impl Wrapped {
    fn each() -> impl Iterator<Item = Wrapped> {
        compilers().into_iter().map(|compiler| {
            let folder = Folder::with("main.c", "int f(void);\nint main(void) { return f(); }\n");
            folder.write("f.c", "int shared;\nint f(void) { return shared++; }\n");
            Wrapped(folder, compiler)
        })
    }

    fn command(&self, args: &str) -> std::process::Command {
        let mut command = self.0.command(args);
        command.env("DEADHEAT_CC", &self.1).env("DEADHEAT_CXX", cxx(&self.1));
        command
    }

    #[track_caller]
    fn ok(&self, args: &str) -> Ran {
        let ran = run(self.command(args)).status(0);
        assert_eq!(ran.stderr, "", "{} {args}", self.1);
        ran
    }

    #[track_caller]
    fn runs(&self, program: &str) {
        must(&self.0, program);
        let exported = must(&self.0, &format!("nm -D --defined-only {program}"));
        assert!(exported.contains("__deadheat_runtime"), "{} {program}", self.1);
        assert!(!must(&self.0, &format!("readelf -d {program}")).contains("libtsan"), "{} {program}", self.1);
    }

    fn is_instrumented(&self, file: &str) -> bool {
        must(&self.0, &format!("nm {file}")).contains("__tsan_")
    }
}

#[test]
fn in_one_go() {
    for wrapped in Wrapped::each() {
        wrapped.ok("cc -Wall -Wextra -Werror -O2 main.c f.c -o p");
        wrapped.runs("./p");
        wrapped.ok("cc main.c f.c");
        wrapped.runs("./a.out");
    }
}

#[test]
fn compiled_first_and_linked_then() {
    for wrapped in Wrapped::each() {
        wrapped.ok("cc -Werror -c main.c");
        wrapped.ok("cc -Werror -O2 -MD -MF f.d -c f.c -o f.o");
        assert!(wrapped.is_instrumented("f.o") && wrapped.0.has("f.d"));
        assert!(must(&wrapped.0, "readelf -S f.o").contains(".debug_line"), "-g is added");
        wrapped.ok("cc -Werror main.o f.o -o p -lm");
        wrapped.runs("./p");
        must(&wrapped.0, "ar rcs libf.a f.o");
        wrapped.ok("cc main.o -L. -lf -o q");
        wrapped.runs("./q");
        wrapped.ok("cc -g0 -c f.c -o g.o");
        assert!(!must(&wrapped.0, "readelf -S g.o").contains(".debug_line"), "-g0 stays");
    }
}

/// Only the program brings the runtime; its libraries find it there, even if they insist on definitions.
#[test]
fn shared_libraries() {
    for wrapped in Wrapped::each() {
        for insist in ["", "-Wl,-z,defs", "-Wl,--no-undefined", "-Xlinker --no-undefined"] {
            wrapped.ok(&format!("cc -shared -fPIC {insist} f.c -o libf.so"));
            assert!(wrapped.is_instrumented("libf.so"));
            assert!(!must(&wrapped.0, "nm libf.so").contains("__deadheat_runtime"));
        }
        wrapped.ok("cc main.c -L. -lf -Wl,-rpath,. -o p");
        wrapped.runs("./p");
        wrapped.ok("cc -r main.c f.c -o both.o");
        wrapped.ok("cc both.o -o q");
        wrapped.runs("./q");
    }
}

#[test]
fn questions_are_answered_by_the_compiler() {
    for wrapped in Wrapped::each() {
        let own = |line: &str| must(&wrapped.0, &format!("{} {line}", wrapped.1));
        for question in
            ["--version", "-dumpmachine", "-dumpversion", "-print-prog-name=ld", "-print-search-dirs"]
        {
            assert_eq!(
                wrapped.ok(&format!("cc {question}")).stdout,
                own(question),
                "{} {question}",
                wrapped.1
            );
        }
        let told = run(wrapped.command("cc -v")).status(0).stderr;
        assert!(told.contains(" version ") && !told.contains("deadheat"), "{told}");
        let none = run(wrapped.command("cc"));
        assert!(none.status == Some(1) && none.stderr.contains("no input files"), "{none:?}");
    }
}

#[test]
fn stages_before_linking() {
    for wrapped in Wrapped::each() {
        assert!(wrapped.ok("cc -E f.c").stdout.contains("int shared;"));
        assert!(wrapped.ok("cc -S f.c -o -").stdout.contains("__tsan_func_entry"));
        assert!(wrapped.ok("cc -M f.c").stdout.starts_with("f.o: f.c"));
        wrapped.ok("cc -fsyntax-only f.c");
        wrapped.0.write("g.s", ".globl g\ng: ret\n.section .note.GNU-stack\n");
        wrapped.ok("cc -Werror -c g.s");
        wrapped.0.write("f.h", "int f(void);\n");
        wrapped.ok("cc f.h");
    }
}

/// Code that asks whether it is watched is told so.
#[test]
fn code_can_see_the_sanitizer() {
    let asks = "#if defined(__SANITIZE_THREAD__)\nyes\n#elif defined(__has_feature)\n#if __has_feature(thread_sanitizer)\nyes\n#endif\n#endif\n";
    for wrapped in Wrapped::each() {
        let ran = pipe(wrapped.command("cc -E -P -"), asks.as_bytes()).status(0);
        assert_eq!(ran.stdout.trim(), "yes", "{}", wrapped.1);
    }
}

#[test]
fn sources_on_standard_input() {
    for wrapped in Wrapped::each() {
        pipe(wrapped.command("cc -x c - -o p"), &b"int main(void) { return 0; }\n"[..]).status(0);
        wrapped.runs("./p");
    }
}

#[test]
fn response_files() {
    for wrapped in Wrapped::each() {
        wrapped.0.write("words", "-O1 'main.c'\n-o \"p\" -fsanitize=thread @more");
        wrapped.0.write("more", "f.c");
        wrapped.ok("cc @words");
        wrapped.runs("./p");
        wrapped.0.write("words", "-c f.c -o from_file.o");
        wrapped.ok("cc @words");
        assert!(wrapped.is_instrumented("from_file.o"));
    }
}

/// Projects with a switch for it set `-fsanitize=thread` themselves; some files take it back.
#[test]
fn flags_about_the_sanitizer() {
    for wrapped in Wrapped::each() {
        wrapped.ok("cc -fsanitize=thread main.c f.c -o p");
        wrapped.runs("./p");
        wrapped.ok("cc -fno-sanitize=thread -c f.c");
        assert!(!wrapped.is_instrumented("f.o"));
        let ran = run(wrapped.command("cc -static main.c f.c -o s"));
        ran.fails(
            "-static is not supported: a race detector has to stand between the program and the C library",
        );
    }
}

#[test]
fn link_time_optimisation_and_fixed_addresses() {
    for wrapped in Wrapped::each() {
        wrapped.ok("cc -no-pie main.c f.c -o fixed");
        wrapped.runs("./fixed");
        // clang needs a plugin of the linker for it, which need not be there.
        if wrapped.1 == "gcc" {
            wrapped.ok("cc -O2 -flto main.c f.c -o lto");
            wrapped.runs("./lto");
            assert!(must(&wrapped.0, "objdump -d lto").contains("<__tsan_func_entry>"));
        }
    }
}

#[test]
fn mistakes_end_as_the_compiler_ends() {
    for wrapped in Wrapped::each() {
        wrapped.0.write("bad.c", "int main(void) { return x; }\n");
        let ran = run(wrapped.command("cc -c bad.c")).status(1);
        assert!(ran.stderr.contains("bad.c:1:25") && !ran.stderr.contains("deadheat"), "{ran:?}");
        run(wrapped.command("cc main.c")).status(1);
    }
}

#[test]
fn the_wrapper_has_a_help() {
    for name in ["cc", "c++"] {
        let help = Folder::new().run(&format!("{name} --help")).status(0).stdout;
        assert!(help.contains(&format!("Usage: deadheat {name}")) && help.contains("DEADHEAT_CXX"), "{help}");
    }
}

/// What comes out of it finds races.
#[test]
fn the_programs_are_watched() {
    for wrapped in Wrapped::each() {
        wrapped.0.write("racy.c", RACY);
        wrapped.0.write("racy.cc", RACY_CXX);
        for line in ["cc racy.c -o p", "c++ racy.cc -o p", "c++ -O2 -std=c++17 racy.cc -o p"] {
            wrapped.ok(line);
            let mut command = std::process::Command::new(wrapped.0.path("p"));
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(66), "{} {line}", wrapped.1);
            assert!(String::from_utf8_lossy(&output.stderr).contains(WARNING), "{} {line}", wrapped.1);
        }
    }
}
