//! `deadheat lang redcard`: which race checks of a program are redundant, and how many that saves.

mod explain;
pub mod judged;
mod table;

use super::args::{Redcard, ShownContexts, SolverKind};
use super::source::Source;
use crate::failure::{Failure, Outcome, plain};
use crate::output::print;
use deadheat_lang_redcard::annotate::{Contexts, annotate};
use deadheat_lang_redcard::{Elision, Subject, elide};
use deadheat_redcard::solver::{Builtin, Solver, Z3};
use deadheat_redcard::{Config, Mode, ProxyMode};

/// Prints the program with its annotations, or the table for several.
pub fn run(args: &Redcard) -> Result<Outcome, Failure> {
    if args.table {
        return table::run(args);
    }
    let [file] = &args.files[..] else {
        return Err(Failure::new("several programs are for --table; give one"));
    };
    let source = Source::read(file)?;
    let subject = subject(&source)?;
    let subject = if args.peel { peeled(&subject, &source)? } else { subject };
    let mut solver = solver(args.solver)?;
    let elision = elide(&subject, config(args), &mut *solver);
    if args.json {
        print(&explain::json(&subject, &elision, args.explain.then_some(&mut *solver))?)?;
        return Ok(Outcome::Clean);
    }
    print(&annotate(&subject, &elision, contexts(args.contexts)))?;
    if args.explain {
        print(&format!("\n{}", explain::text(&subject, &elision, &mut *solver)))?;
    }
    Ok(Outcome::Clean)
}

/// The program in all its forms.
pub fn subject(source: &Source) -> Result<Subject, Failure> {
    Subject::new(source.text.clone()).map_err(|errors| source.refuse(&errors))
}

/// The same with peeled loops.
fn peeled(subject: &Subject, source: &Source) -> Result<Subject, Failure> {
    subject.peeled().map_err(|errors| {
        let what = errors.first().map_or_else(String::new, |error| error.message.clone());
        Failure::at(&source.name, format!("with its loops peeled it is no good program: {what}"))
    })
}

/// The verdicts of the default configuration.
pub fn elided(subject: &Subject) -> Elision {
    let config = Config { proxies: ProxyMode::On, ..Config::default() };
    elide(subject, config, &mut Builtin::default())
}

fn config(args: &Redcard) -> Config {
    let mode = if args.intra { Mode::Intra } else { Mode::Inter };
    let proxies = if args.no_proxies { ProxyMode::Off } else { ProxyMode::On };
    Config { mode, proxies, ..Config::default() }
}

fn contexts(shown: ShownContexts) -> Contexts {
    match shown {
        ShownContexts::None => Contexts::None,
        ShownContexts::Loops => Contexts::Loops,
        ShownContexts::All => Contexts::All,
    }
}

fn solver(kind: SolverKind) -> Result<Box<dyn Solver>, Failure> {
    Ok(match kind {
        SolverKind::Builtin => Box::new(Builtin::default()),
        SolverKind::Z3 => Box::new(Z3::start().map_err(|e| Failure::at("z3", plain(&e)))?),
    })
}
