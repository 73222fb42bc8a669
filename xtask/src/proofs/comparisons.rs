//! Every comparison of every definition in `proofs/coq`, with a mistake in it, one at a time: a proof has to break each time.
//!
//! A mistake is made in a copy of what has been built, and what depends on it is built there until the first error. What became of it is remembered
//! by the texts on which that depends, so the next run tries what is new or changed. `excused.txt` has the mistakes that change nothing, with the reasons.

mod look;
mod scan;

use super::{cannot, copy_changed, end_of, install, mutants, said, without_comments};
use crate::shell::{Step, root, target};
use look::Look;
use scan::Comparison;
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Stdio;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fmt, thread};

/// Proves nothing, and takes longest: it is left out.
const NO_PROOFS: &str = "Assumptions.v";

/// Ends who has used up its time.
const SIGXCPU: i32 = 24;

/// Tries all mistakes in those files, or in all if none is named; an error if one gets through that is not excused, or if a comparison has none that compiles.
pub fn run(files: &[String]) -> Step {
    install()?;
    let place = target().join("proofs/comparisons");
    let built = place.join("built");
    copy_changed(&built)?;
    let sources = Sources::read(&built)?;
    said(&built, "coq_makefile", &["-f", "_CoqProject", "-o", "build.mk"])?;
    let compiled = sources.0.keys().map(|file| format!("{file}o")).collect::<Vec<_>>();
    let goals = compiled.iter().map(String::as_str);
    said(&built, "make", &["--silent", "-f", "build.mk"].into_iter().chain(goals).collect::<Vec<_>>())?;
    let mut mistakes = sources.mistakes();
    mistakes.retain(|mistake| files.is_empty() || files.iter().any(|file| file == mistake.file));
    let outcomes = try_all(&sources, &mistakes, &place)?;
    judge(&mistakes, &outcomes)
}

/// The Coq files by name.
struct Sources(BTreeMap<String, Source>);

struct Source {
    text: String,
    hash: u64,
    needs: BTreeSet<String>,
}

impl Sources {
    fn read(folder: &Path) -> Result<Sources, String> {
        let mut sources = BTreeMap::new();
        for path in super::files(folder)?.into_iter().filter(|f| f.extension().is_some_and(|e| e == "v")) {
            if path.ends_with(NO_PROOFS) {
                continue;
            }
            let text = fs::read_to_string(&path).map_err(|e| cannot("read", &path, &e))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let source = Source { hash: hash(&text), needs: needs(&without_comments(&text)), text };
            sources.insert(name, source);
        }
        Ok(Sources(sources))
    }

    /// The first mistake of every comparison, then the second ones: who stops early has seen something of each.
    fn mistakes(&self) -> Vec<Mistake<'_>> {
        let mut mistakes = Vec::new();
        for (file, Source { text, .. }) in &self.0 {
            for Comparison { sentence, place, mistakes: instead } in scan::comparisons(text) {
                let line = text[..place.start].matches('\n').count() + 1;
                for (nth, new) in instead.into_iter().enumerate() {
                    let sentence = sentence.start..sentence.end + new.len() - place.len();
                    mistakes.push((nth, Mistake { file, text, line, sentence, place: place.clone(), new }));
                }
            }
        }
        mistakes.sort_by_key(|(nth, _)| *nth);
        mistakes.into_iter().map(|(_, mistake)| mistake).collect()
    }

    /// That file and all that it needs.
    fn closure<'a>(&'a self, file: &'a str) -> BTreeSet<&'a str> {
        let (mut all, mut todo) = (BTreeSet::new(), vec![file]);
        while let Some(file) = todo.pop() {
            if let Some(source) = self.0.get(file)
                && all.insert(file)
            {
                todo.extend(source.needs.iter().map(String::as_str));
            }
        }
        all
    }

    /// That file and all that need it, each after what it needs: that has fewer needs.
    fn dependents(&self, file: &str) -> Vec<&str> {
        let closures = self.0.keys().map(|user| (self.closure(user), user.as_str()));
        let mut users: Vec<_> = closures.filter(|(closure, _)| closure.contains(file)).collect();
        users.sort_by_key(|(closure, user)| (closure.len(), *user));
        users.into_iter().map(|(_, user)| user).collect()
    }

    /// What the outcome of building that file with the mistake depends on.
    fn fingerprint(&self, file: &str, mistake: &Mistake<'_>, mistaken: u64) -> u64 {
        let all = self.closure(file);
        let hashes = all.iter().map(|f| if *f == mistake.file { mistaken } else { self.0[*f].hash });
        hash(&(file, mistake.file, hashes.collect::<Vec<_>>()))
    }

    /// The same for all files.
    fn whole(&self, mistake: &Mistake<'_>, mistaken: u64) -> u64 {
        let hashes = self.0.iter().map(|(f, s)| if f == mistake.file { mistaken } else { s.hash });
        hash(&(mistake.file, hashes.collect::<Vec<_>>()))
    }

    /// What is remembered of that mistake.
    fn remembered(&self, mistake: &Mistake<'_>, known: &HashMap<u64, Outcome>) -> Option<Outcome> {
        let mistaken = hash(&mistake.apply());
        let whole = known.get(&self.whole(mistake, mistaken));
        whole
            .or_else(|| self.0.keys().find_map(|f| known.get(&self.fingerprint(f, mistake, mistaken))))
            .cloned()
    }

    /// Under what to remember it.
    fn key(&self, mistake: &Mistake<'_>, outcome: &Outcome) -> u64 {
        let mistaken = hash(&mistake.apply());
        match outcome {
            Outcome::Breaks(place) => {
                let file = place.split(':').next().unwrap_or_default();
                self.fingerprint(file, mistake, mistaken)
            }
            Outcome::DoesNotCompile => self.fingerprint(mistake.file, mistake, mistaken),
            Outcome::Survives => self.whole(mistake, mistaken),
        }
    }
}

