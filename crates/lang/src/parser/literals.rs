//! Numbers and strings.

use super::{Parsed, Parser};
use crate::ast::Span;
use crate::error::{Error, shorten};

/// The magnitude of the least integer, which has no positive counterpart.
const LEAST: u64 = i64::MIN.unsigned_abs();

/// The digits of a number, and their radix.
fn digits(text: &str) -> (&str, u32) {
    let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
    hex.map_or((text, 10), |digits| (digits, 16))
}

/// The value of a number: decimal or hexadecimal, with underscores anywhere but at the start.
pub(crate) fn magnitude(text: &str) -> Option<u64> {
    let (digits, radix) = digits(text);
    if !text.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let mut value = None;
    for digit in digits.chars().filter(|c| *c != '_') {
        let digit = u64::from(digit.to_digit(radix)?);
        value = Some(value.unwrap_or(0_u64).checked_mul(u64::from(radix))?.checked_add(digit)?);
    }
    value
}

impl Parser<'_> {
    /// The number that stands next.
    pub(super) fn integer(&mut self) -> Parsed<i64> {
        let span = self.here();
        let magnitude = self.magnitude()?;
        match i64::try_from(magnitude) {
            Ok(value) => Ok(value),
            Err(_) => self.too_large(span),
        }
    }

    /// The number that stands next, negated.
    pub(super) fn negative_integer(&mut self) -> Parsed<i64> {
        let span = self.here();
        match self.magnitude()? {
            LEAST => Ok(i64::MIN),
            magnitude if magnitude < LEAST => Ok(-(magnitude as i64)),
            _ => self.too_large(span),
        }
    }

    fn too_large<T>(&mut self, span: Span) -> Parsed<T> {
        let message = format!("`{}` does not fit an integer", shorten(self.text(span)));
        self.report(Error::new(span, message, format!("the largest is {}", i64::MAX)))
    }

    fn magnitude(&mut self) -> Parsed<u64> {
        let span = self.bump().span;
        let text = self.text(span);
        if let Some(value) = magnitude(text) {
            return Ok(value);
        }
        let (digits, radix) = digits(text);
        if digits.chars().any(|c| c.is_digit(radix)) && digits.chars().all(|c| c == '_' || c.is_digit(radix))
        {
            return self.too_large(span);
        }
        let error = Error::new(span, format!("`{}` is not a number", shorten(text)), "not a number");
        self.report(
            error.help("numbers are decimal (`1_000`) or hexadecimal (`0xff`); names start with a letter"),
        )
    }

    /// The string that stands next, without quotes and escapes.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let span = self.bump().span;
        let text = self.text(span);
        let mut out = String::with_capacity(text.len());
        let mut chars = text[1..text.len() - 1].char_indices();
        while let Some((_, c)) = chars.next() {
            if c != '\\' {
                out.push(c);
                continue;
            }
            // The lexer never ends a string on a lone backslash.
            let (at, escape) = chars.next().unwrap_or((0, '\\'));
            match escape {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                'r' => out.push('\r'),
                '"' | '\\' => out.push(escape),
                _ => {
                    let start = span.start + at as u32;
                    let end = start + 1 + escape.len_utf8() as u32;
                    let error = Error::new(Span { start, end }, "this escape is not known", "not known");
                    return self.report(error.help(r#"known are `\n`, `\t`, `\r`, `\"` and `\\`"#));
                }
            }
        }
        Ok(out)
    }
}
