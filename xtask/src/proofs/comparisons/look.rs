//! A quick look whether a mistake breaks its own file, as most do. An interactive Coq goes back to where the definition begins; it does
//! not start anew, and reads nothing twice that comes before.

use super::{Mistake, Outcome, scan};
use crate::proofs::without_comments;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Follows what is said, so that the end of the answer can be told; and the answer to it.
const MARK: (&str, &[u8]) = ("\nCheck true.\n", b"</prompt>true\n     : bool\n");

/// How Coq takes what is said.
#[derive(PartialEq, Eq, Debug)]
enum Answer {
    Fine,
    Wrong,
    /// Its time is up, which on a busy machine says nothing.
    Late,
}

/// An interactive Coq that has read a part of a file.
pub struct Look {
    pub file: String,
    text: String,
    chunks: Vec<Range<usize>>,
    /// The number of its state before each chunk, as far as it has read.
    states: Vec<u64>,
    coq: Child,
    ears: ChildStdin,
    mouth: ChildStdout,
}

impl Look {
    /// Begins to read a file of that folder.
    pub fn at(folder: &Path, file: &str, text: &str) -> Result<Look, String> {
        let command = "exec coqtop -q -emacs -Q . Deadheat 2>&1";
        let mut coq = Command::new("sh");
        coq.args(["-c", command]).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut coq = coq.spawn().map_err(|e| format!("cannot run `{command}`: {e}"))?;
        let (ears, mouth) = (coq.stdin.take().expect("a pipe"), coq.stdout.take().expect("a pipe"));
        let text = without_comments(text);
        let chunks = chunks(&text);
        let mut look = Look { file: file.to_owned(), text, chunks, states: Vec::new(), coq, ears, mouth };
        // Tactics may search for ever for a proof of what is wrong.
        let (_, state) = look.say("Set Silent. Set Default Timeout 300.")?;
        look.states.push(state);
        Ok(look)
    }

    /// What becomes of the mistake in this file; nothing if it passes, or takes too long to tell.
    pub fn outcome(&mut self, mistake: &Mistake<'_>) -> Result<Option<Outcome>, String> {
        let of_it = |chunk: &Range<usize>| chunk.contains(&mistake.place.start);
        let first = self.chunks.iter().position(of_it).ok_or("a mistake outside of the text")?;
        self.go_to(first)?;
        let mut outcome = None;
        for (n, chunk) in self.chunks.clone().into_iter().enumerate().skip(first) {
            let line = self.text[..chunk.start].matches('\n').count() + 1;
            let text = if n == first {
                let (before, after) = (chunk.start..mistake.place.start, mistake.place.end..chunk.end);
                [&self.text[before], &mistake.new, &self.text[after]].concat()
            } else {
                self.text[chunk].to_owned()
            };
            let (answer, _) = self.say(&text)?;
            if answer == Answer::Wrong {
                let breaks = Outcome::Breaks(format!("{}:{line}", self.file));
                outcome = Some(if n == first { Outcome::DoesNotCompile } else { breaks });
            }
            if answer != Answer::Fine {
                break;
            }
        }
        self.back()?;
        Ok(outcome)
    }

    /// To where that chunk begins.
    fn go_to(&mut self, chunk: usize) -> Result<(), String> {
        // Coq forgets the states after the one that it goes back to.
        self.states.truncate(chunk + 1);
        self.back()?;
        while self.states.len() <= chunk {
            let text = self.text[self.chunks[self.states.len() - 1].clone()].to_owned();
            let (answer, state) = self.say(&text)?;
            if answer != Answer::Fine {
                return Err(format!("{}: {answer:?} without a mistake: {text}", self.file));
            }
            self.states.push(state);
        }
        Ok(())
    }

