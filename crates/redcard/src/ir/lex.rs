//! Words of the text format.

/// A word with its line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Token {
    pub(super) line: u32,
    pub(super) word: Word,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) enum Word {
    Name(String),
    Int(i64),
    Sign(&'static str),
}

/// Longest first.
const SIGNS: &[&str] = &[
    "+%", "-%", "*%", "==", "!=", "<=", ">=", "&&", "||", "+", "-", "*", "/", "%", "<", ">", "=", "(", ")",
    "[", "]", "{", "}", ",", ":", ".", "#",
];

pub(super) fn words(text: &str) -> Result<Vec<Token>, (u32, String)> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let mut rest = line.split_once("//").map_or(line, |(code, _)| code).trim_start();
        while let Some(first) = rest.chars().next() {
            let (word, length) = if first.is_alphabetic() || first == '_' || first == '\'' {
                let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '\''));
                let end = end.unwrap_or(rest.len());
                (Word::Name(rest[..end].to_string()), end)
            } else if first.is_ascii_digit() {
                let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let value = rest[..end].parse::<u64>().ok().filter(|n| *n <= i64::MAX as u64 + 1);
                let value = value.ok_or_else(|| (number, format!("{} is too large", &rest[..end])))?;
                (Word::Int(value.wrapping_neg() as i64), end)
            } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                (Word::Sign(sign), sign.len())
            } else {
                return Err((number, format!("`{first}` means nothing here")));
            };
            tokens.push(Token { line: number, word });
            rest = rest[length..].trim_start();
        }
    }
    Ok(tokens)
}
