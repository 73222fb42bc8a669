//! `cc --elide -flto`: all modules of a program are thinned out as one, wherever they come from.

use crate::harness::{Folder, Ran, run};
use crate::programs::{compilers, cxx, must};
use std::path::Path;
use std::process::Command;

const HEADER: &str = "\
struct table { long count, at[8]; };
#ifdef __cplusplus
extern \"C\" {
#endif
long look(const struct table *, int);
void put(struct table *, int, long);
#ifdef __cplusplus
}
#endif
";

/// Two functions that only a file of their own knows not to publish anything.
const TABLE: &str = "\
#include \"table.h\"
long look(const struct table *t, int k) { return t->at[k & 7] + t->count; }
void put(struct table *t, int k, long value) { t->count++; t->at[k & 7] = value; }
";

/// Calls them between accesses to the same, from two threads that are ordered, or not if it is said to race.
const MAIN: &str = "\
#include \"table.h\"
#include <pthread.h>
struct table all;
static long use(struct table *t) {
  t->count++;
  long sum = look(t, 1);
  put(t, 2, sum);
  return t->count + look(t, 2);
}
static void *work(void *at) {
  use(at);
  return 0;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, &all);
#ifdef RACES
  use(&all);
#endif
  pthread_join(thread, 0);
  return use(&all) == 0;
}
";

fn folder() -> Folder {
    let folder = Folder::with("table.h", HEADER);
    folder.write("table.c", TABLE);
    folder.write("main.c", MAIN);
    folder
}

/// The clangs whose linker reads modules.
fn clangs() -> Vec<String> {
    let found: Vec<String> = compilers().into_iter().filter(|name| name.contains("clang")).collect();
    assert!(!found.is_empty());
    found
}

fn told(folder: &Folder, clang: &str, args: &str) -> Ran {
    let mut command = folder.command(args);
    command.env("DEADHEAT_CC", clang).env("DEADHEAT_CXX", cxx(clang));
    run(command)
}

#[track_caller]
fn ok(folder: &Folder, clang: &str, args: &str) {
    assert_eq!(told(folder, clang, args).status(0).stderr, "", "{clang} {args}");
}

/// How many checks are left, by the sums that are told.
#[track_caller]
fn left(folder: &Folder, clang: &str, args: &str) -> usize {
    let told = told(folder, clang, args).status(0).stderr;
    let sums = told.lines().filter(|line| line.contains(": all: "));
    let left =
        |line: &str| line.split(", ").find_map(|part| part.strip_suffix(" left")?.parse::<usize>().ok());
    let sums: Vec<usize> = sums.map(|line| left(line).expect("it says so")).collect();
    assert!(!sums.is_empty(), "{told}");
    sums.iter().sum()
}

/// Where the program's reports say that it races: functions and lines, without what differs from build to build.
#[track_caller]
fn races(folder: &Folder, program: &str) -> Vec<String> {
    let told = run(folder.command(&format!("run {program}"))).stderr;
    let place = |line: &str| Some(line.trim().strip_prefix('#')?.split(" (").next()?.to_owned());
    let mut found: Vec<String> = told.lines().filter_map(place).collect();
    found.sort();
    found
}

#[test]
fn checks_go_that_are_redundant_across_files_only() {
    let folder = folder();
    for clang in clangs() {
        let each = left(&folder, &clang, "cc --elide=redundant --elide-stats -O2 main.c table.c -o each");
        let whole =
            left(&folder, &clang, "cc --elide=redundant --elide-stats -O2 -flto main.c table.c -o whole");
        assert!(whole < each, "{clang}: {whole} of {each}");
        must(&folder, "./whole");
        // The same in steps, as make has it: what is told is told when linking.
        for file in ["main", "table"] {
            ok(
                &folder,
                &clang,
                &format!("cc --elide=redundant --elide-stats -O2 -flto -MD -c {file}.c -o {file}.o"),
            );
            assert!(folder.has(&format!("{file}.d")));
        }
        let steps = left(&folder, &clang, "cc --elide=redundant --elide-stats -flto main.o table.o -o steps");
        assert_eq!(steps, whole, "{clang}");
        must(&folder, "./steps");
    }
}

