//! Real programs: built in many ways, run, and asked where they were.

mod common;

use common::{Build, Run, line};
use deadheat_symbolize::{At, Frame, Symbolizer};

/// What debug information says about the call in `inner`, inlined into `outer`.
fn check_all(run: &Run) {
    let frames = run.symbolizer().frames(run.returns[0], At::Return);
    assert_eq!(frames.len(), 2, "{frames:#?}");
    for (frame, (function, inlined)) in frames.iter().zip([("inner", true), ("outer", false)]) {
        assert_eq!(frame.function.as_deref(), Some(function));
        assert_eq!(frame.inlined, inlined);
        assert_place(frame, "where.c", line("where.c", &format!("the call in {function}")));
    }
    check_variables(run);
    check_cpp(run);
}

fn check_cpp(run: &Run) {
    let frames = run.symbolizer().frames(run.returns[1], At::Return);
    assert_eq!(frames.len(), 1);
    assert_eq!(frames[0].function.as_deref(), Some("bank::Account<int>::deposit(int)"));
    assert_place(&frames[0], "library.cpp", line("library.cpp", "the call in deposit"));
}

fn check_variables(run: &Run) {
    let symbolizer = run.symbolizer();
    let variable = |asked: &str| {
        let addr = run.address(asked);
        let global = symbolizer.global(addr).unwrap_or_else(|| panic!("{asked}"));
        (global.name, addr - global.start, global.size)
    };
    assert_eq!(variable("balance"), ("balance".into(), 0, 4));
    assert_eq!(variable("hidden"), ("hidden".into(), 8, 16));
    assert_eq!(variable("total"), ("bank::total".into(), 0, 8));
    assert_eq!(variable("calls"), ("library::calls".into(), 4, 12));
}

fn assert_place(frame: &Frame, file: &str, line: u32) {
    let shown = frame.file.as_deref().unwrap_or_default();
    assert!(shown.ends_with(&format!("/{file}")), "{frame:?}");
    assert_eq!(frame.line, Some(line), "{frame:?}");
    assert!(frame.module.is_some());
}

#[test]
fn dwarf_4_and_5_with_and_without_optimisation() {
    for flags in [["-gdwarf-4", "-O0"], ["-gdwarf-4", "-O2"], ["-gdwarf-5", "-O0"], ["-gdwarf-5", "-O2"]] {
        check_all(&Build::new(&flags).run());
    }
}

#[test]
fn compressed_sections() {
    let run = Build::new(&["-g", "-O1", "-gz=zlib"]).run();
    check_all(&run);
}

#[test]
fn an_executable_that_cannot_be_moved() {
    let run = Build::new(&["-g", "-no-pie", "-fno-pie"]).run();
    assert_eq!(run.module_of(run.returns[0]).bias, 0);
    check_all(&run);
}

#[test]
fn a_library() {
    let run = Build::new(&["-g", "-O1"]).with_library().run();
    let symbolizer = run.symbolizer();
    let module = |pc| symbolizer.module(pc).unwrap().path.clone();
    assert!(module(run.returns[0]).ends_with("/where"));
    assert!(module(run.returns[1]).ends_with("/library.so"));
    check_all(&run);
}

#[test]
fn split_dwarf() {
    for version in ["-gdwarf-4", "-gdwarf-5"] {
        check_all(&Build::new(&[version, "-gsplit-dwarf", "-O1"]).run());
    }
}

#[test]
fn a_debug_file_by_its_link() {
    let run = Build::new(&["-g", "-O1"]).separated(&["--add-gnu-debuglink=where.debug"]).run();
    check_all(&run);
}

#[test]
fn a_debug_file_by_the_name_of_its_build() {
    let run = Build::new(&["-g", "-O1", "-Wl,--build-id"]).separated(&[]).run();
    let id = run.symbolizer().build_id(run.returns[0]).unwrap();
    assert!(id.len() >= 16 && id.chars().all(|c| c.is_ascii_hexdigit()), "{id}");
    let wanted = format!("/usr/lib/debug/.build-id/{}/{}.debug", &id[..2], &id[2..]);
    let mut symbolizer = Symbolizer::new(|path: &str| match path == wanted {
        true => common::open("where.debug", &run.folder),
        false => common::open(path, &run.folder),
    });
    symbolizer.set_modules(run.modules.clone());
    let frames = symbolizer.frames(run.returns[0], At::Return);
    assert_eq!(frames.len(), 2);
    assert_place(&frames[0], "where.c", line("where.c", "the call in inner"));
    assert_eq!(symbolizer.global(run.address("balance")).unwrap().name, "balance");
}

#[test]
fn the_debug_file_of_another_build_is_not_taken() {
    let run = Build::new(&["-g", "-O1", "-Wl,--build-id=none"])
        .separated(&["--add-gnu-debuglink=where.debug"])
        .run();
    let debug = run.folder.join("where.debug");
    let mut bytes = std::fs::read(&debug).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    std::fs::write(&debug, bytes).unwrap();
    let frames = run.symbolizer().frames(run.returns[0], At::Return);
    assert_eq!((frames.len(), &frames[0].file), (1, &None));
}

#[test]
fn only_symbols() {
    let run = Build::new(&["-g0", "-O1"]).run();
    let frames = run.symbolizer().frames(run.returns[0], At::Return);
    assert_eq!(frames.len(), 1);
    assert_eq!((frames[0].function.as_deref(), &frames[0].file), (Some("outer"), &None));
    let cpp = run.symbolizer().frames(run.returns[1], At::Return);
    assert_eq!(cpp[0].function.as_deref(), Some("bank::Account<int>::deposit(int)"));
    check_variables(&run);
}

#[test]
fn not_even_symbols() {
    let run = Build::new(&["-g0", "-O1", "-s"]).run();
    let symbolizer = run.symbolizer();
    let frames = symbolizer.frames(run.returns[0], At::Return);
    let module = run.module_of(run.returns[0]);
    assert_eq!((frames.len(), &frames[0].function), (1, &None));
    assert_eq!(frames[0].offset_in_module, run.returns[0] - 1 - module.bias);
    assert_eq!(frames[0].module.as_deref(), Some(module.path.as_str()));
    assert_eq!(symbolizer.global(run.address("hidden")), None);
}

/// A byte may be wrong anywhere; the answers get worse, and that is all.
#[test]
fn damaged_files() {
    let run = Build::new(&["-g", "-O1"]).run();
    let module = run.module_of(run.returns[0]).clone();
    let bytes = std::fs::read(&module.path).unwrap();
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below
    };
    for round in 0..300 {
        let mut damaged = bytes.clone();
        for _ in 0..=round % 20 {
            let at = next(damaged.len());
            damaged[at] = next(256) as u8;
        }
        if round % 3 == 0 {
            damaged.truncate(next(damaged.len()));
        }
        let mut symbolizer = Symbolizer::new(|_: &str| None);
        symbolizer.add(deadheat_symbolize::Module { bytes: Some(damaged.leak()), ..module.clone() });
        for pc in (module.start..module.end).step_by(97).chain(run.returns.iter().copied()) {
            assert!(!symbolizer.frames(pc, At::Return).is_empty());
            symbolizer.global(pc);
        }
    }
}
