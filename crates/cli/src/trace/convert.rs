//! `deadheat trace convert` and `gen`: traces written out.

use super::output::TraceOutput;
use crate::args::{Convert, Generate, Operations};
use crate::failure::{Failure, Outcome};
use crate::progress::Progress;
use crate::run::{Flow, Run};
use deadheat_trace::generate::{Disciplined, Random, Shape, Workload};
use deadheat_trace::{Batch, Source};

/// Rewrites a trace.
pub fn run(args: &Convert) -> Result<Outcome, Failure> {
    let mut run = Run::open(&args.input)?;
    let mut out = TraceOutput::open(&args.output, Some(&args.input.file))?;
    let mut written = Ok(());
    run.each(&mut |_, events, symbols| {
        written = out.write(events, symbols);
        if written.is_ok() { Flow::Go } else { Flow::Stop }
    })?;
    written?;
    out.finish()?;
    Ok(Outcome::Clean)
}

/// Makes a trace up.
pub fn generate(args: &Generate) -> Result<Outcome, Failure> {
    let mut source = source(args);
    let mut out = TraceOutput::open(&args.output, None)?;
    let mut progress = Progress::new(Some(args.events));
    let mut batch = Batch::default();
    while source.next_batch(&mut batch).map_err(|e| Failure::new(e.to_string()))? {
        out.write(&batch.events, source.symbols())?;
        progress.at(out.events, out.events);
    }
    drop(progress);
    out.finish()?;
    Ok(Outcome::Clean)
}

fn source(args: &Generate) -> Box<dyn Source> {
    let &Generate {
        threads, vars, locks, channels, events, race_density, reads, section, burst, seed, ..
    } = args;
    match args.operations {
        Operations::Guarded => Box::new(Disciplined::new(Workload {
            threads,
            vars,
            locks,
            channels,
            events,
            race_density,
            reads,
            section,
            burst,
            seed,
        })),
        Operations::All => {
            let objects = locks.max(channels).max(1);
            Box::new(Random::new(Shape { threads, vars, objects, accesses: 16 }, events, seed))
        }
    }
}
