//! The papers' programs under the explorer: each behaves as its figure says. And the classic families, with their published numbers of classes.

use deadheat_explore::{
    AfterBug, Budget, BugKind, Deepening, FaultKind, Heap, Options, Points, Races, Recycled, Search, Space,
    Verdict,
};
use deadheat_lang::{Machine, check, compile, parse};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn source(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../testdata/lang/{name}.heat"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn machine(source: &str, heap: Heap) -> Machine {
    let program = parse(source).expect("a program");
    let types = check(&program).expect("a good program");
    let options = deadheat_lang::Options { heap_points: heap == Heap::Overruns, ..Default::default() };
    Machine::new(Arc::new(compile(&program, &types).expect("small")), options)
}

/// The kinds of bugs of a program, all of them.
fn bugs(name: &str, options: Options) -> (BTreeSet<&'static str>, Deepening) {
    let mut machines = [machine(&source(name), options.heap)];
    let mut deepening = Deepening::new(options, AfterBug::GoOn);
    let verdict = deepening.run(&mut machines, Budget::default(), &AtomicBool::new(false), &mut |_| {});
    assert!(matches!(verdict, Verdict::Verified | Verdict::Bugs { complete: true }), "{name}: {verdict:?}");
    let words = deepening.bugs().iter().map(|bug| match &bug.kind {
        BugKind::Fault(fault) => match fault.kind {
            FaultKind::Panic => "panic",
            FaultKind::UseAfterFree => "use after free",
            FaultKind::Error => "error",
            _ => "other",
        },
        BugKind::DataRace(_) => "race",
        BugKind::Deadlock(_) => "deadlock",
        BugKind::Livelock(_) => "livelock",
    });
    (words.collect(), deepening)
}