/// The files of this project that a text requires.
fn needs(text: &str) -> BTreeSet<String> {
    let sentences = scan::sentences(text).into_iter().map(|sentence| &text[sentence]);
    let required = sentences.filter_map(|sentence| sentence.strip_prefix("From Deadheat Require "));
    let words = required.flat_map(|names| names.split(|c: char| !c.is_alphanumeric() && c != '_'));
    words.filter(|word| !["", "Import", "Export"].contains(word)).map(|word| format!("{word}.v")).collect()
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Something else in the place of a comparison.
struct Mistake<'a> {
    file: &'a str,
    text: &'a str,
    line: usize,
    /// Where the sentence is once the mistake is made.
    sentence: std::ops::Range<usize>,
    place: std::ops::Range<usize>,
    new: String,
}

impl Mistake<'_> {
    fn apply(&self) -> String {
        [&self.text[..self.place.start], &self.new, &self.text[self.place.end..]].concat()
    }

    /// The line before and after.
    fn lines(&self) -> [String; 2] {
        let line = |text: &str| format!("{}\n", text.lines().nth(self.line - 1).unwrap_or_default());
        [line(self.text), line(&self.apply())]
    }

    fn is_excused_by(&self, excuse: &mutants::Mutant<'_>) -> bool {
        excuse.file == self.file && [&excuse.old, &excuse.new] == self.lines().each_ref()
    }
}

impl fmt::Display for Mistake<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let column =
            self.text[..self.place.start].rfind('\n').map_or(self.place.start, |n| self.place.start - n - 1);
        let (old, new) =
            (&self.text[self.place.clone()], if self.new.is_empty() { "nothing" } else { &self.new });
        write!(f, "{}:{}:{}: {old} -> {new}", self.file, self.line, column + 1)
    }
}

/// What became of a mistake.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Outcome {
    /// There, in a file and line, is the first error.
    Breaks(String),
    /// The definition itself is in error.
    DoesNotCompile,
    Survives,
}

impl Outcome {
    /// From what Coq printed before it failed.
    fn of(printed: &str, mistake: &Mistake<'_>) -> Result<Outcome, String> {
        let (file, line, column) =
            first_error(printed).ok_or_else(|| format!("{mistake}: Coq says:\n{printed}"))?;
        let text = mistake.apply();
        let before: usize = text.split_inclusive('\n').take(line - 1).map(str::len).sum();
        if file == mistake.file && mistake.sentence.contains(&(before + column)) {
            return Ok(Outcome::DoesNotCompile);
        }
        Ok(Outcome::Breaks(format!("{file}:{line}")))
    }

    fn parse(text: &str) -> Outcome {
        match text.split_once(' ') {
            Some(("breaks", place)) => Outcome::Breaks(place.to_owned()),
            _ if text == "survives" => Outcome::Survives,
            _ => Outcome::DoesNotCompile,
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Breaks(place) => write!(f, "breaks {place}"),
            Outcome::DoesNotCompile => f.write_str("does not compile"),
            Outcome::Survives => f.write_str("survives"),
        }
    }
}

/// The file, line and column of the first error in what Coq printed; it says where warnings are, too.
fn first_error(printed: &str) -> Option<(&str, usize, usize)> {
    let lines: Vec<&str> = printed.lines().collect();
    let error = lines.windows(2).find(|two| two[0].starts_with("File ") && two[1].starts_with("Error"))?[0];
    let (file, rest) = error.strip_prefix("File \"./")?.split_once("\", line ")?;
    let (line, rest) = rest.split_once(", characters ")?;
    Some((file, line.parse().ok()?, rest.split('-').next()?.parse().ok()?))
}