#[test]
fn the_same_races_at_the_same_places() {
    let folder = folder();
    for clang in clangs() {
        for how in ["-O2", "-O0"] {
            ok(&folder, &clang, &format!("cc -DRACES {how} main.c table.c -o without"));
            let expected = races(&folder, "./without");
            assert!(expected.iter().any(|place| place.contains("main.c:")), "{expected:?}");
            for level in ["redundant", "coalesce", "inline"] {
                ok(
                    &folder,
                    &clang,
                    &format!("cc -DRACES --elide={level} {how} -flto main.c table.c -o with"),
                );
                let found = races(&folder, "./with");
                let frames = |all: &[String], name: &str| all.iter().any(|place| place.contains(name));
                for name in [" use ", " work ", " main "] {
                    assert_eq!(
                        frames(&found, name),
                        frames(&expected, name),
                        "{clang} {how} {level}: {found:?}"
                    );
                }
            }
            ok(&folder, &clang, &format!("cc --elide {how} -flto main.c table.c -o with"));
            assert_eq!(races(&folder, "./with"), [""; 0]);
        }
    }
}

/// Tells `ar` by which plugin to read modules of that clang: of several that are installed it takes any.
fn plugin(folder: &Folder, clang: &str) -> String {
    let resources = must(folder, &format!("{clang} -print-resource-dir"));
    let library = Path::new(resources.trim()).ancestors().nth(2).expect("it is in the folder of libraries");
    format!("--plugin {}", library.join("LLVMgold.so").display())
}

#[test]
fn modules_with_machine_code_archives_and_libraries() {
    let folder = folder();
    folder.write(
        "native.c",
        "#include \"table.h\"\nlong from_native(struct table *t) { return look(t, 3); }\n",
    );
    folder.write(
        "user.c",
        "#include \"table.h\"\nlong from_native(struct table *);\nint main(void) { struct table t = {0}; put(&t, 3, 4); return from_native(&t) != 5; }\n",
    );
    folder.write("extra.cpp", "#include \"table.h\"\n#include <vector>\nstatic std::vector<int> made{1, 2};\nextern \"C\" unsigned long made_of() { return made.size(); }\n");
    let clang = &clangs()[0];
    ok(&folder, clang, "cc --elide -O2 -c native.c");
    ok(&folder, clang, "cc --elide -O2 -flto -c user.c table.c");
    ok(&folder, clang, "c++ --elide -O0 -flto -c extra.cpp");
    // Machine code that calls into a module, in both orders.
    for order in ["native.o user.o table.o", "user.o table.o native.o"] {
        ok(&folder, clang, &format!("cc --elide -flto {order} -o p"));
        must(&folder, "./p");
        assert!(must(&folder, "nm p").contains(" T look"), "machine code calls it");
    }
    // Archives of modules, of both, and as a whole.
    let plugin = plugin(&folder, clang);
    must(&folder, &format!("ar rcs {plugin} libmodules.a table.o extra.o"));
    must(&folder, &format!("ar rcs {plugin} libboth.a table.o native.o"));
    must(&folder, &format!("ar rcsT {plugin} libthin.a table.o native.o"));
    for link in [
        "cc --elide -flto user.o native.o libmodules.a -o p",
        "cc --elide -flto user.o libboth.a -o p",
        "cc --elide -flto user.o libthin.a -o p",
        "cc --elide -flto user.o native.o -L. -lmodules -o p",
        "c++ --elide -flto user.o native.o -Wl,--whole-archive libmodules.a -Wl,--no-whole-archive -o p",
        "c++ --elide -flto user.o native.o -Wl,--whole-archive,libmodules.a,--no-whole-archive -o p",
    ] {
        ok(&folder, clang, link);
        must(&folder, "./p");
    }
    assert_eq!(must(&folder, "nm p").matches("_GLOBAL__sub_I_extra.cpp").count(), 1, "it is made once");
    // What only the linker can take apart it does, and the line says so.
    let both = "cc --elide -flto user.o -Wl,--whole-archive libboth.a -Wl,--no-whole-archive -o p";
    let told = told(&folder, clang, both);
    assert_eq!(
        told.status(0).stderr,
        "deadheat: note: libboth.a is linked as a whole: linked with all checks\n"
    );
    must(&folder, "./p");
    folder.write(
        "wrap.c",
        "#include \"table.h\"\nlong __real_look(const struct table *, int);\nlong __wrap_look(const struct table *t, int k) { return __real_look(t, k); }\n",
    );
    ok(&folder, clang, "cc --elide -O2 -c wrap.c");
    let told =
        self::told(&folder, clang, "cc --elide -flto user.o native.o table.o wrap.o -Wl,--wrap=look -o p");
    assert_eq!(
        told.status(0).stderr,
        "deadheat: note: --wrap=look is for the linker to see to: linked with all checks\n"
    );
    must(&folder, "./p");
    // A shared library exports what it did, and a program is linked with it.
    ok(&folder, clang, "cc --elide -O2 -fPIC -flto -shared table.c -o libtable.so");
    assert!(must(&folder, "nm -D libtable.so").contains(" T put"));
    ok(&folder, clang, "cc --elide -flto user.o native.o ./libtable.so -o p");
    must(&folder, "./p");
}

