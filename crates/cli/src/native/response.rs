//! Response files: `@file` stands for the words in that file.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Response files in response files, at most this deep: one may name itself.
const DEPTH: u32 = 10;

/// The words with those of response files in place of their names. A file that cannot be read stays a word, as compilers have it.
pub fn expand(words: &[OsString]) -> Vec<OsString> {
    words.iter().flat_map(|word| expand_word(word, DEPTH)).collect()
}

/// What stands for that one word.
pub fn expand_one(word: &OsStr) -> Vec<OsString> {
    expand_word(word, DEPTH)
}

fn expand_word(word: &OsStr, depth: u32) -> Vec<OsString> {
    let file = word.as_bytes().strip_prefix(b"@").filter(|_| depth > 0);
    match file.and_then(|name| std::fs::read(OsStr::from_bytes(name)).ok()) {
        Some(text) => split(&text).iter().flat_map(|w| expand_word(w, depth - 1)).collect(),
        None => vec![word.to_owned()],
    }
}

/// Words as gcc reads them: blanks part them, quotes keep them together, a backslash takes the next byte as it is.
fn split(text: &[u8]) -> Vec<OsString> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<Vec<u8>>, None);
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'\'' | b'"', None) => {
                word.get_or_insert_default();
                quote = Some(byte);
            }
            (_, Some(end)) if byte == end => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_quotes_and_backslashes() {
        let words = split(b"-c 'a b.c'\n \"it's\"  a\\ b \"\" -D'X=\"1\"'");
        assert_eq!(words, ["-c", "a b.c", "it's", "a b", "", "-DX=\"1\""]);
        assert!(split(b" \n").is_empty());
    }

    #[test]
    fn files_in_files_and_files_that_are_not_there() {
        let folder = tempfile::TempDir::new().unwrap();
        let [inner, outer] =
            ["inner", "outer"].map(|name| format!("@{}", folder.path().join(name).display()));
        std::fs::write(&inner[1..], "-shared x.o").unwrap();
        std::fs::write(&outer[1..], format!("-g {inner}")).unwrap();
        let words = expand(&["-v".into(), outer.into(), "@missing".into()]);
        assert_eq!(words, ["-v", "-g", "-shared", "x.o", "@missing"]);
    }

    #[test]
    fn a_file_that_names_itself_ends() {
        let folder = tempfile::TempDir::new().unwrap();
        let name = format!("@{}", folder.path().join("loop").display());
        std::fs::write(&name[1..], format!("-g {name}")).unwrap();
        assert_eq!(expand(&[name.into()]).len(), DEPTH as usize + 1);
    }
}