/// What becomes of each, remembered or tried now, by at most two at a time.
fn try_all(sources: &Sources, mistakes: &[Mistake<'_>], place: &Path) -> Result<Vec<Outcome>, String> {
    let memory = place.join("outcomes.txt");
    let known = fs::read_to_string(&memory).unwrap_or_default();
    let known = known.lines().filter_map(|line| line.split_once(' '));
    let known: HashMap<u64, Outcome> =
        known.filter_map(|(key, o)| Some((u64::from_str_radix(key, 16).ok()?, Outcome::parse(o)))).collect();
    let outcomes: Vec<_> = mistakes.iter().map(|mistake| sources.remembered(mistake, &known)).collect();
    let todo: Vec<usize> = (0..mistakes.len()).filter(|i| outcomes[*i].is_none()).collect();
    println!("{} mistakes, {} of them tried before", mistakes.len(), mistakes.len() - todo.len());
    let memory = OpenOptions::new().create(true).append(true).open(&memory);
    let memory = memory.map_err(|e| cannot("write", place, &e))?;
    let work =
        Work { sources, mistakes, todo, next: AtomicUsize::new(0), done: Mutex::new((outcomes, memory)) };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(2);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers)
            .map(|n| {
                let (work, folder) = (&work, place.join(format!("mistaken-{n}")));
                scope.spawn(move || work.go_on(place, &folder))
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker does not panic"))
    })?;
    let (outcomes, _) = work.done.into_inner().expect("no worker panicked");
    Ok(outcomes.into_iter().flatten().collect())
}

/// What the workers share.
struct Work<'a> {
    sources: &'a Sources,
    mistakes: &'a [Mistake<'a>],
    todo: Vec<usize>,
    next: AtomicUsize,
    done: Mutex<(Vec<Option<Outcome>>, File)>,
}

impl Work<'_> {
    /// Tries one mistake after the other in that folder.
    fn go_on(&self, place: &Path, folder: &Path) -> Step {
        let built = place.join("built");
        let mut look: Option<Look> = None;
        loop {
            let n = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(i) = self.todo.get(n) else { return Ok(()) };
            let mistake = &self.mistakes[*i];
            let mut at_file = match look.take().filter(|look| look.file == mistake.file) {
                Some(look) => look,
                None => Look::at(&built, mistake.file, mistake.text)?,
            };
            let outcome = match at_file.outcome(mistake)? {
                Some(outcome) => outcome,
                None => attempt(mistake, self.sources, &built, folder)?,
            };
            look = Some(at_file);
            let mut done = self.done.lock().expect("no worker panicked");
            println!("[{}/{}] {mistake}: {outcome}", n + 1, self.todo.len());
            let key = self.sources.key(mistake, &outcome);
            writeln!(done.1, "{key:016x} {outcome}").map_err(|e| cannot("write", place, &e))?;
            done.0[*i] = Some(outcome);
        }
    }
}

/// Makes a mistake in a copy of what is built, and builds what depends on it until something fails.
fn attempt(mistake: &Mistake<'_>, sources: &Sources, built: &Path, folder: &Path) -> Result<Outcome, String> {
    let _ = fs::remove_dir_all(folder);
    let [from, to] = [built, folder].map(|path| path.display().to_string());
    end_of(Stdio::null(), built, "cp", &["--archive", &from, &to])?;
    fs::write(folder.join(mistake.file), mistake.apply()).map_err(|e| cannot("write", folder, &e))?;
    for file in sources.dependents(mistake.file) {
        // Tactics may search for ever for a proof of what is wrong.
        let coqc = format!("ulimit -S -t 200; exec coqc -q -noglob -Q . Deadheat {file} 2>&1");
        let ended = end_of(Stdio::piped(), folder, "sh", &["-c", &coqc])?;
        if ended.status.signal() == Some(SIGXCPU) {
            return Ok(Outcome::Breaks(format!("{file}: no end")));
        }
        if !ended.status.success() {
            return Outcome::of(&String::from_utf8_lossy(&ended.stdout), mistake);
        }
    }
    Ok(Outcome::Survives)
}

