//! Finds the comparisons in the definitions of a Coq file, and says what mistakes can be made of each. It reads tokens, not terms:
//! every mistake is one that has the same type whatever stands around it.

use crate::proofs::without_comments;
use std::ops::Range;

/// Sentences that define something.
const DEFINE: &[&str] = &[
    "Definition",
    "Fixpoint",
    "CoFixpoint",
    "Function",
    "Inductive",
    "CoInductive",
    "Variant",
    "Record",
    "Structure",
    "Class",
    "Instance",
    "Let",
];

/// What may stand before them.
const BEFORE: &[&str] = &["Program", "Local", "Global"];

/// Symbols, the longest first, and what can stand in their place. Those without mistakes are not comparisons, but contain some.
const SYMBOLS: &[(&str, &[&str])] = &[
    ("<=?", &["<?", "=?"]),
    ("<->", &["->"]),
    ("=?", &["<=?", "<?"]),
    ("<?", &["<=?", "=?"]),
    ("<=", &["<", ">"]),
    (">=", &[">", "<"]),
    ("<>", &["="]),
    ("&&", &["||"]),
    ("||", &["&&"]),
    ("/\\", &["\\/"]),
    ("\\/", &["/\\"]),
    (":=", &[]),
    ("=>", &[]),
    ("->", &[]),
    (":>", &[]),
    ("=", &["<>"]),
    ("<", &["<=", ">="]),
    (">", &[">=", "<="]),
    ("~", &[""]),
];

/// Functions that compare, with how many arguments they have and how their answer is negated.
const NAMES: &[(&str, usize, &str)] = &[
    ("Bool.eqb", 2, "negb"),
    ("eeq", 2, "negb"),
    ("ele", 2, "negb"),
    ("known_opt", 2, "negb"),
    ("knows_all", 2, "negb"),
    ("leq", 2, "negb"),
    ("lle", 2, "negb"),
    ("lle_from", 3, "negb"),
    ("mem", 2, "negb"),
    ("op_eqb", 2, "negb"),
    ("reads_known", 2, "negb"),
    ("read_same", 3, "negb"),
    ("In", 2, "~"),
    ("at_most", 2, "~"),
    ("ep_le", 2, "~"),
    ("eqU", 2, "~"),
    ("meq", 2, "~"),
    ("veq", 2, "~"),
    ("vle", 2, "~"),
];

/// A comparison: where it is, in which sentence, and what can stand in its place.
pub struct Comparison {
    pub sentence: Range<usize>,
    pub place: Range<usize>,
    pub mistakes: Vec<String>,
}

/// All of them in that text.
pub fn comparisons(text: &str) -> Vec<Comparison> {
    let text = without_comments(text);
    let defining = sentences(&text).into_iter().filter(|sentence| defines(&text[sentence.clone()]));
    defining.flat_map(|sentence| within(&text, &sentence)).collect()
}

/// The sentences: each ends with a dot and a space.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let (mut sentences, mut begin) = (Vec::new(), 0);
    for (dot, _) in text.match_indices('.') {
        if text[dot + 1..].chars().next().is_none_or(char::is_whitespace) {
            let blank = text[begin..].len() - text[begin..].trim_start().len();
            sentences.push(begin + blank..dot + 1);
            begin = dot + 1;
        }
    }
    sentences
}

fn defines(sentence: &str) -> bool {
    sentence.split_whitespace().find(|word| !BEFORE.contains(word)).is_some_and(|word| DEFINE.contains(&word))
}

fn within(text: &str, sentence: &Range<usize>) -> Vec<Comparison> {
    let (mut found, mut at, mut before) = (Vec::new(), sentence.start, "");
    while let Some(rest) = text.get(at..sentence.end).filter(|rest| !rest.is_empty()) {
        let token = &rest[..token(rest)];
        let mistakes = mistakes(token, &rest[token.len()..], before);
        let place = at..at + token.len();
        at = place.end;
        if !mistakes.is_empty() {
            found.push(Comparison { sentence: sentence.clone(), place, mistakes });
        }
        if !token.trim().is_empty() {
            before = token;
        }
    }
    found
}

