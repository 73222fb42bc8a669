//! Source text to tokens and comments.
//!
//! Every byte of a source belongs to a token, a comment, or white space. What other languages write and this one does not
//! (`+=`, `::`, `&`) is one token too, so that the parser can say what to write instead.

use crate::ast::Span;
use crate::error::{Error, Errors, harmful};

/// Longer sources are refused: offsets are 32 bits wide.
const LONGEST: usize = 1 << 30;

macro_rules! tokens {
    (words { $($word:ident $word_text:literal)* } marks { $($mark:ident $mark_text:literal)* } foreign { $($foreign:ident $foreign_text:literal)* }) => {
        /// What a token is; a name's or number's text is looked up in the source.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Token {
            Name,
            Int,
            Text,
            $($word,)*
            $($mark,)*
            $($foreign,)*
            /// The lexer has complained about it already.
            Bad,
            End,
        }

        impl Token {
            /// How it is spelt; a description where that varies.
            pub(crate) fn text(self) -> &'static str {
                match self {
                    Token::Name => "a name",
                    Token::Int => "a number",
                    Token::Text => "a string",
                    $(Token::$word => $word_text,)*
                    $(Token::$mark => $mark_text,)*
                    $(Token::$foreign => $foreign_text,)*
                    Token::Bad => "a mistake",
                    Token::End => "the end of the file",
                }
            }

            /// Is it a reserved word?
            pub(crate) fn is_word(self) -> bool {
                matches!(self, $(Token::$word)|*)
            }
        }

        fn word(text: &str) -> Token {
            match text {
                $($word_text => Token::$word,)*
                _ => Token::Name,
            }
        }

        /// The mark at the start of these bytes and its length; the longest there is.
        fn mark(bytes: &[u8]) -> Option<(Token, usize)> {
            let starts = |text: &str| bytes.starts_with(text.as_bytes());
            for length in [3, 2, 1] {
                $(if $mark_text.len() == length && starts($mark_text) { return Some((Token::$mark, length)) })*
                $(if $foreign_text.len() == length && starts($foreign_text) { return Some((Token::$foreign, length)) })*
            }
            None
        }
    };
}

tokens! {
    words {
        Global "global" Atomic "atomic" Class "class" Fn "fn" Main "main" Thread "thread" Finally "finally"
        Let "let" If "if" Else "else" While "while" Lock "lock" Unlock "unlock" Sync "sync" Wait "wait"
        Deschedule "deschedule" MakeRunnable "make_runnable" Yield "yield" Close "close" Select "select" Case "case"
        Default "default" Free "free" Assert "assert" Panic "panic" Print "print" Return "return"
        New "new" Chan "chan" Spawn "spawn" True "true" False "false" Null "null" This "this"
        IntType "int" BoolType "bool" Mutex "mutex"
    }
    marks {
        OpenBrace "{" CloseBrace "}" OpenParen "(" CloseParen ")" OpenBracket "[" CloseBracket "]"
        Comma "," Semicolon ";" Colon ":" Dot "." Arrow "->" Channel "<-" Assign "="
        Equal "==" NotEqual "!=" Less "<" LessEqual "<=" Greater ">" GreaterEqual ">="
        Plus "+" Minus "-" Star "*" Slash "/" Percent "%" Not "!" And "&&" Or "||"
    }
    foreign {
        PlusAssign "+=" MinusAssign "-=" StarAssign "*=" SlashAssign "/=" PercentAssign "%="
        Increment "++" Decrement "--" Define ":=" Path "::" FatArrow "=>" StrictEqual "===" StrictNotEqual "!=="
        Ampersand "&" Pipe "|" Caret "^" ShiftLeft "<<" ShiftRight ">>" Question "?"
    }
}

/// A token where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Lexeme {
    pub(crate) token: Token,
    pub(crate) span: Span,
}

/// All of a source.
#[derive(Default)]
pub(crate) struct Lexed {
    /// In order; the last is [`Token::End`], of no length.
    pub(crate) tokens: Vec<Lexeme>,
    /// Comments with their slashes and stars, without the line's end.
    pub(crate) comments: Vec<Span>,
}

/// Cuts a source into tokens; mistakes go to `errors` and leave [`Token::Bad`] behind.
pub(crate) fn lex(source: &str, errors: &mut Errors) -> Lexed {
    if source.len() > LONGEST {
        let what = format!("the program is {} MiB long", source.len() >> 20);
        errors.push(Error::new(Span::default(), what, format!("at most {} MiB can be read", LONGEST >> 20)));
        let end = Lexeme { token: Token::End, span: Span::default() };
        return Lexed { tokens: vec![end], comments: Vec::new() };
    }
    let start = if source.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    let mut lexer = Lexer { source, bytes: source.as_bytes(), at: start, out: Lexed::default(), errors };
    lexer.out.tokens.reserve(source.len() / 4);
    while lexer.step() {}
    lexer.out
}