#[test]
fn what_is_exported_stays() {
    let folder = folder();
    folder.write("list", "{ look; };\n");
    folder.write(
        "asks.c",
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include \"table.h\"\nint main(void) { struct table t = {0}; put(&t, 1, 1); look(&t, 1); return !dlsym(RTLD_DEFAULT, \"look\"); }\n",
    );
    let clang = &clangs()[0];
    for how in ["-rdynamic", "-Wl,--dynamic-list=list", "-Wl,--export-dynamic-symbol=look"] {
        ok(&folder, clang, &format!("cc --elide -O1 -flto {how} asks.c table.c -o p"));
        must(&folder, "./p");
        // All callers of `put` are known unless it is exported too.
        assert_eq!(must(&folder, "nm p").contains(" T put"), how == "-rdynamic", "{how}");
    }
}

#[test]
fn mistakes_are_the_linkers_to_tell() {
    let folder = folder();
    let told = told(&folder, &clangs()[0], "cc --elide -flto -O1 main.c -o p").status(1).stderr;
    assert!(told.contains("undefined reference to `look'") && !told.contains("deadheat: note"), "{told}");
}

#[test]
fn without_the_linkers_plugin() {
    let folder = folder();
    let clang = &clangs()[0];
    let ask = |question: &str| {
        let output = Command::new(clang).arg(question).output().expect("clang runs");
        String::from_utf8(output.stdout).expect("a path").trim().to_owned()
    };
    let real = must(&folder, &format!("which {clang}"));
    std::fs::create_dir(folder.path("bin")).expect("it is new");
    std::os::unix::fs::symlink(real.trim(), folder.path("bin/clang")).expect("it is new");
    let moved = format!(
        "{} -no-canonical-prefixes -resource-dir={}",
        folder.path("bin/clang").display(),
        ask("-print-resource-dir")
    );
    let each = left(&folder, clang, "cc --elide=redundant --elide-stats -O2 main.c table.c -o each");
    let told = told(&folder, &moved, "cc --elide=redundant -O2 -flto main.c table.c -o p").status(0).stderr;
    assert!(told.starts_with("deadheat: note: -flto needs ") && told.lines().count() == 1, "{told}");
    assert!(
        told.contains("LLVMgold.so")
            && told.contains("apt install llvm-")
            && Path::new(&folder.path("p")).exists(),
        "{told}"
    );
    must(&folder, "./p");
    assert_eq!(
        left(&folder, &moved, "cc --elide=redundant --elide-stats -O2 -flto main.c table.c -o p"),
        each
    );
    // In steps too.
    for step in ["-c main.c", "-c table.c", "main.o table.o -o p"] {
        let told = self::told(&folder, &moved, &format!("cc --elide -O2 -flto {step}")).status(0).stderr;
        assert_eq!(told.lines().count(), 1, "{told}");
    }
    must(&folder, "./p");
}

#[test]
fn thin_modules_are_thinned_out_one_by_one() {
    let folder = folder();
    let clang = &clangs()[0];
    let each = left(&folder, clang, "cc --elide=redundant --elide-stats -O2 main.c table.c -o each");
    assert_eq!(
        left(&folder, clang, "cc --elide=redundant --elide-stats -O2 -flto=thin main.c table.c -o p"),
        each
    );
    must(&folder, "./p");
    // Newer clangs want both kinds to be split alike.
    ok(&folder, clang, "cc --elide -O2 -flto=thin -fsplit-lto-unit -c table.c");
    ok(&folder, clang, "cc --elide -O2 -flto -fsplit-lto-unit -c main.c");
    let told = told(&folder, clang, "cc --elide -flto main.o table.o -o p").status(0).stderr;
    assert_eq!(told, "deadheat: note: table.o was compiled for -flto=thin: linked with all checks\n");
    must(&folder, "./p");
}
