//! `run` with sources: compiled, linked with the runtime, run, and nothing left behind.

use crate::harness::{Folder, run};
use crate::programs::{RACY, RACY_CXX, WARNING, compilers, locked, locked_cxx};

#[test]
fn a_race_is_reported() {
    let folder = Folder::with("a.c", RACY);
    for compiler in compilers() {
        for level in ["-O0", "-O2"] {
            let ran = folder.run(&format!("run --compiler {compiler} a.c {level}")).status(66);
            assert!(ran.stderr.contains(WARNING), "{compiler} {level}: {ran:?}");
            assert_eq!(ran.stdout, "counted everything\n", "{compiler} {level}");
        }
    }
}

#[test]
fn without_a_race_nothing_is_said() {
    let folder = Folder::with("a.c", locked());
    for compiler in compilers() {
        let ran = folder.run(&format!("run --compiler {compiler} a.c")).status(0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("counted everything\n", ""), "{compiler}");
    }
}

#[test]
fn the_same_in_cxx() {
    let folder = Folder::with("racy.cc", RACY_CXX);
    folder.write("locked.cpp", locked_cxx());
    for compiler in compilers() {
        let ran = folder.run(&format!("run --compiler {compiler} racy.cc")).status(66);
        assert!(ran.stderr.contains(WARNING) && ran.stdout == "added\n", "{compiler}: {ran:?}");
        let ran = folder.run(&format!("run --compiler {compiler} locked.cpp -O2")).status(0);
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("added\n", ""), "{compiler}");
    }
}

#[test]
fn the_best_compiler_is_found() {
    let ran = Folder::with("a.c", RACY).run("run a.c").status(66);
    assert!(ran.stderr.contains(WARNING), "{ran:?}");
}

#[test]
fn arguments_and_status_are_the_programs() {
    let ran = Folder::with("a.c", locked()).run("run a.c -- --json -x y").status(3);
    assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("counted --json\n", ""));
}

/// Several sources, objects and libraries, definitions, warnings.
#[test]
fn flags_are_the_compilers() {
    let folder = Folder::with("a.c", "int f(void); int main(void) { return f() + VALUE; }\n");
    folder.write("b.c", "#include <math.h>\nint f(void) { volatile double x = 16; return (int)sqrt(x); }\n");
    folder.run("run -DVALUE=3 -Wall -Werror a.c b.c -lm").status(7);
    folder.run("cc -c b.c").status(0);
    folder.run("run a.c b.o -D VALUE=0 -O2 -g3").status(4);
}

#[test]
fn our_options_may_stand_among_the_flags() {
    let folder = Folder::with("a.c", RACY);
    for args in
        ["--exit-code 3 a.c -O2", "a.c --exit-code=3 -O2", "-O2 --exit-code 3 a.c", "a.c -O2 --exit-code 3"]
    {
        folder.run(&format!("run {args}")).status(3);
    }
    let ran = folder.run("run a.c --exit-code 300").status(2);
    assert!(ran.stderr.contains("300 is not in 0..=255"), "{ran:?}");
    let ran = folder.run("run a.c --algorithm v3").status(2);
    assert!(ran.stderr.contains("[possible values: v1, v1.5, v2, ft-mutex, ft-cas]"), "{ran:?}");
}

#[test]
fn every_algorithm_finds_it() {
    let folder = Folder::with("racy.c", RACY);
    folder.write("locked.c", locked());
    for algorithm in ["v1", "v1.5", "v2", "ft-mutex", "ft-cas"] {
        let ran = folder.run(&format!("run --algorithm {algorithm} racy.c")).status(66);
        assert!(ran.stderr.contains(WARNING), "{algorithm}: {ran:?}");
        folder.run(&format!("run --algorithm {algorithm} locked.c")).status(0);
    }
}

#[test]
fn nothing_is_left_behind_unless_asked_for() {
    let folder = Folder::with("a.c", locked());
    std::fs::create_dir(folder.path("tmp")).unwrap();
    let files = |name: &str| std::fs::read_dir(folder.path(name)).unwrap().count();
    let mut command = folder.command("run a.c");
    run({
        command.env("TMPDIR", folder.path("tmp"));
        command
    })
    .status(0);
    assert_eq!((files("tmp"), files("")), (0, 2));
    folder.run("run a.c --keep kept").status(0);
    folder.run("run ./kept").status(0);
    folder.run("run a.c -o other").status(0);
    folder.run("run other").status(0);
}