/// How long the token is that this begins with: a word, one of the symbols, or a character.
fn token(rest: &str) -> usize {
    let first = rest.chars().next().map_or(1, char::len_utf8);
    let word = |c: char| c.is_alphanumeric() || c == '_' || c == '\'' || c == '.';
    if rest.starts_with(word) {
        return rest.find(|c| !word(c)).unwrap_or(rest.len());
    }
    SYMBOLS.iter().map(|(symbol, _)| symbol).find(|s| rest.starts_with(**s)).map_or(first, |s| s.len())
}

/// What can stand in the place of that token, given the text after it and the token before.
fn mistakes(token: &str, after: &str, before: &str) -> Vec<String> {
    if let Some((_, mistakes)) = SYMBOLS.iter().find(|(symbol, _)| *symbol == token) {
        return mistakes.iter().map(|mistake| (*mistake).to_owned()).collect();
    }
    if token == "negb" {
        return vec!["id".to_owned()];
    }
    // What is defined, and a type of the same name, have no argument.
    let argument = after.trim_start().starts_with(|c: char| c.is_alphanumeric() || "_([{".contains(c));
    match NAMES.iter().find(|(name, ..)| *name == token) {
        Some((name, arity, not)) if argument && !DEFINE.contains(&before) => {
            let arguments = ["a", "b", "c"][..*arity].join(" ");
            vec![format!("(fun {arguments} => {not} ({name} {arguments}))")]
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is compared in a text, and the mistakes.
    fn found(text: &str) -> Vec<(&str, Vec<String>)> {
        comparisons(text).into_iter().map(|c| (&text[c.place], c.mistakes)).collect()
    }

    fn symbols(text: &str) -> Vec<&str> {
        found(text).into_iter().map(|(symbol, _)| symbol).collect()
    }

    #[test]
    fn every_symbol_of_a_definition_is_found() {
        let text = "Definition f x := if (x =? 1) && negb (x <=? 2) || (x <? 3) then x = 1 /\\ x <> 2 else ~ (x <= y < z \\/ x >= y) <-> x > 1.";
        let all = [
            "=?", "&&", "negb", "<=?", "||", "<?", "=", "/\\", "<>", "~", "<=", "<", "\\/", ">=", "<->", ">",
        ];
        assert_eq!(symbols(text), all);
    }

    #[test]
    fn other_symbols_are_no_comparisons() {
        let text =
            "Fixpoint f x : nat -> bool := match x with A => let y := {| a := 1 |} in y | B => [x :: y] end.";
        assert!(found(text).is_empty());
    }

    #[test]
    fn comments_lemmas_and_proofs_are_passed_over() {
        let text = "(* Definition a := x = y. *) Lemma l : x = y.\nProof. assert (x < y) by lia. exact (lle a b). Qed.\nLtac t := match goal with H : _ = _ |- _ => idtac end.\nProgram Definition d := (* = *) x < y.\nNext Obligation. now rewrite (a = b). Qed.";
        let all = comparisons(text);
        assert_eq!(all.len(), 1);
        assert_eq!(&text[all[0].sentence.clone()], "Program Definition d := (* = *) x < y.");
    }

    #[test]
    fn a_definition_by_tactics_counts_as_far_as_its_statement() {
        assert_eq!(symbols("Definition d : x = y.\nProof. destruct (x <? y). Defined."), ["="]);
    }

    #[test]
    fn a_name_is_negated_where_it_is_applied() {
        let text = "Record mem := { f : mem }. Definition lle (m : mem) := lle m 1.";
        assert_eq!(found(text), [("lle", vec!["(fun a b => negb (lle a b))".to_owned()])]);
        assert_eq!(symbols("Definition d := existsb (leq e) k && Bool.eqb x y."), ["leq", "&&", "Bool.eqb"]);
    }

    #[test]
    fn dots_within_names_end_no_sentence() {
        assert_eq!(symbols("Inductive i := A : Nat.max x y = 1 -> i.x = 2. Theorem t : a = b."), ["=", "="]);
    }
}
