//! Which files of a link hold modules for the linker, and the same link without them.

use super::command_line::{Role, parts};
use super::lto;
use object::Object;
use object::read::archive::ArchiveFile;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// What a file of a link is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Content {
    /// A module.
    Module,
    /// Machine code, or a library that is loaded.
    Machine,
    /// An archive of modules only.
    Modules,
    /// An archive that has both.
    Both,
}

/// The flag of modules which says for which kind of `-flto` they are.
const FLAG: &[u8] = b"ThinLTO";

/// Why modules are left to the linker.
type Reason = String;

/// A link without modules, and with what they have become in place of the first of them.
pub struct Link {
    /// Its words; those that are about `-flto` are gone too, so that a module which is still there does not become code a second time.
    pub words: Vec<OsString>,
}

impl Link {
    /// None if the files of the link hold no module.
    pub fn without_modules(words: &[OsString], whole: &Path) -> Result<Option<Link>, Reason> {
        let mut rest = Rest { words: Vec::new(), whole, placed: false, in_full: false };
        for (role, part) in parts(words) {
            match (role, part[0].to_str()) {
                (Role::Input, _) => rest.input(&part[0])?,
                (Role::Option, Some("-Xlinker")) => {
                    let kept = rest.linker(part[1..].iter().map(OsString::as_os_str))?;
                    rest.words.extend(kept.into_iter().flat_map(|word| ["-Xlinker".into(), word]));
                }
                (Role::Option, Some(list)) if list.starts_with("-Wl,") => {
                    let kept = rest.linker(list.split(',').skip(1).map(OsStr::new))?;
                    let kept: Vec<_> = kept.iter().filter_map(|word| word.to_str()).collect();
                    rest.words.extend((!kept.is_empty()).then(|| format!("-Wl,{}", kept.join(",")).into()));
                }
                (Role::Option, _) if lto::is_about(&part[0]) => {}
                (Role::Option, Some(library)) if rest.in_full && library.starts_with("-l") => {
                    return Err(format!("{library} is linked as a whole"));
                }
                _ => rest.words.extend_from_slice(part),
            }
        }
        Ok(rest.placed.then_some(Link { words: rest.words }))
    }
}

/// The words of a link as they are gone through.
struct Rest<'a> {
    words: Vec<OsString>,
    whole: &'a Path,
    placed: bool,
    /// Of archives, all members are linked, used or not.
    in_full: bool,
}

impl Rest<'_> {
    fn input(&mut self, file: &OsString) -> Result<(), Reason> {
        let content = content(Path::new(file))?;
        if self.keeps(content, file)? {
            self.words.push(file.clone());
        }
        Ok(())
    }

    /// The words for the linker that are still to be passed on to it. Files may be among them.
    fn linker<'b>(&mut self, words: impl Iterator<Item = &'b OsStr>) -> Result<Vec<OsString>, Reason> {
        let mut kept = Vec::new();
        for word in words {
            match word.as_bytes() {
                b"--whole-archive" | b"-whole-archive" => self.in_full = true,
                b"--no-whole-archive" | b"-no-whole-archive" => self.in_full = false,
                _ if is_for_linker(word) => {
                    return Err(format!("{} is for the linker to see to", word.display()));
                }
                [b'@', ..] => return Err(format!("{} is for the linker to read", word.display())),
                [b'-', b'l', ..] if self.in_full => {
                    return Err(format!("{} is linked as a whole", word.display()));
                }
                [b'-', ..] => {}
                // What is no file to link is an option's value.
                _ => {
                    if let Ok(content) = content(Path::new(word))
                        && !self.keeps(content, word)?
                    {
                        continue;
                    }
                }
            }
            kept.push(word.to_owned());
        }
        Ok(kept)
    }

    /// Is the file still linked when modules are gone? What they have become is placed if it is the first that has some.
    fn keeps(&mut self, content: Content, file: &OsStr) -> Result<bool, Reason> {
        if content == Content::Machine {
            return Ok(true);
        }
        if content == Content::Both && self.in_full {
            return Err(format!("{} is linked as a whole", file.display()));
        }
        if !std::mem::replace(&mut self.placed, true) {
            self.words.push(self.whole.into());
        }
        Ok(content == Content::Both)
    }
}

/// Options after which a name means something else than modules say, or files are only looked at in need.
fn is_for_linker(word: &OsStr) -> bool {
    let name = word.to_str().unwrap_or("").trim_start_matches('-').split('=').next();
    word.as_bytes().starts_with(b"-") && matches!(name, Some("start-lib" | "wrap" | "defsym"))
}

