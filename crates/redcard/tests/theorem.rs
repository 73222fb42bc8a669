//! Theorem 1, executably: a trace has a race if and only if its checked accesses have one, and every trace is well-formed.
#![allow(missing_docs)]

mod common;

use common::{
    Random,
    lower::lower,
    raw::raw,
    source::{points, source},
};
use deadheat_redcard::exec::{Action, Event, Machine, Outcome, monitor, races};
use deadheat_redcard::ir::{Program, World};
use deadheat_redcard::peel::peel;
use deadheat_redcard::solver::Builtin;
use deadheat_redcard::weaken::Weaken;
use deadheat_redcard::{Analysis, Config, Mode, ProxyMode, Reason, Verdict, analyse};

#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    raced: u64,
    accesses: u64,
    unchecked: u64,
    proxied: u64,
}

/// Runs a program under some schedules; says what went wrong.
fn judge(
    program: &Program,
    analysis: &Analysis,
    seed: u64,
    schedules: u64,
    tally: &mut Tally,
) -> Result<(), String> {
    for n in 0..schedules {
        let mut schedule = Random::new(seed.wrapping_mul(1000).wrapping_add(n));
        let (trace, outcome) = Machine::new(program).unwrap().run(&mut schedule, 700);
        // A proxy may be accessed right after what it stands for, so a run that is cut proves nothing about proxies.
        let proxies = analysis.proxies != Default::default();
        if outcome == Outcome::Broken || (outcome == Outcome::Cut && proxies) {
            continue;
        }
        let checked = |at: usize| match &trace[at].action {
            Action::Access(Some(id), ..) => analysis.checks(*id),
            _ => true,
        };
        let (all, detected) = (races(&trace, |_| true), races(&trace, checked));
        tally.runs += 1;
        tally.raced += u64::from(!all.is_empty());
        tally.accesses += trace.iter().filter(|e| matches!(e.action, Action::Access(..))).count() as u64;
        tally.unchecked += (0..trace.len()).filter(|at| !checked(*at)).count() as u64;
        if all.is_empty() != detected.is_empty() {
            return Err(format!("seed {seed}, schedule {n}: races {all:?}, detected {detected:?}"));
        }
        let proxied = |id| matches!(analysis.verdicts.get(&id), Some(Verdict::NoCheck(Reason::Proxy(_))));
        let by_proxy = |e: &&Event| matches!(e.action, Action::Access(Some(id), ..) if proxied(id));
        tally.proxied += trace.iter().filter(by_proxy).count() as u64;
        if let Some(fault) = monitor(&trace, |id| analysis.checks(id) || proxied(id)) {
            return Err(format!("seed {seed}, schedule {n}: {fault:?}"));
        }
    }
    Ok(())
}

fn structured(seed: u64, unknown: bool) -> Program {
    let mut rng = fastrand::Rng::with_seed(seed);
    lower(&source(&mut rng, unknown), World::Closed)
}

/// `REDCARD_SEEDS=n` makes n times as many programs.
fn run(name: &str, config: Config, seeds: std::ops::Range<u64>, make: impl Fn(u64) -> Program) -> Tally {
    let mut tally = Tally::default();
    let times: u64 = std::env::var("REDCARD_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for seed in seeds.start..seeds.start + (seeds.end - seeds.start) * times {
        let program = make(seed);
        if too_long(&program) {
            continue;
        }
        program.check().unwrap_or_else(|e| panic!("seed {seed}: {e}\n{program}"));
        let analysis = analyse(&program, config, &mut Builtin::default()).unwrap();
        if let Err(what) = judge(&program, &analysis, seed, 6, &mut tally) {
            panic!("{what}\n{}", analysis.show(&program, deadheat_redcard::report::Detail::Contexts));
        }
    }
    println!("{name}: {tally:?}");
    assert!(tally.raced * 20 > tally.runs, "hardly a race: {tally:?}");
    assert!(tally.raced * 20 < tally.runs * 19, "hardly a run without a race: {tally:?}");
    assert!(tally.unchecked * 20 > tally.accesses, "hardly a redundant check: {tally:?}");
    tally
}

