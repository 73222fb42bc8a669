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
        let proxied = |id| {
            matches!(
                analysis.verdicts.get(&id),
                Some(deadheat_redcard::Verdict::NoCheck(deadheat_redcard::Reason::Proxy(_)))
            )
        };
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

fn run(name: &str, config: Config, seeds: std::ops::Range<u64>, make: impl Fn(u64) -> Program) {
    let mut tally = Tally::default();
    for seed in seeds {
        let program = make(seed);
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
}

fn config(mode: Mode, proxies: ProxyMode) -> Config {
    Config { mode, proxies, weaken: Weaken::Nothing }
}

#[test]
fn structured_programs_between_procedures() {
    run("inter", config(Mode::Inter, ProxyMode::Off), 0..1200, |seed| structured(seed, true));
}

#[test]
fn structured_programs_method_by_method() {
    run("intra", config(Mode::Intra, ProxyMode::Off), 10_000..10_800, |seed| structured(seed, true));
}

#[test]
fn structured_programs_with_proxies() {
    run("proxies", config(Mode::Inter, ProxyMode::On), 20_000..20_800, |seed| structured(seed, false));
}

fn with_points(seed: u64) -> Program {
    lower(&points(&mut fastrand::Rng::with_seed(seed)), World::Closed)
}

#[test]
fn programs_with_points_and_chunks() {
    run("points", config(Mode::Inter, ProxyMode::On), 0..800, with_points);
}

#[test]
fn graphs_of_any_shape() {
    run("raw", config(Mode::Inter, ProxyMode::Off), 0..1200, |seed| raw(&mut fastrand::Rng::with_seed(seed)));
}

/// Does any of the programs give a broken rule away?
fn caught(weaken: Weaken, seeds: u64) -> Option<u64> {
    let proxies = if weaken == Weaken::ProxyAcquire { ProxyMode::On } else { ProxyMode::Off };
    let config = Config { mode: Mode::Inter, proxies, weaken };
    (0..seeds).find(|seed| {
        let programs = match proxies {
            ProxyMode::On => [with_points(*seed), structured(*seed, false)],
            ProxyMode::Off => [structured(*seed, true), raw(&mut fastrand::Rng::with_seed(*seed))],
        };
        programs.iter().any(|program| {
            let analysis = analyse(program, config, &mut Builtin::default()).unwrap();
            judge(program, &analysis, *seed, 6, &mut Tally::default()).is_err()
        })
    })
}

#[test]
fn every_broken_rule_is_caught() {
    use Weaken::*;
    for weaken in [
        Release,
        Fork,
        VolatileWrite,
        ReadsAndWrites,
        AliasingStores,
        CallReleases,
        LoopInvariant,
        Meet,
        ProxyAcquire,
    ] {
        let seed = caught(weaken, 3000);
        println!("{weaken:?}: seed {seed:?}");
        assert!(seed.is_some(), "{weaken:?} was not noticed");
    }
}