#[test]
fn what_does_not_compile() {
    let folder = Folder::with("a.c", "int main(void) { return x; }\n");
    let ran = folder.run("run --compiler gcc a.c").status(2);
    assert!(
        ran.stderr.contains("a.c:1:25")
            && ran.stderr.ends_with("deadheat: gcc could not build the program\n"),
        "{ran:?}"
    );
    folder
        .run("run a.c -c")
        .fails("these flags do not make a program that could be run; deadheat cc takes them");
    folder
        .run("run -O2 -- a")
        .fails("there is nothing to compile: name source files, or a program before its arguments");
    folder.run("run a.c -static").fails(
        "-static is not supported: a race detector has to stand between the program and the C library",
    );
}

#[test]
fn without_a_compiler() {
    let folder = Folder::with("a.c", RACY);
    folder.write("a.cc", RACY_CXX);
    let without = |args: &str, set: &[(&str, &str)]| {
        let mut command = folder.command(args);
        command.env("PATH", folder.path("")).envs(set.iter().copied());
        run(command)
    };
    without("run a.c", &[]).fails(
        "no C compiler: install clang or gcc (Debian, Ubuntu: apt install clang), or name one with --compiler, CC or DEADHEAT_CC",
    );
    without("run a.cc", &[]).fails(
        "no C++ compiler: install clang or g++ (Debian, Ubuntu: apt install clang g++), or name one with --compiler, CXX or \
         DEADHEAT_CXX",
    );
    without("run a.c --compiler tcc", &[]).fails("there is no compiler tcc");
    without("run a.c", &[("CC", "icc -w")]).fails("there is no compiler icc -w");
    without("cc a.c", &[("DEADHEAT_CC", "icc")]).fails("there is no compiler icc");
}

/// As `cc` in a Makefile that `deadheat run` is called from.
#[test]
fn the_environment_names_the_compiler_unless_it_names_us() {
    let folder = Folder::with("a.c", "int main(void) { return VALUE; }\n");
    for (name, status) in [("gcc -DVALUE=5", 5), ("deadheat cc", 2)] {
        let mut command = folder.command("run a.c");
        command.env("CC", name);
        let ran = run(command).status(status);
        assert!(!ran.stderr.contains("there is no compiler"), "{ran:?}");
    }
}

/// Of threads that never end, too.
#[test]
fn checks_are_counted() {
    const WAITING: &str = r#"
        #include <pthread.h>
        #include <stdlib.h>
        #include <unistd.h>
        static int sum;
        static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
        static pthread_barrier_t done;
        static void *work(void *arg) {
            for (int i = 0; i < 100; i++) pthread_mutex_lock(&lock), sum++, pthread_mutex_unlock(&lock);
            pthread_barrier_wait(&done);
            for (;;) pause();
        }
        int main(void) {
            pthread_t threads[3];
            pthread_barrier_init(&done, NULL, 4);
            for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, work, NULL);
            pthread_barrier_wait(&done);
            exit(0);
        }
    "#;
    let folder = Folder::with("a.c", WAITING);
    let mut command = folder.command("run a.c -O1");
    command.env("DEADHEAT_OPTIONS", "stats=1:report_thread_leaks=0");
    let ran = run(command).status(0);
    let count = |what: &str| {
        let told = ran.stderr.lines().find_map(|line| line.strip_prefix("deadheat: ")?.strip_prefix(what));
        told.and_then(|told| told.trim().parse::<u32>().ok()).unwrap_or_else(|| panic!("{ran:?}"))
    };
    assert!(count("checks") >= 300 && count("rule Write Exclusive") >= 300, "{ran:?}");
}

/// A cache that cannot be written to costs time, not the run.
#[test]
fn without_a_cache() {
    let folder = Folder::with("a.c", RACY);
    for cache in ["/proc/nowhere", "relative"] {
        let mut command = folder.command("run a.c");
        command.env("XDG_CACHE_HOME", cache).env_remove("HOME");
        run(command).status(66);
    }
    assert!(!folder.has("relative"));
}

#[test]
fn half_a_cache_is_made_whole() {
    let folder = Folder::with("a.c", RACY);
    let go = || {
        let mut command = folder.command("run a.c");
        command.env("XDG_CACHE_HOME", folder.path("cache"));
        run(command).status(66)
    };
    go();
    let kept = std::fs::read_dir(folder.path("cache/deadheat")).unwrap().next().unwrap().unwrap().path();
    std::fs::write(kept.join("libdeadheat.a"), "").unwrap();
    go();
    assert!(std::fs::metadata(kept.join("libdeadheat.a")).unwrap().len() > 0);
    assert_eq!(std::fs::read_dir(folder.path("cache/deadheat")).unwrap().count(), 1);
}
