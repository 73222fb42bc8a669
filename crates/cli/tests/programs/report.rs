//! The reports in what a program wrote to standard error, in ThreadSanitizer's form.

/// A line of a stack that lies in the program itself.
#[derive(Clone, Debug)]
pub struct Frame {
    pub function: String,
    pub line: usize,
}

/// One access of a report.
#[derive(Clone, Debug)]
pub struct Accessed {
    /// `read`, `write`, `atomic read`, `atomic write`.
    pub kind: String,
    /// The frames in the program's own sources, innermost first.
    pub frames: Vec<Frame>,
}

/// One report.
#[derive(Clone, Debug)]
pub struct Report {
    /// `data race`, `thread leak`, ...
    pub title: String,
    pub accesses: Vec<Accessed>,
}

impl Report {
    /// All reports in `text`; `sources` are the names of the files whose frames count.
    pub fn all(text: &str, sources: &[String]) -> Vec<Report> {
        let mut reports: Vec<Report> = Vec::new();
        let mut in_access = false;
        for line in text.lines() {
            if let Some(title) = title(line) {
                reports.push(Report { title, accesses: Vec::new() });
                in_access = false;
                continue;
            }
            let Some(report) = reports.last_mut() else { continue };
            if let Some(kind) = access_kind(line) {
                report.accesses.push(Accessed { kind, frames: Vec::new() });
                in_access = true;
            } else if line.trim().is_empty() {
                in_access = false;
            } else if in_access && let Some(frame) = frame(line, sources) {
                report.accesses.last_mut().expect("in an access").frames.push(frame);
            }
        }
        reports
    }

    /// The report in one line, for the table of failures.
    pub fn brief(&self) -> String {
        let side = |access: &Accessed| match access.frames.first() {
            Some(frame) => format!("{} on line {} in {}", access.kind, frame.line, frame.function),
            None => format!("{} without a frame of the program", access.kind),
        };
        let sides: Vec<String> = self.accesses.iter().map(side).collect();
        if sides.is_empty() { self.title.clone() } else { format!("{}: {}", self.title, sides.join(", ")) }
    }
}

/// `WARNING: ThreadSanitizer: data race (pid=7)` is the title `data race`.
fn title(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("WARNING: ThreadSanitizer: ")?;
    Some(rest.rsplit_once(" (pid=").map_or(rest, |(title, _)| title).to_string())
}

/// `  Previous atomic write of size 4 at 0x10 by thread T1:` is an `atomic write`.
fn access_kind(line: &str) -> Option<String> {
    let (before, _) = line.split_once(" of size ").or_else(|| line.split_once(" of "))?;
    let before = before.trim().to_lowercase();
    let kind = match before.strip_prefix("previous ").unwrap_or(&before) {
        "modifying access" => "write",
        "read-only access" => "read",
        kind => kind,
    };
    ["read", "write", "atomic read", "atomic write"].contains(&kind).then(|| kind.to_string())
}

/// `    #1 put /corpus/a.c:12:5 (a+0x40)` is line 12 in `put` if `a.c` is one of the sources.
fn frame(line: &str, sources: &[String]) -> Option<Frame> {
    let (number, rest) = line.trim().strip_prefix('#')?.split_once(' ')?;
    number.parse::<u32>().ok()?;
    sources.iter().find_map(|source| {
        let at = rest.find(&format!("{source}:"))?;
        let digits = rest[at + source.len() + 1..].split(|c: char| !c.is_ascii_digit()).next()?;
        let path = rest[..at].rfind(' ')?;
        Some(Frame { function: rest[..path].trim().to_string(), line: digits.parse().ok()? })
    })
}

#[test]
fn a_report_is_read() {
    let text = "\
noise
==================
WARNING: ThreadSanitizer: data race (pid=12)
  Write of size 4 at 0x55 by thread T2:
    #0 memcpy <null> (a+0x1)
    #1 put(int*) /corpus/a.cpp:12:5 (a+0x40) (BuildId: 77)

  Previous atomic read of size 4 at 0x55 by main thread:
    #0 main /corpus/a.cpp:30 (a+0x50)

  Thread T2 (tid=3, running) created by main thread at:
    #0 pthread_create <null> (a+0x1)
    #1 main /corpus/a.cpp:28 (a+0x60)

SUMMARY: ThreadSanitizer: data race /corpus/a.cpp:12:5 in put(int*)
";
    let reports = Report::all(text, &["a.cpp".to_string()]);
    assert_eq!(reports.len(), 1);
    assert_eq!(
        reports[0].brief(),
        "data race: write on line 12 in put(int*), atomic read on line 30 in main"
    );
}
