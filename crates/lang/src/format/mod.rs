//! The syntax tree as text.
//!
//! One printer serves two purposes. [`format()`] has the source: it keeps comments, single blank lines, and what the tree does not
//! know (`0xff`, `: int`, lists of globals). [`print()`] has only the tree. Line breaks are the printer's alone: a statement is a line, however long.
//!
//! A comment stays where it can: on lines of its own before a statement, behind one, behind an opening brace. One that
//! stands in the middle of a statement goes to the line before it; one before an `else`, into its block.

mod expressions;
mod items;
mod layout;
mod statements;

use crate::ast::{Program, Span};
use layout::Layout;

/// The program in its one right form, with the comments of `source`, which must be what it was parsed from.
pub fn format(program: &Program, source: &str) -> String {
    Printer::new(Layout::new(source)).program(program)
}

/// A program that was made and not parsed.
pub fn print(program: &Program) -> String {
    Printer::new(Layout::none()).program(program)
}

/// A level of indentation.
const INDENT: &str = "    ";

struct Printer<'s> {
    out: String,
    indent: usize,
    layout: Layout<'s>,
    /// How far the source has been told: the end of what was printed last.
    told: u32,
    /// Is the next line the first of its block?
    fresh: bool,
}

/// Whether a blank line must stand before something, or stands there only if it did.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Kept,
    Forced,
}

impl<'s> Printer<'s> {
    fn new(layout: Layout<'s>) -> Self {
        Printer { out: String::new(), indent: 0, layout, told: 0, fresh: true }
    }

    fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn start_line(&mut self) {
        for _ in 0..self.indent {
            self.out.push_str(INDENT);
        }
        self.fresh = false;
    }

    /// Begins the line of something that starts at `start`, after the comments before `header`, where its first block starts
    /// or it ends.
    fn begin(&mut self, start: u32, header: u32, gap: Gap) {
        let first = self.layout.comment_before(header).map_or(start, |c| c.start.min(start));
        if !self.fresh && (gap == Gap::Forced || self.layout.blank_between(self.told, first)) {
            self.push("\n");
            self.fresh = true;
        }
        if self.comments(header) && self.layout.blank_between(self.told, start) {
            self.push("\n");
        }
        self.start_line();
    }

    /// The comments before that place, on lines of their own; were there any?
    fn comments(&mut self, before: u32) -> bool {
        let mut any = false;
        while let Some(comment) = self.layout.comment_before(before) {
            if !self.fresh && self.layout.blank_between(self.told, comment.start) {
                self.push("\n");
            }
            self.start_line();
            self.comment(comment);
            self.push("\n");
            any = true;
        }
        any
    }

    fn comment(&mut self, comment: Span) {
        let text = self.layout.take_comment();
        self.push(&text);
        self.told = self.told.max(comment.end);
    }

    /// Ends the line of something that ended there, with the comments behind it and those left over from within it.
    fn end_line(&mut self, end: u32) {
        self.told = self.told.max(end);
        let mut line_is_full = false;
        while let Some(comment) =
            self.layout.comment_before(end).or_else(|| self.layout.comment_on_line(self.told))
        {
            if line_is_full {
                self.push("\n");
                self.start_line();
            } else {
                self.push(" ");
            }
            line_is_full |= self.layout.is_line_comment(comment);
            self.comment(comment);
        }
        self.push("\n");
        self.fresh = false;
    }

    /// `{`, what stands behind it on its line, and its lines one level deeper.
    fn open(&mut self, brace: u32, empty: bool) {
        self.push("{");
        self.told = self.told.max(brace.saturating_add(1));
        let left_over = self.layout.comment_before(brace).is_some();
        if empty || left_over {
            self.push("\n");
        } else {
            self.end_line(0);
        }
        self.fresh = true;
        self.indent += 1;
        self.comments(brace);
    }

    /// The comments before `}`, and it.
    fn close(&mut self, brace: u32) {
        self.comments(brace);
        self.indent -= 1;
        self.start_line();
        self.push("}");
        self.told = self.told.max(brace.saturating_add(1));
    }
}
