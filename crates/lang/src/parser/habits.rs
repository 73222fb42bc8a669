//! What people write who come from C, Go, Rust or Java, and what to write here.

use super::{Parsed, Parser};
use crate::ast::{Builtin, Expr, Span};
use crate::error::{Error, shorten, similar};
use crate::lexer::Token;

/// The first words of items and statements, and of nothing else.
const ITEMS: [&str; 7] = ["global", "atomic", "class", "fn", "main", "thread", "finally"];
const STATEMENTS: [&str; 18] = [
    "let",
    "if",
    "while",
    "lock",
    "unlock",
    "sync",
    "wait",
    "deschedule",
    "make_runnable",
    "yield",
    "close",
    "select",
    "free",
    "assert",
    "panic",
    "print",
    "return",
    "spawn",
];

/// Does an item start with it?
pub(super) fn is_item(token: Token) -> bool {
    token.is_word() && ITEMS.contains(&token.text())
}

/// Is it the first word of a statement, and of nothing else?
pub(super) fn starts_statement(token: Token) -> bool {
    token.is_word() && STATEMENTS.contains(&token.text())
}

/// The type of this language for one of another.
pub(super) fn foreign_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "i8" | "i16" | "i32" | "i64" | "u8" | "u16" | "u32" | "u64" | "usize" | "isize" => "int",
        "long" | "short" | "unsigned" | "char" | "Integer" | "int32" | "int64" | "size_t" => "int",
        "boolean" | "Boolean" => "bool",
        "Mutex" => "mutex",
        "Thread" => "thread",
        _ => return None,
    })
}

/// What to write in place of a mark that has no meaning here.
pub(super) fn mark(token: Token) -> Option<&'static str> {
    Some(match token {
        Token::PlusAssign
        | Token::MinusAssign
        | Token::StarAssign
        | Token::SlashAssign
        | Token::PercentAssign => "write the read and the write: `x = x + 1;`",
        Token::Increment => "write `x = x + 1;`",
        Token::Decrement => "write `x = x - 1;`, or `-(-x)` for a double negation",
        Token::Define => "write `let x = e;`",
        Token::StrictEqual => "write `==`",
        Token::StrictNotEqual => "write `!=`",
        Token::Path => "a type stands behind a single `:`, a method behind `.`",
        Token::Arrow => "fields and methods stand behind `.`, a heap cell is `p[i]`",
        Token::Ampersand => "there are no addresses and no bit operations; `and` is `&&`",
        Token::Pipe => "there are no bit operations; `or` is `||`",
        Token::Caret | Token::ShiftLeft | Token::ShiftRight => "there are no bit operations",
        Token::Star => "there are no pointers to follow; a heap cell is `p[0]`",
        Token::Question => "there is no `?:`; use `if`",
        _ => return None,
    })
}

/// Why that function cannot be spawned.
pub(super) fn builtin_as_thread(name: &str) -> Option<String> {
    Builtin::named(name)?;
    Some(format!("write a block: `spawn {{ {name}(..); }}`"))
}

/// A word that would make no sense as a name to readers of other languages.
pub(super) fn never_a_name(word: &str, span: Span) -> Option<Error> {
    let help = match word {
        "for" | "foreach" => "write `let i = 0; while i < n { ..; i = i + 1; }`",
        "break" | "continue" => "let the condition of `while` end the loop, or `return` from a function",
        "switch" => "write `if`, `else if` and `else`",
        "synchronized" => "write `sync m { .. }`",
        "catch" => "a failure ends the run; there is nothing to catch",
        _ => return None,
    };
    Some(Error::new(span, format!("there is no `{word}` in this language"), "not known").help(help))
}

