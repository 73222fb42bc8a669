//! What the source says and the tree does not.

use crate::ast::Span;
use crate::error::Errors;
use crate::lexer::{Lexed, Lexeme, Token, lex};
use crate::parser::magnitude;
use std::borrow::Cow;

/// A source with its comments, of which the first ones are printed already; or no source at all.
pub(super) struct Layout<'s> {
    source: Option<&'s str>,
    lexed: Lexed,
    next_comment: usize,
}

impl<'s> Layout<'s> {
    pub(super) fn new(source: &'s str) -> Self {
        Layout { source: Some(source), lexed: lex(source, &mut Errors::default()), next_comment: 0 }
    }

    pub(super) fn none() -> Self {
        Layout { source: None, lexed: Lexed::default(), next_comment: 0 }
    }

    /// Is there a source?
    pub(super) fn is_some(&self) -> bool {
        self.source.is_some()
    }

    fn text(&self, span: Span) -> &'s str {
        self.source.and_then(|s| s.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// The next comment, if it starts before that place.
    pub(super) fn comment_before(&self, place: u32) -> Option<Span> {
        self.lexed.comments.get(self.next_comment).copied().filter(|c| c.start < place)
    }

    /// The next comment, if only white space of the same line is between that place and it.
    pub(super) fn comment_on_line(&self, place: u32) -> Option<Span> {
        let comment = *self.lexed.comments.get(self.next_comment)?;
        let between = self.source?.get(place as usize..comment.start as usize)?;
        between.bytes().all(|b| b != b'\n' && b.is_ascii_whitespace()).then_some(comment)
    }

    /// The text of the next comment, which is printed with this. Carriage returns and what a line comment has of white space at its end are lost.
    pub(super) fn take_comment(&mut self) -> Cow<'s, str> {
        let Some(comment) = self.lexed.comments.get(self.next_comment).copied() else {
            return Cow::Borrowed("");
        };
        self.next_comment += 1;
        let text = self.text(comment);
        if text.contains('\r') {
            return Cow::Owned(text.replace('\r', "").trim_end().to_owned());
        }
        Cow::Borrowed(text.trim_end())
    }

    pub(super) fn is_line_comment(&self, comment: Span) -> bool {
        self.text(comment).starts_with("//")
    }

    /// Is there an empty line between these places?
    pub(super) fn blank_between(&self, from: u32, to: u32) -> bool {
        if from >= to {
            return false;
        }
        let mut lines = self.text(Span { start: from, end: to }).split('\n').skip(1).peekable();
        while let Some(line) = lines.next() {
            if lines.peek().is_some() && line.trim().is_empty() {
                return true;
            }
        }
        false
    }

    /// The tokens from that place on.
    fn tokens(&self, from: u32) -> &[Lexeme] {
        let first = self.lexed.tokens.partition_point(|t| t.span.start < from);
        &self.lexed.tokens[first..]
    }

    /// The first such token from there on.
    pub(super) fn find(&self, token: Token, from: u32) -> Option<Span> {
        self.tokens(from).iter().find(|t| t.token == token).map(|t| t.span)
    }

    /// Where the first block starts in what lies there, or where it ends.
    pub(super) fn header(&self, span: Span) -> u32 {
        let brace = self.tokens(span.start).iter().take_while(|t| t.span.start < span.end);
        let mut braces = brace.filter(|t| t.token == Token::OpenBrace);
        braces.next().map_or(span.end, |t| t.span.start)
    }

    /// Is a type written behind that name?
    pub(super) fn says_type(&self, name: Span) -> bool {
        self.tokens(name.end).first().is_some_and(|t| t.token == Token::Colon)
    }

    /// The tokens of a declaration behind its name, up to the comma or semicolon that ends it, and that.
    fn declaration(&self, name: Span) -> (&[Lexeme], Option<&Lexeme>) {
        let tokens = self.tokens(name.end);
        let mut depth = 0_u32;
        let ends = |t: &Lexeme| {
            match t.token {
                Token::OpenBracket => depth += 1,
                Token::CloseBracket => depth = depth.saturating_sub(1),
                Token::Comma | Token::Semicolon if depth == 0 => return true,
                _ => {}
            }
            false
        };
        let end = tokens.iter().position(ends).unwrap_or(tokens.len());
        (&tokens[..end], tokens.get(end))
    }

    /// Does the declaration say what the variable holds at first?
    pub(super) fn says_value(&self, name: Span) -> bool {
        self.declaration(name).0.iter().any(|t| t.token == Token::Assign)
    }

    /// Does the declaration go on with another variable?
    pub(super) fn goes_on(&self, name: Span) -> bool {
        self.declaration(name).1.is_some_and(|t| t.token == Token::Comma)
    }

    /// The end of the semicolon of the declaration.
    pub(super) fn declaration_end(&self, name: Span) -> u32 {
        self.declaration(name).1.map_or(name.end, |t| t.span.end)
    }

    /// The number as the declaration writes it, if it does.
    pub(super) fn start_value(&self, name: Span, value: i64) -> Option<&'s str> {
        let number = self.declaration(name).0.iter().rfind(|t| t.token == Token::Int)?;
        self.number(number.span, value.unsigned_abs())
    }

    /// The number that stands there as it is written, if it is that one.
    pub(super) fn number(&self, span: Span, value: u64) -> Option<&'s str> {
        let text = self.text(span);
        let text = text.strip_prefix('-').unwrap_or(text);
        (magnitude(text) == Some(value)).then_some(text)
    }
}