fn set(words: &[&'static str]) -> BTreeSet<&'static str> {
    words.iter().copied().collect()
}

/// Figure 1: a candidate by must-happen-before that no run makes a race.
#[test]
fn deepening_figure_1() {
    let (found, deepening) = bugs("deepening-fig1", Options::default());
    assert_eq!(found, set(&[]));
    assert!(!deepening.candidates().is_empty(), "lines 1 and 9 are a candidate");
}

/// Figure 2: the common false alarm, dropped at once; keeping it costs state spaces and finds nothing.
#[test]
fn deepening_figure_2() {
    let (found, deepening) = bugs("deepening-fig2", Options::default());
    assert_eq!((found, deepening.progress().spaces.len()), (set(&[]), 1));
    assert!(deepening.progress().recycled > 0);
    let (found, kept) = bugs("deepening-fig2", Options { recycled: Recycled::Keep, ..Options::default() });
    assert_eq!(found, set(&[]));
    assert!(kept.progress().spaces.len() > 1);
}

/// Figures 3, 4 and 6, and Theorem 3: what fits the pattern and is a race all the same is found without it, with the same bugs.
#[test]
fn deepening_figures_3_4_and_6() {
    for (name, expected) in [
        ("deepening-fig3", set(&["race", "use after free"])),
        ("deepening-fig4", set(&["race", "use after free"])),
        ("deepening-fig6", set(&["error", "race", "use after free"])),
    ] {
        let (dropped, deepening) = bugs(name, Options::default());
        let (kept, _) = bugs(name, Options { recycled: Recycled::Keep, ..Options::default() });
        assert_eq!((&dropped, &kept), (&expected, &expected), "{name}");
        assert!(deepening.progress().recycled > 0, "{name}");
    }
}

/// Theorem 3 where the address is published by a data race: the points of data races lie before accesses, so the one before `free` is needed.
#[test]
fn recycling_after_a_racy_publication() {
    let text = "global g;
        thread { let p = malloc(1); g = p; p[0] = 1; free p; }
        thread { let q = g; if q != 0 { let r = malloc(1); q[0] = 2; } }";
    let found = [Recycled::Drop, Recycled::Keep].map(|recycled| {
        let options = Options { recycled, ..Options::default() };
        let mut deepening = Deepening::new(options, AfterBug::GoOn);
        let mut machines = [machine(text, Heap::Independent)];
        deepening.run(&mut machines, Budget::default(), &AtomicBool::new(false), &mut |_| {});
        deepening.bugs().iter().map(|bug| bug.kind.to_string()).collect::<BTreeSet<String>>()
    });
    assert_eq!(found[0], found[1]);
    assert!(found[0].iter().any(|bug| bug.starts_with("use after free")), "{found:?}");
}

/// Figures 7 to 9: a heap overrun is a race only where malloc and free are ordered every way (§6.4).
#[test]
fn deepening_figures_7_to_9() {
    for name in ["deepening-fig7", "deepening-fig8", "deepening-fig9"] {
        let (plain, _) = bugs(name, Options::default());
        assert!(!plain.contains("race"), "{name}: {plain:?}");
        let (overruns, _) = bugs(name, Options { heap: Heap::Overruns, ..Options::default() });
        assert!(overruns.contains("race"), "{name}: {overruns:?}");
    }
}

/// Figure 5: not with synchronisation points; then x's race, and through it y's.
#[test]
fn deepening_figure_5() {
    let options = Options { races: Races::Ignore, ..Options::default() };
    let mut machine = machine(&source("deepening-fig5"), Heap::Independent);
    let mut sync = Space::new(Points::sync_only(), options.clone());
    while sync.next_run(&mut machine).is_some() {}
    assert!(sync.bugs().is_empty());
    let (found, deepening) = bugs("deepening-fig5", options);
    assert_eq!(found, set(&["panic"]));
    let text = source("deepening-fig5");
    let touches_y = |site: deadheat_explore::Site| {
        let span = machine.code().spans[site.0 as usize];
        &text[span.start as usize..span.end as usize] == "y"
    };
    let first_y = deepening.candidates().iter().position(|f| touches_y(f.candidate.first)).expect("y races");
    assert!(first_y > 0 && deepening.candidates()[0].space == 0, "x's race comes first, and at once");
    assert!(deepening.candidates()[first_y].space > 0, "y's comes with preemptions at x's");
}

#[test]
fn races_of_the_other_papers() {
    for (name, racy) in [
        ("rsg-fig8", false),
        ("rsg-fig9", false),
        ("rsg-fig12", true),
        ("rsg-fig13", true),
        ("rsg-listing1", true),
        ("rsg-listing2", false),
        ("rsg-section5", false),
        ("verifiedft-fig1", true),
        ("verifying-fig4", false),
        ("verifying-fig5", false),
        ("verifying-fig6", false),
        ("verifying-fig10", true),
    ] {
        assert_eq!(bugs(name, Options::default()).0, if racy { set(&["race"]) } else { set(&[]) }, "{name}");
    }
}

/// The number of runs of the optimal search, none of them redundant, with the family's size replaced.
fn classes(family: &str, n: Option<u32>) -> u64 {
    let mut text = source(&format!("families/{family}"));
    if let Some(n) = n {
        let line =
            text.lines().find(|line| line.contains("let n = ")).expect("a family with a size").to_owned();
        text = text.replace(&line, &format!("    let n = {n}; // N"));
    }
    let mut machine = machine(&text, Heap::Independent);
    let options = Options { search: Search::Optimal, races: Races::Ignore, ..Options::default() };
    let mut space = Space::new(Points::Everywhere, options);
    while space.next_run(&mut machine).is_some() {}
    assert_eq!((space.counts().redundant, space.counts().diverged), (0, 0), "{family} {n:?}");
    space.counts().runs
}

/// Flanagan and Godefroid (2005), Abdulla et al. (2014): the numbers of Mazurkiewicz traces that their tables give.
#[test]
fn families_have_their_published_numbers_of_classes() {
    for (family, n, expected) in [
        ("fetch-add-2x2", None, 6),
        ("mutex-2x2", None, 6),
        ("fetch-add-3x2", None, 90),
        ("readers", Some(2), 4),
        ("readers", Some(8), 256),
        ("last-zero", Some(5), 64),
        ("last-zero", Some(10), 3328),
        ("indexer", Some(12), 8),
        ("indexer", Some(13), 64),
        ("file-system", Some(14), 2),
        ("file-system", Some(16), 8),
        ("file-system", Some(18), 32),
    ] {
        assert_eq!(classes(family, n), expected, "{family} {n:?}");
    }
}