/// Long programs say nothing that short ones do not, and take most of the time.
fn too_long(program: &Program) -> bool {
    program.functions.iter().map(|f| f.blocks.len()).sum::<usize>() > 60
}

fn config(mode: Mode, proxies: ProxyMode) -> Config {
    Config { mode, proxies, weaken: Weaken::Nothing }
}

#[test]
fn structured_programs_between_procedures() {
    run("inter", config(Mode::Inter, ProxyMode::Off), 0..500, |seed| structured(seed, true));
}

#[test]
fn structured_programs_method_by_method() {
    run("intra", config(Mode::Intra, ProxyMode::Off), 10_000..10_400, |seed| structured(seed, true));
}

#[test]
fn structured_programs_with_proxies() {
    run("proxies", config(Mode::Inter, ProxyMode::On), 20_000..20_300, |seed| structured(seed, false));
}

fn with_points(seed: u64) -> Program {
    lower(&points(&mut fastrand::Rng::with_seed(seed)), World::Closed)
}

#[test]
fn programs_with_points_and_chunks() {
    let tally = run("points", config(Mode::Inter, ProxyMode::On), 0..300, with_points);
    assert!(tally.proxied * 50 > tally.accesses, "hardly a proxy: {tally:?}");
}

#[test]
fn peeled_programs() {
    run("peeled", config(Mode::Inter, ProxyMode::Off), 30_000..30_300, |seed| {
        peel(&structured(seed, true)).unwrap().program
    });
}

#[test]
fn graphs_of_any_shape() {
    run("raw", config(Mode::Inter, ProxyMode::Off), 0..1000, |seed| raw(&mut fastrand::Rng::with_seed(seed)));
}

/// Does any of the programs give a broken rule away?
fn caught(weaken: Weaken, seeds: u64) -> Option<u64> {
    let config = Config { mode: Mode::Inter, proxies: ProxyMode::Off, weaken };
    (0..seeds).find(|seed| {
        let programs = [structured(*seed, true), raw(&mut fastrand::Rng::with_seed(*seed))];
        programs.iter().filter(|program| !too_long(program)).any(|program| {
            let analysis = analyse(program, config, &mut Builtin::default()).unwrap();
            judge(program, &analysis, *seed, 6, &mut Tally::default()).is_err()
        })
    })
}

#[test]
fn every_broken_rule_is_caught() {
    use Weaken::*;
    for weaken in
        [Release, Fork, VolatileWrite, ReadsAndWrites, AliasingStores, CallReleases, LoopInvariant, Meet]
    {
        let seed = caught(weaken, 3000);
        println!("{weaken:?}: seed {seed:?}");
        assert!(seed.is_some(), "{weaken:?} was not noticed");
    }
}

/// §5 as printed lets the proxy y of x be accessed after an acquire. Then `main: y; x; rel m` before `worker: x; acq m; y` races on
/// x alone, which nobody checks.
#[test]
fn a_proxy_after_an_acquire_loses_a_race() {
    let text = "closed field x field y
        fn main() {
        e: p = new 0   m = new 1   t = fork worker(p, m)
           lock m   write p.y = 1   write p.x = 1   unlock m   lock m   write p.y = 2   unlock m   return }
        fn worker(p, m) {
        e: write p.x = 3   lock m   write p.y = 3   unlock m   return }";
    let program = deadheat_redcard::parse(text).unwrap();
    let judged = |weaken| {
        let config = Config { mode: Mode::Inter, proxies: ProxyMode::On, weaken };
        let analysis = analyse(&program, config, &mut Builtin::default()).unwrap();
        judge(&program, &analysis, 1, 300, &mut Tally::default())
    };
    assert_eq!(judged(Weaken::Nothing), Ok(()));
    assert!(judged(Weaken::ProxyAcquire).is_err());
}