/// A word of other languages at the start of a statement, where nothing that follows could make it a name.
fn foreign_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "do" | "loop" | "forever" => "write `while true { .. }`",
        "match" => "write `if`, `else if` and `else`",
        "elif" | "elsif" | "elseif" => "write `else if`",
        "var" | "auto" | "val" | "mut" => "write `let x = e;`",
        "const" => "write `let n = 3;` in a block, or `global n = 3;` outside",
        "go" | "async" | "fork" => "write `spawn f();` or `spawn { .. }`",
        "join" => "write `wait t;`",
        "throw" | "raise" | "abort" => "write `panic \"what happened\";`",
        "try" | "defer" | "goto" => "a failure ends the run; there is nothing to catch or defer",
        "delete" => "write `free p;`; objects are never freed",
        "printf" | "println" | "fmt" => "write `print a, b;`",
        _ => return None,
    })
}

/// A word that is almost one of those. Types of other languages, and words like classes' names, are taken for types.
fn misspelt(word: &str, among: &[&str]) -> Option<String> {
    let ty = foreign_type(word).is_some() || word.starts_with(|c: char| c.is_ascii_uppercase());
    let meant = similar(word, among.iter().copied()).filter(|_| !ty && word.len() > 2)?;
    Some(format!("did you mean `{meant}`?"))
}

/// A word of other languages at the start of an item.
fn foreign_item_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "func" | "function" | "def" | "proc" | "void" => "write `fn f(a, b) -> int { .. }`",
        "struct" | "type" | "interface" | "enum" | "trait" | "impl" | "record" => {
            "write `class C { x; next: C; fn m() { .. } }`"
        }
        "var" | "const" | "static" | "volatile" | "extern" => "write `global x = 1;` or `atomic x = 1;`",
        "import" | "include" | "use" | "package" | "module" | "mod" => "a program is one file",
        "public" | "private" | "pub" => "there is no visibility; leave it out",
        "threads" => "write `thread { .. }` for each",
        _ => return None,
    })
}

