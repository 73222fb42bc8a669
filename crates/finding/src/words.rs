//! Names made safe to show: they come from programs, which anyone may have written.

use alloc::borrow::Cow;
use alloc::string::String;

/// Shows characters that a terminal would obey or that turn the direction of writing round as `\u{…}`.
pub(crate) fn printable(name: &str) -> Cow<'_, str> {
    if !name.chars().any(is_unprintable) {
        return Cow::Borrowed(name);
    }
    let mut out = String::new();
    for c in name.chars() {
        match is_unprintable(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

fn is_unprintable(c: char) -> bool {
    let bidirectional =
        matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let line_break = matches!(c, '\u{2028}' | '\u{2029}');
    c.is_control() || bidirectional || line_break || matches!(c, '\u{fffe}' | '\u{ffff}')
}

/// The path without everything up to and including the prefix, as `strip_path_prefix` asks.
pub(crate) fn strip_prefix<'a>(path: &'a str, prefix: &str) -> &'a str {
    if prefix.is_empty() {
        return path;
    }
    match path.find(prefix) {
        Some(at) => {
            let rest = &path[at + prefix.len()..];
            rest.strip_prefix("./").unwrap_or(rest)
        }
        None => path,
    }
}

/// The last part of a path.
pub(crate) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_drive_the_terminal() {
        assert_eq!(printable("a\x1b[2Jb\u{202e}c\n"), "a\\u{1b}[2Jb\\u{202e}c\\n");
        assert_eq!(printable("größe→x"), "größe→x");
    }

    #[test]
    fn prefixes_are_found_anywhere() {
        assert_eq!(strip_prefix("/home/me/src/a.c", "/me/"), "src/a.c");
        assert_eq!(strip_prefix("/home/me/./src/a.c", "/me/"), "src/a.c");
        assert_eq!(strip_prefix("/home/me/a.c", "/you/"), "/home/me/a.c");
        assert_eq!(strip_prefix("/home/me/a.c", ""), "/home/me/a.c");
        assert_eq!(
            (base_name("/usr/lib/libc.so.6"), base_name("a"), base_name("a/")),
            ("libc.so.6", "a", "")
        );
    }
}
