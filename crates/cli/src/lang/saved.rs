//! Searches in files, to be gone on with.

use super::source::Source;
use crate::failure::{Failure, plain};
use deadheat_explore::Deepening;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::BufReader;
use std::path::Path;

/// A search as it is saved.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    /// What the file is.
    deadheat: String,
    /// The program's text: another one would make nonsense of the rest.
    program: String,
    search: Deepening,
}

const WHAT: &str = "search 1";

/// Writes the search beside the file first, so that what was there before is lost only for something whole.
pub fn save(path: &Path, source: &Source, search: &Deepening) -> Result<(), Failure> {
    let name = path.display();
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fails = |e: &std::io::Error| Failure::writing(&name, e);
    let mut file = tempfile::NamedTempFile::new_in(folder).map_err(|e| fails(&e))?;
    let saved = Saved { deadheat: WHAT.into(), program: source.text.clone(), search: search.clone() };
    let mut out = std::io::BufWriter::new(&mut file);
    serde_json::to_writer(&mut out, &saved).map_err(|e| Failure::at(&name, e))?;
    std::io::Write::flush(&mut out).map_err(|e| fails(&e))?;
    drop(out);
    file.persist(path).map_err(|e| fails(&e.error))?;
    Ok(())
}

/// Reads a search of that program.
pub fn load(path: &Path, source: &Source) -> Result<Deepening, Failure> {
    let name = path.display();
    let file = fs::File::open(path).map_err(|e| Failure::at(&name, plain(&e)))?;
    let saved: Saved = serde_json::from_reader(BufReader::new(file))
        .map_err(|e| Failure::at(&name, format!("is no saved search: {e}")))?;
    if saved.deadheat != WHAT {
        return Err(Failure::at(&name, "was saved by another version"));
    }
    if saved.program != source.text {
        return Err(Failure::at(
            &name,
            format!("is a search of another program than {} is now", source.name),
        ));
    }
    Ok(saved.search)
}
