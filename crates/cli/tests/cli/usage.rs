//! Help, manual pages, completions, and what is said to those who get it wrong.

use crate::harness::{BANK, Folder};

const COMMANDS: [&str; 6] = ["check", "compare", "gen", "convert", "stats", "show"];
const EXIT_STATUS: &str = "Exit status: 0 no race, 66 races found, 2 bad input or usage.\n";

#[test]
fn help_names_every_command() {
    let folder = Folder::new();
    let help = folder.run("--help").status(0).stdout;
    assert!(
        ["run", "cc", "c++", "trace", "completions", "man"]
            .iter()
            .all(|c| help.contains(&format!("\n  {c} "))),
        "{help}"
    );
    assert!(help.ends_with(EXIT_STATUS), "{help}");
    let help = folder.run("trace --help").status(0).stdout;
    assert!(COMMANDS.iter().all(|c| help.contains(&format!("\n  {c} "))), "{help}");
}

#[test]
fn help_fits_the_terminal() {
    let folder = Folder::new();
    for command in COMMANDS.map(|c| format!("trace {c}")).iter().map(String::as_str).chain([
        "run",
        "cc",
        "c++",
        "completions",
        "man",
    ]) {
        // All but a lone --help is for the compiler.
        let options: &[&str] = if ["cc", "c++"].contains(&command) { &["--help"] } else { &["-h", "--help"] };
        for option in options {
            let help = folder.run(&format!("{command} {option}")).status(0).stdout;
            assert!(help.contains(&format!("Usage: deadheat {command}")), "{help}");
            let longest = help.lines().map(|line| line.chars().count()).max();
            assert!(longest <= Some(100), "{help}");
        }
    }
}

#[test]
fn commands_that_detect_tell_their_exit_status() {
    for command in ["check", "compare", "stats", "show"] {
        assert!(
            Folder::new().run(&format!("trace {command} --help")).stdout.ends_with(EXIT_STATUS),
            "{command}"
        );
    }
}

#[test]
fn a_run_tells_its_exit_status() {
    for option in ["-h", "--help"] {
        let help = Folder::new().run(&format!("run {option}")).stdout;
        assert!(
            help.contains("\nExit status: the program's own; 66 (or --exit-code) if it raced; 2 if"),
            "{help}"
        );
    }
}

#[test]
fn no_command_is_a_mistake() {
    for args in ["", "trace", "run"] {
        let ran = Folder::new().run(args).status(2);
        assert!(ran.stdout.is_empty() && ran.stderr.contains("Usage: deadheat"), "{ran:?}");
    }
}

#[track_caller]
fn mistake(args: &str, parts: &[&str]) {
    let ran = Folder::with("a.std", BANK).run(args).status(2);
    assert!(ran.stdout.is_empty(), "{ran:?}");
    assert!(parts.iter().all(|part| ran.stderr.contains(part)), "{}", ran.stderr);
}

#[test]
fn mistakes_say_what_would_be_right() {
    let detectors = "[possible values: vector-clock, multi-join, fasttrack, verifiedft, hb-sets-after-write, hb-sets, hb-sets-gc, \
                     lockset, limited-hb, oracle]";
    mistake("trace check -d foo a.std", &["invalid value 'foo'", detectors]);
    mistake("trace compare -d lockset,foo a.std", &["invalid value 'foo'", detectors]);
    mistake("trace check -d verifedft a.std", &["a similar value exists: 'verifiedft'"]);
    mistake("trace convert a.std --to xml", &["[possible values: std, jsonl, binary]"]);
    mistake("trace convert a.std --compress xz", &["[possible values: none, gzip, zstd]"]);
    mistake("completions tcsh", &["[possible values: bash, elvish, fish, powershell, zsh]"]);
    mistake("trace chekc a.std", &["a similar subcommand exists: 'check'"]);
    mistake("trace check a.std b.std", &["unexpected argument 'b.std'"]);
    mistake("trace check --jason a.std", &["a similar argument exists: '--json'"]);
    mistake("man", &["<DIR>"]);
}

#[test]
fn numbers_out_of_range_say_so() {
    mistake("trace gen --threads 0", &["0 is not in 1..=100000"]);
    mistake("trace gen --threads 99999999999", &["99999999999 is not in 1..=100000"]);
    mistake("trace gen --vars 0", &["0 is not in 1..=10000000"]);
    mistake("trace gen --locks 1000001", &["1000001 is not in 0..=1000000"]);
    for share in ["2", "-1", "nan", "inf", "x"] {
        mistake(&format!("trace gen --race-density={share}"), &["expected a number from 0 to 1"]);
        mistake(&format!("trace gen --reads={share}"), &["expected a number from 0 to 1"]);
    }
    let whole = "expected a whole number, at least 1";
    for number in ["0", "-1", "1e6", "99999999999999999999"] {
        mistake(&format!("trace gen --events={number}"), &[whole]);
        mistake(&format!("trace check --memory-limit={number} a.std"), &[whole]);
        mistake(&format!("trace check --gc-every={number} a.std"), &[whole]);
        mistake(&format!("trace show --events={number} a.std"), &[whole]);
    }
}

#[test]
fn manual_pages_for_every_command() {
    let folder = Folder::new();
    folder.run("man share/man1").status(0);
    let page = |name: &str| String::from_utf8(folder.read(&format!("share/man1/{name}.1"))).unwrap();
    let overview = page("deadheat-trace");
    for command in COMMANDS {
        assert!(overview.contains(&format!("deadheat\\-trace\\-{command}(1)")), "{command}");
        assert!(page(&format!("deadheat-trace-{command}")).contains(".SH NAME\n"));
    }
    assert!(
        page("deadheat").contains("deadheat\\-completions(1)")
            && page("deadheat").contains("deadheat\\-man(1)")
            && page("deadheat").contains("deadheat\\-run(1)")
    );
}

#[test]
fn completions_for_every_command() {
    for shell in ["bash", "zsh", "fish"] {
        let script = Folder::new().run(&format!("completions {shell}")).status(0).stdout;
        let words =
            ["run", "suppressions", "ft-cas", "trace", "completions", "man", "memory-limit", "verifiedft"];
        for word in COMMANDS.iter().chain(&words) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}