/// Counts, and complains about what gets through.
fn judge(mistakes: &[Mistake<'_>], outcomes: &[Outcome]) -> Step {
    let list = root().join("proofs/coq/excused.txt");
    let text = fs::read_to_string(&list).map_err(|e| cannot("read", &list, &e))?;
    let excuses = mutants::parse(&text);
    // Whether one of its mistakes compiles.
    let mut comparisons: BTreeMap<(&str, usize, usize), bool> = BTreeMap::new();
    let (mut broken, mut excused, mut complaints) = (0, 0, Vec::new());
    for (mistake, outcome) in mistakes.iter().zip(outcomes) {
        let tried = comparisons.entry((mistake.file, mistake.line, mistake.place.start)).or_default();
        *tried |= *outcome != Outcome::DoesNotCompile;
        let is_excused = excuses.iter().any(|excuse| mistake.is_excused_by(excuse));
        match outcome {
            Outcome::Breaks(_) => broken += 1,
            Outcome::Survives if is_excused => excused += 1,
            Outcome::Survives => complaints.push(format!("{mistake}: survives")),
            Outcome::DoesNotCompile => {}
        }
    }
    for excuse in excuses.iter().filter(|excuse| mistakes.iter().any(|mistake| mistake.file == excuse.file)) {
        let of_use = |(m, o): (&Mistake<'_>, &Outcome)| *o == Outcome::Survives && m.is_excused_by(excuse);
        if !mistakes.iter().zip(outcomes).any(of_use) {
            complaints
                .push(format!("excused.txt: {}: no such mistake survives: {}", excuse.file, excuse.what));
        }
    }
    let untried = comparisons.iter().filter(|(_, tried)| !**tried);
    complaints.extend(untried.map(|((file, line, _), _)| format!("{file}:{line}: no mistake compiles")));
    let uncompiled = outcomes.iter().filter(|outcome| **outcome == Outcome::DoesNotCompile).count();
    println!(
        "{} comparisons, {} mistakes: {broken} break a proof, {uncompiled} do not compile, {excused} are excused, {} survive",
        comparisons.len(),
        mistakes.len(),
        mistakes.len() - broken - uncompiled - excused
    );
    if complaints.is_empty() {
        Ok(())
    } else {
        Err(format!("of the comparisons:\n{}", complaints.join("\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake<'a>(text: &'a str, new: &str) -> Mistake<'a> {
        let comparison = scan::comparisons(text).remove(0);
        let line = text[..comparison.place.start].matches('\n').count() + 1;
        let Comparison { sentence, place, .. } = comparison;
        Mistake { file: "A.v", text, line, sentence, place, new: new.to_owned() }
    }

    #[test]
    fn an_error_in_the_definition_is_told_from_one_in_a_proof() {
        let text = "Lemma a : b.\nDefinition x :=\n  a = b. Lemma c : d.\n";
        let mistake = mistake(text, "<>");
        let at = |line: u32, from: u32| {
            let warning = "File \"./A.v\", line 1, characters 0-1:\nWarning: deprecated\n";
            let error = format!(
                "{warning}File \"./A.v\", line {line}, characters {from}-9:\nError: no\nmake: *** []\n"
            );
            Outcome::of(&error, &mistake)
        };
        assert_eq!(at(3, 2), Ok(Outcome::DoesNotCompile));
        assert_eq!(at(2, 0), Ok(Outcome::DoesNotCompile));
        assert_eq!(at(3, 10), Ok(Outcome::Breaks("A.v:3".into())));
        assert_eq!(at(1, 0), Ok(Outcome::Breaks("A.v:1".into())));
        assert!(Outcome::of("make: *** no rule", &mistake).is_err());
    }

    #[test]
    fn outcomes_are_written_and_read() {
        for outcome in [Outcome::Breaks("A.v:3".into()), Outcome::DoesNotCompile, Outcome::Survives] {
            assert_eq!(Outcome::parse(&outcome.to_string()), outcome);
        }
    }

    #[test]
    fn an_excuse_names_the_lines() {
        let mistake = mistake("Definition x :=\n  a = b.\n", "<>");
        let excuses = mutants::parse("@ A.v: why\n-  a = b.\n+  a <> b.\n@ A.v: no\n-  a = b.\n+  a < b.\n");
        let excused: Vec<_> = excuses.iter().map(|excuse| mistake.is_excused_by(excuse)).collect();
        assert_eq!(excused, [true, false]);
    }

    #[test]
    fn what_is_remembered_depends_on_what_a_file_needs() {
        let source = |text: &str| Source { text: text.into(), hash: hash(&text), needs: needs(text) };
        let sources = |c: &str| {
            let files =
                [("A.v", "Definition x := a = b."), ("B.v", "From Deadheat Require Import A.\n"), ("C.v", c)];
            Sources(files.map(|(name, text)| (name.to_owned(), source(text))).into())
        };
        let (one, other) = (sources("(* *)"), sources(""));
        let mistake = mistake("Definition x := a = b.", "<>");
        let breaks = Outcome::Breaks("B.v:1".into());
        let known = HashMap::from([(one.key(&mistake, &breaks), breaks.clone())]);
        assert_eq!(other.remembered(&mistake, &known), Some(breaks));
        let known = HashMap::from([(one.key(&mistake, &Outcome::Survives), Outcome::Survives)]);
        assert_eq!(one.remembered(&mistake, &known), Some(Outcome::Survives));
        assert_eq!(other.remembered(&mistake, &known), None);
        assert_eq!(one.dependents("A.v"), ["A.v", "B.v"]);
    }
}