impl Parser<'_> {
    /// Two words in a row, the first of which could be a type: `int x`.
    pub(super) fn declares_by_type(&self) -> bool {
        let ends =
            matches!(self.peek_at(2), Token::Assign | Token::Semicolon | Token::Comma | Token::OpenBracket);
        self.names_type() && self.peek_at(1) == Token::Name && ends
    }

    /// Could the next word be a type?
    fn names_type(&self) -> bool {
        use Token::{BoolType, Chan, IntType, Mutex, Name, Thread};
        matches!(self.peek(), IntType | BoolType | Mutex | Name | Thread | Chan)
    }

    fn texts(&self) -> (String, String) {
        let next = self.tokens[(self.at + 1).min(self.tokens.len() - 1)].span;
        (shorten(self.text(self.here())), shorten(self.text(next)))
    }

    pub(super) fn foreign_statement(&self) -> Option<Error> {
        match self.peek() {
            Token::Else => {
                let error = Error::new(self.here(), "this `else` has no `if`", "nothing before it");
                Some(error.help("`else` follows the `}` of an `if`, without `;`"))
            }
            Token::Semicolon => {
                let error =
                    Error::new(self.here(), "there is no statement before this `;`", "nothing to end");
                Some(error.help("a block ends without `;`"))
            }
            Token::Name => self.foreign_start().or_else(|| self.local_by_type()),
            _ => self.local_by_type(),
        }
    }

    fn local_by_type(&self) -> Option<Error> {
        if !self.declares_by_type() {
            return None;
        }
        let (ty, name) = self.texts();
        let ty = foreign_type(&ty).unwrap_or(&ty);
        let error = Error::new(self.here(), "a declaration starts with `let`", "not with a type");
        Some(error.help(match ty {
            "mutex" => format!("a mutex is shared: write `global {name}: mutex;` outside of all blocks"),
            "int" | "bool" | "thread" => format!("write `let {name} = {};`", self.value_for(ty)),
            _ => format!("write `let {name}: {ty} = ..;`"),
        }))
    }

    /// What to suggest as the value in `int x` or `int x = 1`.
    fn value_for(&self, ty: &str) -> &'static str {
        match (self.peek_at(2), ty) {
            (Token::Assign, _) => "..",
            (_, "int") => "0",
            (_, "bool") => "false",
            _ => "..",
        }
    }

    /// A word of another language that starts a statement.
    fn foreign_start(&self) -> Option<Error> {
        let word = self.text(self.here());
        let next = self.peek_at(1);
        let no_name =
            next.is_word() || matches!(next, Token::Name | Token::Int | Token::Text | Token::OpenBrace);
        if !no_name {
            return None;
        }
        let error =
            Error::new(self.here(), format!("there is no `{}` in this language", shorten(word)), "not known");
        let help = foreign_word(word).map(str::to_owned).or_else(|| misspelt(word, &STATEMENTS))?;
        Some(error.help(help))
    }

    /// `x += e`, `x++`, `x := e` behind the place.
    pub(super) fn foreign_assignment(&self, place: &Expr) -> Option<Error> {
        use Token::{Decrement, Define, Increment};
        use Token::{MinusAssign, PercentAssign, PlusAssign, SlashAssign, StarAssign};
        let token = self.peek();
        let (help, message): (fn(&str, &str) -> String, _) = match token {
            PlusAssign | MinusAssign | StarAssign | SlashAssign | PercentAssign => (
                |place, sign| format!("write `{place} = {place} {sign} ..;`"),
                "hides a read and a write, so it is not in this language",
            ),
            Increment | Decrement => (
                |place, sign| format!("write `{place} = {place} {sign} 1;`"),
                "hides a read and a write, so it is not in this language",
            ),
            Define => (
                |place, _| format!("write `let {place} = ..;` for a new local, `{place} = ..;` otherwise"),
                "is not in this language",
            ),
            _ => return None,
        };
        let (place, sign) = (self.short_place(place.span), &token.text()[..1]);
        let error = Error::new(self.here(), format!("`{}` {message}", token.text()), "not known");
        Some(error.help(help(place, sign)))
    }

    /// The place as it is written, or some other name if that is long or has comments.
    fn short_place(&self, span: Span) -> &str {
        let text = self.text(span);
        let simple = |b: u8| b.is_ascii_alphanumeric() || b"_.[]() +-".contains(&b);
        if text.len() <= 40 && text.bytes().all(simple) { text } else { "x" }
    }

    /// A mark behind an expression that means something elsewhere.
    pub(super) fn foreign_operator(&self) -> Option<Error> {
        if self.peek() == Token::Channel {
            let error = Error::new(self.here(), "nothing can be sent here", "`<-` is the channels' operator");
            return Some(error.help("for \"less than minus\" write `< -`"));
        }
        let help = mark(self.peek()).filter(|_| self.peek() != Token::Star)?;
        let message = format!("`{}` cannot stand here", self.peek().text());
        Some(Error::new(self.here(), message, "not known").help(help))
    }

    pub(super) fn let_mut(&self) -> Option<Error> {
        let is_mut =
            self.peek() == Token::Name && self.text(self.here()) == "mut" && self.peek_at(1) == Token::Name;
        let error = || Error::new(self.here(), "there is no `mut`", "leave it out");
        is_mut.then(|| error().help("every local variable can be assigned"))
    }

    /// `case x := <-c:`
    pub(super) fn foreign_case(&self) -> Option<Error> {
        let declares = self.peek() == Token::Name && matches!(self.peek_at(1), Token::Define | Token::Assign);
        let name = shorten(self.text(self.here()));
        let error = || Error::new(self.here(), "a received value needs `let`", "a new local variable");
        declares.then(|| error().help(format!("write `case let {name} = <-c {{ .. }}`")))
    }

    pub(super) fn foreign_item(&self) -> Option<Error> {
        let word = self.text(self.here());
        let foreign = || foreign_item_word(word).map(str::to_owned).or_else(|| misspelt(word, &ITEMS));
        if self.peek() == Token::Name
            && let Some(help) = foreign()
        {
            let message = format!("there is no `{}` in this language", shorten(word));
            return Some(Error::new(self.here(), message, "not known").help(help));
        }
        if self.declares_by_type() {
            let (ty, name) = self.texts();
            let ty = foreign_type(&ty).unwrap_or(&ty);
            let error = Error::new(self.here(), "a shared variable starts with `global`", "not with a type");
            return Some(error.help(match ty {
                "int" => format!("write `global {name} = {};`", self.value_for(ty)),
                _ => format!("write `global {name}: {ty};`"),
            }));
        }
        let error = || {
            Error::new(self.here(), "`let` makes a local variable, and there is no block here", "not here")
        };
        (self.peek() == Token::Let).then(|| error().help("write `global x = 1;` for a shared variable"))
    }

    /// `int x;` in a class, or commas between fields.
    pub(super) fn foreign_field(&self) -> Option<Error> {
        if self.declares_by_type() {
            let (ty, name) = self.texts();
            let ty = foreign_type(&ty).unwrap_or(&ty);
            let error = Error::new(self.here(), "a field's name comes first", "the type stands behind it");
            return Some(error.help(format!("write `{name}: {ty};`")));
        }
        let comma = self.peek() == Token::Comma || self.peek_at(1) == Token::Comma;
        let span = if self.peek() == Token::Comma {
            self.here()
        } else {
            self.tokens[(self.at + 1).min(self.tokens.len() - 1)].span
        };
        let error = || Error::new(span, "each field ends with `;`", "not with a comma");
        comma.then(|| error().help("write `x; y;`"))
    }

    /// `int x` among parameters.
    pub(super) fn foreign_param(&self) -> Option<Error> {
        let ends = matches!(self.peek_at(2), Token::Comma | Token::CloseParen);
        if !self.names_type() || self.peek_at(1) != Token::Name || !ends {
            return None;
        }
        let (ty, name) = self.texts();
        let ty = foreign_type(&ty).unwrap_or(&ty);
        let error = Error::new(self.here(), "a parameter's name comes first", "the type stands behind it");
        Some(error.help(if ty == "int" {
            format!("write `{name}`")
        } else {
            format!("write `{name}: {ty}`")
        }))
    }

    /// An item, or the end of the file, inside of a block.
    pub(super) fn unclosed<T>(&mut self, opener: Span) -> Parsed<T> {
        let opener = self.crooked.unwrap_or(opener);
        let token = self.peek();
        if token == Token::End {
            let error = Error::new(super::after(self.before()), "a `}` is missing", "the file ends here");
            return self.report(error.related(opener, "this block is not closed"));
        }
        let error =
            Error::new(self.here(), format!("`{}` cannot stand in a block", token.text()), "not in a block");
        let error = error.related(opener, "in this block; is its `}` missing?");
        self.report(match token {
            Token::Thread => error.help("inside of a block a thread is started by `spawn { .. }`"),
            Token::Global | Token::Atomic => {
                error.help("a local variable is made by `let`; shared ones stand outside")
            }
            _ => error,
        })
    }

    /// Remembers the first block whose closing brace stands further left than the line that opened it: if in the end a brace is
    /// missing, it is probably that block's.
    pub(super) fn note_indentation(&mut self, opener: Span) {
        let closer = self.here();
        let alone = self.on_new_line();
        if alone && self.crooked.is_none() && self.indentation(closer) < self.indentation(opener) {
            self.crooked = Some(opener);
        }
    }

    /// How many bytes of white space the line of that token starts with.
    fn indentation(&self, span: Span) -> usize {
        let before = &self.source.as_bytes()[..span.start as usize];
        let line = before.iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
        self.source.as_bytes()[line..].iter().take_while(|b| **b == b' ' || **b == b'\t').count()
    }
}
