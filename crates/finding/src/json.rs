//! Findings for programs: JSON Lines, one finding to a line, in the order in which they were found.
//!
//! The fields are those of [`Finding`]; absent means empty, none or zero. Names of kinds and modes are in kebab case
//! (`"kind":"data-race"`, `"mode":"atomic-read"`). Addresses are strings in hexadecimal (`"0x7f1200"`). Threads are numbers,
//! 0 is the main thread and 1 is what the text calls `T1`; so are mutexes (0 is `M0`), within one finding. `memory` says in
//! `what` which sort it is: `heap`, `global`, `thread-local`, `stack`, `file-descriptor` or `unknown`. Stacks are arrays of
//! frames, innermost first. Fields may be added later; readers ignore those that they do not know.

use crate::Finding;
use alloc::string::{String, ToString};
use core::fmt;

/// The finding as one line, with its line break.
pub fn line(finding: &Finding) -> String {
    // It cannot fail: all keys are strings, and the writer is memory.
    let mut line = serde_json::to_string(finding).unwrap_or_default();
    line.push('\n');
    line
}

/// Reads the findings of a file, one after the other. Empty lines do not count.
pub fn read(text: &str) -> impl Iterator<Item = Result<Finding, JsonError>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(nth, line)| {
        serde_json::from_str(line).map_err(|e| JsonError { line: nth + 1, reason: e.to_string() })
    })
}

/// A line that is no finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonError {
    /// Which, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: not a finding: {}", self.line, self.reason)
    }
}

impl core::error::Error for JsonError {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{destroy, inversion, race};
    use alloc::format;
    use expect_test::expect;
    use serde_json::Value;
    use std::vec::Vec;

    #[test]
    fn a_race() {
        let value: Value = serde_json::from_str(&line(&race())).unwrap();
        expect![[r#"
            {
              "accesses": [
                {
                  "addr": "0x555556a68af0",
                  "mode": "read",
                  "size": 4,
                  "stack": [
                    {
                      "build_id": "49db239b4df25520",
                      "column": 5,
                      "file": "/home/ann/src/bank.c",
                      "function": "main",
                      "line": 30,
                      "module": "/home/ann/bank",
                      "offset_in_module": "0x101e",
                      "pc": "0x55555555501e"
                    }
                  ],
                  "thread": 0
                },
                {
                  "addr": "0x555556a68af0",
                  "held": [
                    {
                      "hold": "write",
                      "mutex": 0
                    }
                  ],
                  "mode": "write",
                  "size": 4,
                  "stack": [
                    {
                      "build_id": "49db239b4df25520",
                      "column": 5,
                      "file": "/home/ann/src/bank.c",
                      "function": "store(int*)",
                      "inlined": true,
                      "line": 11,
                      "module": "/home/ann/bank",
                      "offset_in_module": "0x100b",
                      "pc": "0x55555555500c"
                    },
                    {
                      "build_id": "49db239b4df25520",
                      "column": 5,
                      "file": "/home/ann/src/bank.c",
                      "function": "deposit",
                      "line": 12,
                      "module": "/home/ann/bank",
                      "offset_in_module": "0x100c",
                      "pc": "0x55555555500c"
                    },
                    {
                      "module": "/usr/lib/libc.so.6",
                      "offset_in_module": "0x27249",
                      "pc": "0x7ffff7e00000"
                    }
                  ],
                  "thread": 1
                }
              ],
              "kind": "data-race",
              "memory": {
                "module": "/home/ann/bank",
                "name": "balance",
                "offset_in_module": "0x4af0",
                "size": 4,
                "start": "0x555556a68af0",
                "what": "global"
              },
              "mutexes": [
                {
                  "addr": "0x555556a68b38",
                  "created": [
                    {
                      "function": "pthread_mutex_init",
                      "module": "/usr/lib/libc.so.6",
                      "offset_in_module": "0x27249",
                      "pc": "0x7ffff7e00000"
                    },
                    {
                      "build_id": "49db239b4df25520",
                      "column": 5,
                      "file": "/home/ann/src/bank.c",
                      "function": "main",
                      "line": 20,
                      "module": "/home/ann/bank",
                      "offset_in_module": "0x1014",
                      "pc": "0x555555555014"
                    }
                  ],
                  "id": 0
                }
              ],
              "pid": 4711,
              "threads": [
                {
                  "created": [
                    {
                      "function": "pthread_create",
                      "module": "/usr/lib/libc.so.6",
                      "offset_in_module": "0x27249",
                      "pc": "0x7ffff7e00000"
                    },
                    {
                      "build_id": "49db239b4df25520",
                      "column": 5,
                      "file": "/home/ann/src/bank.c",
                      "function": "main",
                      "line": 27,
                      "module": "/home/ann/bank",
                      "offset_in_module": "0x101b",
                      "pc": "0x55555555501b"
                    }
                  ],
                  "created_by": 0,
                  "id": 1,
                  "life": "running",
                  "name": "teller",
                  "os_tid": 7001,
                  "sort": "thread"
                }
              ],
              "why": "Nothing orders thread T1's write before the main thread's read: the main thread has not joined thread T1, nor acquired anything that it released since. Only thread T1 held a mutex (M0)."
            }"#]].assert_eq(&serde_json::to_string_pretty(&value).unwrap());
    }

    #[test]
    fn there_and_back() {
        let findings = [race(), inversion(), destroy()];
        let text: String = findings.iter().map(line).collect();
        assert_eq!(text.lines().count(), 3);
        assert_eq!(read(&text).collect::<Result<Vec<_>, _>>().unwrap(), findings);
    }

    #[test]
    fn errors_name_the_line() {
        let text = format!("{}\nnonsense\n", line(&race()));
        let results: Vec<_> = read(&text).collect();
        assert!(results[0].is_ok());
        assert_eq!(
            results[1].as_ref().unwrap_err().to_string(),
            "line 3: not a finding: expected ident at line 1 column 2"
        );
        let unknown = read(r#"{"kind":"data-race","pid":1,"later":[1]}"#).next().unwrap();
        assert_eq!(unknown.unwrap(), Finding::new(crate::Kind::DataRace, 1));
    }
}