fn content(file: &Path) -> Result<Content, Reason> {
    let name = file.display();
    let bytes = fs::read(file).map_err(|_| format!("{name} cannot be read"))?;
    if !bytes.starts_with(b"!<arch>\n") && !bytes.starts_with(b"!<thin>\n") {
        return one(&bytes).map_err(|what| format!("{name} {what}"));
    }
    let broken = |_| format!("{name} is no archive");
    let (archive, mut found) = (ArchiveFile::parse(&*bytes).map_err(broken)?, Vec::new());
    for member in archive.members() {
        let member = member.map_err(broken)?;
        let outside: PathBuf = file.parent().unwrap_or(Path::new("")).join(OsStr::from_bytes(member.name()));
        let content = match archive.is_thin() {
            true => one(&fs::read(&outside).map_err(|_| format!("{} cannot be read", outside.display()))?),
            false => one(member.data(&*bytes).map_err(broken)?),
        };
        // What is neither is of no concern to the linker.
        match content {
            Err(Strange::Unknown) => {}
            content => found.push(content.map_err(|what| format!("{name} {what}"))?),
        }
    }
    let has = |content| found.contains(&content);
    Ok(match (has(Content::Module), has(Content::Machine)) {
        (true, true) => Content::Both,
        (true, false) => Content::Modules,
        _ => Content::Machine,
    })
}

/// A file that is not simply a module or machine code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Strange {
    Thin,
    Fat,
    Unknown,
}

impl std::fmt::Display for Strange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Strange::Thin => "was compiled for -flto=thin",
            Strange::Fat => "has a module beside its machine code",
            Strange::Unknown => "is neither an object nor a library",
        })
    }
}

fn one(bytes: &[u8]) -> Result<Content, Strange> {
    if bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(b"\xde\xc0\x17\x0b") {
        // Modules to be joined have a flag of that name, which says no.
        let is_full = bytes.windows(FLAG.len()).any(|part| part == FLAG);
        return if is_full { Ok(Content::Module) } else { Err(Strange::Thin) };
    }
    if !bytes.starts_with(b"\x7fELF") {
        return Err(Strange::Unknown);
    }
    let object = object::File::parse(bytes).map_err(|_| Strange::Unknown)?;
    // The linker's plugin takes the module.
    let is_fat = [".llvmbc", ".llvm.lto"].iter().any(|name| object.section_by_name(name).is_some());
    if is_fat { Err(Strange::Fat) } else { Ok(Content::Machine) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A folder with two modules to be joined, one that is not, and a text.
    fn folder() -> TempDir {
        let folder = TempDir::new().unwrap();
        for (name, bytes) in [
            ("a.o", &b"BC\xc0\xde....ThinLTO"[..]),
            ("b.o", b"BC\xc0\xde..ThinLTO.."),
            ("thin.o", b"BC\xc0\xde"),
            ("script", b"INPUT(a.o)"),
        ] {
            fs::write(folder.path().join(name), bytes).unwrap();
        }
        folder
    }

    /// What becomes of the words, in which names of files have a `/` in front.
    fn link(words: &str) -> Result<Option<String>, Reason> {
        let folder = folder();
        let at = format!("{}/", folder.path().display());
        let words: Vec<OsString> = words.replace('/', &at).split_whitespace().map(OsString::from).collect();
        let told = Link::without_modules(&words, Path::new("whole.o")).map_err(|e| e.replace(&at, "/"))?;
        let text = |link: Link| link.words.join(OsStr::new(" ")).to_string_lossy().replace(&at, "/");
        Ok(told.map(text))
    }

    #[test]
    fn what_modules_have_become_is_where_the_first_was() {
        let cases = [
            ("-O2 -flto /a.o -lx /b.o -o p", "-O2 whole.o -lx -o p"),
            ("-Wl,-Map,/script,/a.o -flto=auto /b.o", "whole.o -Wl,-Map,/script"),
            ("-Xlinker /a.o -Xlinker -x -Wl,/b.o", "whole.o -Xlinker -x"),
            (
                "-Wl,--whole-archive /a.o -Wl,--no-whole-archive -lx",
                "-Wl,--whole-archive whole.o -Wl,--no-whole-archive -lx",
            ),
        ];
        for (words, expected) in cases {
            assert_eq!(link(words), Ok(Some(expected.to_owned())), "{words}");
        }
        assert_eq!(link("-O2 -lx"), Ok(None));
    }

    #[test]
    fn what_is_left_to_the_linker() {
        let cases = [
            ("/a.o /thin.o", "/thin.o was compiled for -flto=thin"),
            ("/a.o /script", "/script is neither an object nor a library"),
            ("/a.o /none.o", "/none.o cannot be read"),
            ("/a.o -Wl,--whole-archive -lx", "-lx is linked as a whole"),
            ("/a.o -Xlinker --wrap -Xlinker f", "--wrap is for the linker to see to"),
            ("/a.o -Wl,--defsym=f=g", "--defsym=f=g is for the linker to see to"),
            ("/a.o -Wl,@more", "@more is for the linker to read"),
        ];
        for (words, reason) in cases {
            assert_eq!(link(words), Err(reason.to_owned()), "{words}");
        }
    }
}
