//! What was asked for on the command line.

use super::programs::{PROGRAMS, Scale};
use super::tools::TOOL_NAMES;

/// What is measured, how often, and how large.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub scale: Scale,
    pub repeats: usize,
    /// Empty: all.
    pub programs: Vec<String>,
    /// Empty: all.
    pub tools: Vec<String>,
}

impl Options {
    /// Reads them; an error is for the user.
    pub fn parse(args: &[&str]) -> Result<Self, String> {
        let mut options = Options { scale: Scale::Full, repeats: 3, programs: Vec::new(), tools: Vec::new() };
        let mut args = args.iter();
        while let Some(&arg) = args.next() {
            let mut value = || args.next().copied().ok_or(format!("{arg} needs a value"));
            match arg {
                "--quick" => (options.scale, options.repeats) = (Scale::Quick, 1),
                "--repeats" => {
                    let count = value()?.parse().ok().filter(|&n| n > 0);
                    options.repeats = count.ok_or("--repeats needs a number from 1")?;
                }
                "--programs" => {
                    let known: Vec<&str> = PROGRAMS.iter().map(|p| p.name).collect();
                    options.programs = names(value()?, &known)?;
                }
                "--tools" => options.tools = names(value()?, &TOOL_NAMES)?,
                _ => return Err(format!("unknown option {arg}")),
            }
        }
        Ok(options)
    }

    /// Whether that program is wanted.
    pub fn wants_program(&self, name: &str) -> bool {
        self.programs.is_empty() || self.programs.iter().any(|p| p == name)
    }

    /// Whether that tool is wanted; native always is, for everything is compared with it.
    pub fn wants_tool(&self, name: &str) -> bool {
        name == "native" || self.tools.is_empty() || self.tools.iter().any(|t| t == name)
    }
}

fn names(list: &str, known: &[&str]) -> Result<Vec<String>, String> {
    list.split(',')
        .map(|name| match known.contains(&name) {
            true => Ok(name.to_string()),
            false => Err(format!("unknown name {name:?}; known are {}", known.join(", "))),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_by_default() {
        let options = Options::parse(&[]).unwrap();
        assert_eq!((options.scale, options.repeats), (Scale::Full, 3));
        assert!(options.wants_program("crypt") && options.wants_tool("v2"));
    }

    #[test]
    fn a_choice_keeps_native() {
        let options = Options::parse(&["--quick", "--programs", "sor,pigz", "--tools", "v2"]).unwrap();
        assert_eq!((options.scale, options.repeats), (Scale::Quick, 1));
        assert!(options.wants_program("pigz") && !options.wants_program("crypt"));
        assert!(options.wants_tool("native") && options.wants_tool("v2") && !options.wants_tool("v1"));
    }

    #[test]
    fn mistakes_are_named() {
        assert!(Options::parse(&["--programs", "sor,nonsense"]).unwrap_err().contains("\"nonsense\""));
        assert!(Options::parse(&["--repeats", "0"]).unwrap_err().contains("--repeats"));
        assert!(Options::parse(&["--repeats"]).unwrap_err().contains("needs a value"));
        assert!(Options::parse(&["--fast"]).unwrap_err().contains("--fast"));
    }
}
