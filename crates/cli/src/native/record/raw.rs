//! The first look at a raw record: names, modules, sites, and where each thread's events are.

use crate::failure::{Failure, plain};
use deadheat_finding::raw::{Decoder, Item, RawModule, UNIT};
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

/// A record, without its events, of which there may be more than fit into memory.
pub struct Raw {
    /// The file.
    pub file: File,
    /// Its first unit.
    pub header: [u8; UNIT],
    /// Executables and libraries.
    pub modules: Vec<RawModule>,
    /// The instruction of each site.
    pub sites: HashMap<u32, u64>,
    /// What things are called.
    pub names: Names,
    /// By thread, the runs of units that are its events.
    pub runs: HashMap<u32, Vec<Run>>,
    /// How many events there are.
    pub events: u64,
    /// Why not all of the file could be read, if so: the program may have been killed.
    pub early_end: Option<String>,
}

/// Names that the program gave.
#[derive(Default)]
pub struct Names {
    /// Of threads.
    pub threads: HashMap<u32, String>,
    /// Of objects, by address.
    pub objects: HashMap<u64, String>,
}

/// Units of one thread in a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Run {
    /// The first one's place in the file, in units.
    pub start: u64,
    /// How many.
    pub units: u64,
}

impl Raw {
    /// Reads all but the events.
    pub fn open(path: &Path) -> Result<Raw, Failure> {
        let fails =
            |e: std::io::Error| Failure::new(format!("cannot read the record of the run: {}", plain(&e)));
        let file = match File::open(path) {
            Err(e) if e.kind() == ErrorKind::NotFound => {
                return Err(Failure::new("the program ended without a record of its run"));
            }
            file => file.map_err(fails)?,
        };
        let mut input = BufReader::with_capacity(1 << 20, file.try_clone().map_err(fails)?);
        let mut header = [0; UNIT];
        input.read_exact(&mut header).map_err(fails)?;
        let decoder = Decoder::new(&header).map_err(|e| Failure::at("the record of the run", e))?;
        let mut raw = Raw {
            file,
            header,
            modules: Vec::new(),
            sites: HashMap::new(),
            names: Names::default(),
            runs: HashMap::new(),
            events: 0,
            early_end: None,
        };
        raw.early_end = raw.scan(decoder, &mut input).err();
        Ok(raw)
    }

    fn scan(&mut self, mut decoder: Decoder, input: &mut impl Read) -> Result<(), String> {
        let mut unit = [0; UNIT];
        for at in 1.. {
            match input.read_exact(&mut unit) {
                Err(e) if e.kind() == ErrorKind::UnexpectedEof => {
                    return decoder.finish().map_err(|e| e.to_string());
                }
                read => read.map_err(|e| plain(&e))?,
            }
            match decoder.unit(&unit).map_err(|e| e.to_string())? {
                Some(Item::End) => break,
                Some(item) => self.take(item, at),
                None => {}
            }
        }
        Ok(())
    }

    fn take(&mut self, item: Item, at: u64) {
        match item {
            Item::Event(event) => {
                self.events += 1;
                self.extend(event.thread, at);
            }
            // The merge reads each thread on its own, and needs these.
            Item::Stamp { thread, .. } => self.extend(thread, at),
            Item::Site { site, pc, .. } => drop(self.sites.insert(site, pc)),
            Item::ThreadName { thread, name } => drop(self.names.threads.insert(thread, name)),
            Item::ObjectName { address, name } => drop(self.names.objects.insert(address, name)),
            Item::Module(module) => self.modules.push(module),
            Item::End => {}
        }
    }

    fn extend(&mut self, thread: u32, at: u64) {
        let runs = self.runs.entry(thread).or_default();
        match runs.last_mut() {
            Some(run) if run.start + run.units == at => run.units += 1,
            _ => runs.push(Run { start: at, units: 1 }),
        }
    }
}