struct Lexer<'a> {
    source: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: Lexed,
    errors: &'a mut Errors,
}

impl Lexer<'_> {
    /// One token or comment, and whether there is more.
    fn step(&mut self) -> bool {
        self.skip(|b| b.is_ascii_whitespace());
        let start = self.at;
        let Some(&first) = self.bytes.get(start) else {
            self.push(Token::End, start);
            return false;
        };
        match first {
            b'/' if self.bytes[start..].starts_with(b"//") => self.line_comment(),
            b'/' if self.bytes[start..].starts_with(b"/*") => self.block_comment(),
            b'"' => self.string(),
            b'0'..=b'9' => {
                self.skip(|b| b.is_ascii_alphanumeric() || b == b'_');
                self.push(Token::Int, start);
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                self.skip(|b| b.is_ascii_alphanumeric() || b == b'_');
                self.push(word(&self.source[start..self.at]), start);
            }
            _ => match mark(&self.bytes[start..]) {
                Some((token, length)) => {
                    self.at += length;
                    self.push(token, start);
                }
                None => self.unknown(),
            },
        }
        true
    }

    fn skip(&mut self, mut over: impl FnMut(u8) -> bool) {
        self.at += self.bytes[self.at..].iter().take_while(|b| over(**b)).count();
    }

    fn push(&mut self, token: Token, start: usize) {
        self.out.tokens.push(Lexeme { token, span: span(start, self.at) });
    }

    fn line_comment(&mut self) {
        let start = self.at;
        self.skip(|b| b != b'\n');
        self.out.comments.push(span(start, self.at));
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.source[start + 2..].find("*/") {
            Some(length) => self.at = start + 2 + length + 2,
            None => {
                self.at = self.bytes.len();
                let error =
                    Error::new(span(start, start + 2), "this comment is not closed", "it starts here")
                        .help("close it with `*/`");
                self.errors.push(error);
            }
        }
        self.out.comments.push(span(start, self.at));
    }

    /// A string ends on its line; a backslash keeps the next byte from ending it.
    fn string(&mut self) {
        let start = self.at;
        self.at += 1;
        let mut escaped = false;
        self.skip(|b| {
            let inside = b != b'\n' && (escaped || b != b'"');
            escaped = !escaped && b == b'\\';
            inside
        });
        if self.bytes.get(self.at) == Some(&b'"') {
            self.at += 1;
            self.push(Token::Text, start);
        } else {
            self.errors.push(
                Error::new(span(start, start + 1), "this string is not closed", "it starts here")
                    .help("close it with `\"` on the same line; `\\n` is a line break"),
            );
            self.push(Token::Bad, start);
        }
    }

    fn unknown(&mut self) {
        let start = self.at;
        let Some(what) = self.source[start..].chars().next() else { return };
        self.at += what.len_utf8();
        self.push(Token::Bad, start);
        let shown: String = if harmful(what) { what.escape_unicode().collect() } else { what.into() };
        let error =
            Error::new(span(start, self.at), format!("`{shown}` has no meaning here"), "not understood");
        self.errors.push(match instead_of(what) {
            Some(help) => error.help(help),
            None => error,
        });
    }
}

/// What was probably meant.
fn instead_of(what: char) -> Option<&'static str> {
    match what {
        '\u{201c}' | '\u{201d}' => Some("a string stands between straight quotes: `\"`"),
        '\'' | '\u{2018}' | '\u{2019}' => {
            Some("there are no characters; a string (`panic` only) stands in `\"`")
        }
        '\u{2212}' | '\u{2013}' | '\u{2014}' => Some("write the ASCII minus: `-`"),
        '\u{2260}' => Some("write `!=`"),
        '\u{2264}' => Some("write `<=`"),
        '\u{2265}' => Some("write `>=`"),
        '\u{2190}' => Some("write `<-`"),
        '\u{a0}' | '\u{200b}' | '\u{feff}' => Some("this is an invisible character; delete it"),
        '#' => Some("a comment starts with `//`"),
        '@' | '$' | '`' | '~' | '\\' => None,
        _ if what.is_alphanumeric() => Some("names are made of ASCII letters, digits and `_`"),
        _ => None,
    }
}

fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}
