//! What is wrong with a program, where, and what to do about it.

use crate::ast::Span;
use ariadne::{Color, Config, IndexType, Label, Report, ReportKind, Source};
use std::borrow::Cow;
use std::ops::Range;

/// More are not told: the first are the ones worth reading.
const MOST: usize = 20;

/// A mistake in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Where it is.
    pub span: Span,
    /// What is wrong, in a sentence.
    pub message: String,
    /// What stands at the place itself.
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
    /// Another place that matters: the opening brace, the first definition.
    pub related: Option<(Span, String)>,
}

impl Error {
    /// That is wrong there.
    pub fn new(span: Span, message: impl Into<String>, label: impl Into<String>) -> Self {
        Error { span, message: message.into(), label: label.into(), help: None, related: None }
    }

    /// With what to write instead.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn related(mut self, span: Span, what: impl Into<String>) -> Self {
        self.related = Some((span, what.into()));
        self
    }

    /// The error with the lines that it is about, for people.
    ///
    /// Control characters of the source and of the file's name are replaced: a program cannot draw on the terminal.
    pub fn render(&self, file_name: &str, source: &str, colour: bool) -> String {
        let (file, text) = (harmless(file_name), harmless(source));
        let places = [Some(self.span), self.related.as_ref().map(|r| r.0)];
        if places.into_iter().flatten().any(|p| line_around(&text, p).len() > WIDEST) {
            return self.plain(&file, &text);
        }
        let at = |span: Span| (&*file, on_one_line(&text, span));
        let config = Config::default().with_color(colour).with_index_type(IndexType::Byte);
        let mut labels = vec![(self.span, &self.label, Color::Red)];
        labels.extend(self.related.iter().map(|(span, what)| (*span, what, Color::Blue)));
        labels.sort_by_key(|(span, ..)| span.start);
        let mut report = Report::build(ReportKind::Error, at(self.span)).with_config(config);
        report = report.with_message(harmless(&self.message));
        for (span, what, colour) in labels {
            report.add_label(Label::new(at(span)).with_message(harmless(what)).with_color(colour));
        }
        if let Some(help) = &self.help {
            report.add_help(harmless(help));
        }
        let mut out = Vec::new();
        match report.finish().write((&*file, Source::from(&*text)), &mut out) {
            Ok(()) => String::from_utf8_lossy(&out).lines().map(|l| format!("{}\n", l.trim_end())).collect(),
            Err(_) => self.plain(&file, &text),
        }
    }

    /// Without a picture of the source.
    fn plain(&self, file: &str, text: &str) -> String {
        let at = on_one_line(text, self.span).start;
        let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
        let (line, column) = (text[..at].matches('\n').count() + 1, text[start..at].chars().count() + 1);
        let help = self.help.as_ref().map_or(String::new(), |h| format!("  Help: {h}\n"));
        let told = format!("Error: {}\n  {file}:{line}:{column}: {}\n{help}", self.message, self.label);
        harmless(&told).into_owned()
    }
}

/// Longer lines are not shown.
const WIDEST: usize = 1000;

/// The span within its first line, and within the text.
fn on_one_line(text: &str, span: Span) -> Range<usize> {
    let mut start = (span.start as usize).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let line = text[start..].find('\n').map_or(text.len(), |n| start + n);
    let mut end = (span.end as usize).clamp(start, line);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    start..end
}

fn line_around(text: &str, span: Span) -> &str {
    let Range { start, .. } = on_one_line(text, span);
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    &text[line..][..text[line..].find('\n').unwrap_or(text.len() - line)]
}

/// Can it move the cursor, break a line or reverse the direction of writing?
pub(crate) fn harmful(c: char) -> bool {
    (c.is_control() && c != '\n' && c != '\t')
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with another character of the same length for every one that is harmful.
fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(harmful) {
        return Cow::Borrowed(text);
    }
    let replace = |c: char| match c {
        '\r' => ' ',
        _ if !harmful(c) => c,
        _ => ['?', '\u{bf}', '\u{fffd}'][c.len_utf8() - 1],
    };
    Cow::Owned(text.chars().map(replace).collect())
}

/// The start of a text, for a message: names and numbers can be as long as the file.
pub(crate) fn shorten(text: &str) -> String {
    const LONGEST: usize = 40;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// The word that is most like it, if one is; for messages.
pub(crate) fn similar<'a>(word: &str, among: impl Iterator<Item = &'a str>) -> Option<String> {
    // Longer words are as unlike as they are long, and comparing takes the product of the lengths.
    const LONGEST: usize = 64;
    if word.len() > LONGEST {
        return None;
    }
    let distance = |w: &str| strsim::osa_distance(&word.to_lowercase(), &w.to_lowercase());
    let close = among.filter(|w| w.len() <= LONGEST).map(|w| (distance(w), w));
    let (distance, best) = close.min()?;
    (distance <= word.len().div_ceil(3)).then(|| best.to_owned())
}

/// Errors as they come, until there are too many.
#[derive(Default)]
pub(crate) struct Errors {
    list: Vec<Error>,
    closed: bool,
}

impl Errors {
    /// Keeps it, unless something was said about the very place already.
    pub(crate) fn push(&mut self, error: Error) {
        let said = self.list.iter().any(|e| e.span.start == error.span.start);
        if !self.is_full() && !said {
            self.list.push(error);
        }
    }

    /// Nothing more is worth saying.
    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Is nothing wrong yet?
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Would no other be kept?
    pub(crate) fn is_full(&self) -> bool {
        self.closed || self.list.len() >= MOST
    }

    /// `value` if nothing is wrong, otherwise what is, in the order of the source.
    pub(crate) fn or<T>(self, value: T) -> Result<T, Vec<Error>> {
        if self.list.is_empty() {
            return Ok(value);
        }
        let mut list = self.list;
        list.sort_by_key(|e| e.span.start);
        Err(list)
    }
}
