//! Debian's source packages, fetched by apt into the benchmark's own cache and unpacked without Debian's patches.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where sources come from and go to.
pub struct Sources {
    /// Has the unpacked packages, each under its name.
    pub unpacked: PathBuf,
    apt: PathBuf,
    /// Where to look, in turn; asked of the system when first needed.
    archives: Option<Vec<Archive>>,
}

/// A list of sources for apt, and the folder of what apt knows about it.
struct Archive {
    folder: PathBuf,
}

impl Sources {
    /// In that cache.
    pub fn new(cache: &Path) -> Self {
        Sources { unpacked: cache.join("src"), apt: cache.join("apt"), archives: None }
    }

    /// Makes sure that the package is there, unpacked.
    pub fn fetch(&mut self, package: &str) -> Result<(), String> {
        let place = self.unpacked.join(package);
        if place.exists() {
            return Ok(());
        }
        if self.archives.is_none() {
            self.archives = Some(archives(&self.apt)?);
        }
        let mut last = String::new();
        for archive in self.archives.iter().flatten() {
            match archive.download(package).and_then(|description| unpack(&description, &place)) {
                Ok(()) => return Ok(()),
                Err(e) => last = e,
            }
        }
        Err(format!("the source package {package} cannot be had: {last}"))
    }
}

/// The archives: the system's own, and Debian's stable, where a package that is missing in the first may be.
fn archives(apt: &Path) -> Result<Vec<Archive>, String> {
    let lines = source_lines(&indexed()?, &fs::read_to_string("/etc/os-release").unwrap_or_default());
    let stable: Vec<String> = lines
        .iter()
        .filter(|line| line.contains("/debian/ ") || line.contains("/debian "))
        .take(1)
        .map(|line| {
            let mut words: Vec<&str> = line.split(' ').collect();
            let suite = words.len() - 2;
            words[suite] = "stable";
            words.join(" ")
        })
        .collect();
    let lists = [("own", lines), ("stable", stable)];
    let mut found = Vec::new();
    let mut last = "neither Debian nor Ubuntu".to_string();
    for (name, lines) in lists.into_iter().filter(|(_, lines)| !lines.is_empty()) {
        match Archive::update(apt.join(name), &lines) {
            Ok(archive) => found.push(archive),
            Err(e) => last = e,
        }
    }
    if found.is_empty() { Err(format!("no source packages: {last}")) } else { Ok(found) }
}

/// What apt says the system's package archives are: address, suite, component, origin.
fn indexed() -> Result<String, String> {
    let format = "$(REPO_URI) $(RELEASE) $(COMPONENT) $(ORIGIN)";
    output(Command::new("apt-get").args(["indextargets", "--format", format, "Created-By: Packages"]))
}

/// The `deb-src` lines for those archives, or for the distribution's usual ones if they are not known.
fn source_lines(indexed: &str, os_release: &str) -> Vec<String> {
    let mut lines: Vec<String> = indexed
        .lines()
        .filter_map(|line| match line.split(' ').collect::<Vec<_>>()[..] {
            [uri, suite, component, origin @ ("Debian" | "Ubuntu")] => {
                Some(format!("deb-src{} {uri} {suite} {component}", signed_by(origin)))
            }
            _ => None,
        })
        .collect();
    let value = |key: &str| {
        os_release.lines().find_map(|line| line.strip_prefix(key)).unwrap_or("").trim_matches('"')
    };
    if let (true, codename @ [_, ..]) = (lines.is_empty(), value("VERSION_CODENAME=").as_bytes()) {
        let codename = String::from_utf8_lossy(codename);
        match value("ID=") {
            "debian" => lines
                .push(format!("deb-src{} http://deb.debian.org/debian {codename} main", signed_by("Debian"))),
            "ubuntu" => lines.extend(["main", "universe"].map(|component| {
                format!(
                    "deb-src{} http://archive.ubuntu.com/ubuntu {codename} {component}",
                    signed_by("Ubuntu")
                )
            })),
            _ => {}
        }
    }
    lines.sort();
    lines.dedup();
    lines
}