    /// To the last of the known states.
    fn back(&mut self) -> Result<(), String> {
        let state = self.states[self.states.len() - 1];
        let (answer, _) = self.say(&format!("BackTo {state}."))?;
        match answer {
            Answer::Fine => Ok(()),
            _ => Err(format!("coqtop: {}: no way back to {state}", self.file)),
        }
    }

    /// Says that to Coq. What it answers, and the number of its state.
    fn say(&mut self, text: &str) -> Result<(Answer, u64), String> {
        let ended = |e| format!("coqtop: {}: {e}", self.file);
        self.ears.write_all([text, MARK.0].concat().as_bytes()).map_err(ended)?;
        let (mut answer, mut part) = (Vec::new(), [0; 4096]);
        while !(answer.ends_with(b"</prompt>") && answer.windows(MARK.1.len()).any(|w| w == MARK.1)) {
            match self.mouth.read(&mut part).map_err(ended)? {
                0 => return Err(format!("coqtop: {}: no answer to {text}", self.file)),
                n => answer.extend_from_slice(&part[..n]),
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        let state = state(&answer).ok_or_else(|| format!("coqtop: no state in {answer}"))?;
        Ok((judge(&answer), state))
    }
}

impl Drop for Look {
    fn drop(&mut self) {
        // If it has ended already, so much the better.
        let _ = self.coq.kill();
        let _ = self.coq.wait();
    }
}

/// By its first error: others follow from that.
fn judge(answer: &str) -> Answer {
    match answer.split("</prompt>").flat_map(str::lines).find(|line| line.starts_with("Error")) {
        None => Answer::Fine,
        Some("Error: Timeout!") => Answer::Late,
        Some(_) => Answer::Wrong,
    }
}

/// The number in the last prompt: `<prompt>name < 12 |name| 0 < </prompt>`.
fn state(answer: &str) -> Option<u64> {
    answer.rsplit("<prompt>").next()?.split(" < ").nth(1)?.split(' ').next()?.parse().ok()
}

/// The text in parts: a definition, a statement with its proof. Each begins with a capital, as `Proof` and `Qed` do, but tactics do not.
fn chunks(text: &str) -> Vec<Range<usize>> {
    let mut chunks: Vec<Range<usize>> = Vec::new();
    for sentence in scan::sentences(text) {
        let word = text[sentence.clone()].split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        let begins = word.starts_with(char::is_uppercase) && !["Proof", "Qed", "Defined"].contains(&word);
        match chunks.last_mut() {
            Some(last) if !begins => last.end = sentence.end,
            _ => chunks.push(sentence),
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_goes_with_its_proof() {
        let text =
            "Definition a := 1.\nLemma b : c.\nProof. - auto. Qed. Next Obligation. auto. Qed.\nLtac d := e.";
        let chunks: Vec<_> = chunks(text).into_iter().map(|chunk| &text[chunk]).collect();
        let all = [
            "Definition a := 1.",
            "Lemma b : c.\nProof. - auto. Qed.",
            "Next Obligation. auto. Qed.",
            "Ltac d := e.",
        ];
        assert_eq!(chunks, all);
    }

    #[test]
    fn the_first_error_tells() {
        let answer =
            |errors: &str| judge(&format!("<prompt>y < 1 |y| 0 < </prompt>{errors}true\n     : bool\n"));
        assert_eq!(answer(""), Answer::Fine);
        assert_eq!(answer("> auto.\nError: Timeout!\n\n"), Answer::Late);
        assert_eq!(
            answer("Error: Timeout!\n</prompt>Error: Attempt to save an incomplete proof\n"),
            Answer::Late
        );
        assert_eq!(answer("Error: No such goal.\n</prompt>Error: Timeout!\n"), Answer::Wrong);
    }

    #[test]
    fn prompts_have_the_number_of_the_state() {
        assert_eq!(state("<prompt>Coq < 4 || 0 < </prompt>true\n<prompt>y < 13 |y| 0 < </prompt>"), Some(13));
        assert_eq!(state("Error"), None);
    }
}