/// The option that names the distribution's keys, where they are in the usual place.
fn signed_by(origin: &str) -> String {
    let name = format!("/usr/share/keyrings/{}-archive-keyring", origin.to_lowercase());
    let key =
        ["gpg", "pgp"].map(|end| format!("{name}.{end}")).into_iter().find(|key| Path::new(key).exists());
    key.map_or(String::new(), |key| format!(" [signed-by={key}]"))
}

impl Archive {
    /// Asks for the lists of packages.
    fn update(folder: PathBuf, lines: &[String]) -> Result<Self, String> {
        let archive = Archive { folder };
        for part in ["lists/partial", "cache/archives/partial", "download"] {
            fs::create_dir_all(archive.folder.join(part)).map_err(|e| e.to_string())?;
        }
        fs::write(archive.folder.join("sources.list"), lines.join("\n") + "\n").map_err(|e| e.to_string())?;
        output(archive.apt_get().arg("update"))?;
        Ok(archive)
    }

    /// Downloads a package; gives its description file.
    fn download(&self, package: &str) -> Result<PathBuf, String> {
        let folder = self.folder.join("download").join(package);
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        output(self.apt_get().args(["source", "--download-only", package]).current_dir(&folder))?;
        let files = fs::read_dir(&folder).map_err(|e| e.to_string())?;
        files
            .filter_map(|file| Some(file.ok()?.path()))
            .find(|file| file.extension().is_some_and(|e| e == "dsc"))
            .ok_or(format!("apt-get source {package} gave no .dsc file"))
    }

    fn apt_get(&self) -> Command {
        let mut command = Command::new("apt-get");
        let folder = self.folder.display();
        for option in [
            format!("Dir::Etc::SourceList={folder}/sources.list"),
            "Dir::Etc::SourceParts=-".to_string(),
            format!("Dir::State::Lists={folder}/lists"),
            format!("Dir::Cache={folder}/cache"),
            "APT::Sandbox::User=root".to_string(),
        ] {
            command.args(["-o", &option]);
        }
        command
    }
}

/// Unpacks what was downloaded; apt has already compared the files with the archive's signed list.
fn unpack(description: &Path, place: &Path) -> Result<(), String> {
    fs::create_dir_all(place.parent().unwrap_or(place)).map_err(|e| e.to_string())?;
    let part = place.with_extension("part");
    let _ = fs::remove_dir_all(&part);
    output(
        Command::new("dpkg-source").args(["--skip-patches", "--no-check", "-x"]).arg(description).arg(&part),
    )
    .map_err(|e| format!("{e} (Debian, Ubuntu: apt install dpkg-dev)"))?;
    fs::rename(part, place).map_err(|e| e.to_string())
}

/// Runs a command for its output; the error is the last line of what it said.
fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().to_string();
    let told = command.output().map_err(|e| format!("{program}: {e}"))?;
    if told.status.success() {
        return Ok(String::from_utf8_lossy(&told.stdout).into());
    }
    let said = String::from_utf8_lossy(&told.stderr);
    let errors = said.lines().filter(|line| line.starts_with("E:") || line.contains("error"));
    Err(format!("{program}: {}", errors.clone().next().or(said.lines().last()).unwrap_or("failed")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without_keys(lines: Vec<String>) -> Vec<String> {
        let shorten = |line: String| match line.split_once(" [") {
            Some((before, rest)) => format!("{before}{}", rest.split_once(']').unwrap().1),
            None => line,
        };
        lines.into_iter().map(shorten).collect()
    }

    #[test]
    fn the_systems_own_archives_come_first() {
        let indexed = "http://mirror/debian/ bookworm main Debian\nhttp://mirror/debian/ bookworm main Debian\n\
                       https://other/ any main Somebody\n";
        assert_eq!(
            without_keys(source_lines(indexed, "ID=debian\nVERSION_CODENAME=bookworm\n")),
            ["deb-src http://mirror/debian/ bookworm main"]
        );
    }

    #[test]
    fn else_the_usual_ones() {
        let debian = source_lines("", "ID=debian\nVERSION_CODENAME=trixie\n");
        assert_eq!(without_keys(debian), ["deb-src http://deb.debian.org/debian trixie main"]);
        let ubuntu = source_lines("", "ID=\"ubuntu\"\nVERSION_CODENAME=noble\n");
        assert_eq!(without_keys(ubuntu).len(), 2);
        assert!(source_lines("", "ID=arch\n").is_empty());
    }
}
