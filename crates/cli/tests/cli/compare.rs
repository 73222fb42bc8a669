//! `trace compare`: the table, and where detectors differ.

use crate::harness::{BANK, FORK_JOIN, Folder, Ran};
use expect_test::expect;

/// The table without its times, which differ from run to run.
fn without_times(ran: &Ran) -> String {
    let cut = |line: &str| match line.char_indices().nth(61) {
        Some((i, _)) if line.contains("x  ") => format!("{}     ?x{}", &line[..i], &line[i + 8..]),
        _ => line.to_owned(),
    };
    ran.stdout.lines().map(|line| cut(line) + "\n").collect()
}

#[test]
fn all_detectors_side_by_side() {
    let ran = Folder::with("bank.std", BANK).run("trace compare bank.std").status(66);
    expect![[r#"
        detector              accesses  variables   pairs  first race    time  precision
        vector-clock                 2          1       2           7     ?x  precise
        multi-join                   2          1       2           7     ?x  precise
        fasttrack                    2          1       2           7     ?x  precise
        verifiedft                   2          1       2           7     ?x  precise
        hb-sets-after-write          2          1       2           7     ?x  precise for races after a write
        hb-sets                      2          1       2           7     ?x  precise
        hb-sets-gc                   2          1       2           7     ?x  precise
        lockset                      2          1       2           8     ?x  imprecise: candidates only
        limited-hb                   2          1       3           7     ?x  imprecise: candidates only
        oracle                       2          1       3           7     ?x  precise

        accesses    that complete a race
        variables   that race (neighbouring bytes without a name count as one)
        pairs       of places in the program that race with each other
        first race  the event that completes it
        time        as a multiple of the fastest detector's

        Where they differ, with the event of the first race:
          counter  event 7: the other 9; event 8: lockset
    "#]]
    .assert_eq(&without_times(&ran));
}

#[test]
fn locksets_do_not_see_fork_and_join() {
    let ran =
        Folder::with("a.std", FORK_JOIN).run("trace compare -d lockset,verifiedft,lockset a.std").status(66);
    expect![[r#"
        detector              accesses  variables   pairs  first race    time  precision
        lockset                      2          1       2           3     ?x  imprecise: candidates only
        verifiedft                   0          0       0           -     ?x  precise

        accesses    that complete a race
        variables   that race (neighbouring bytes without a name count as one)
        pairs       of places in the program that race with each other
        first race  the event that completes it
        time        as a multiple of the fastest detector's

        Where they differ, with the event of the first race:
          x  event 3: lockset; no race: verifiedft
    "#]]
    .assert_eq(&without_times(&ran));
}

#[test]
fn agreement_is_told() {
    let ran = Folder::with("a.std", FORK_JOIN).run("trace compare -d verifiedft,oracle a.std").status(0);
    assert!(
        ran.stdout
            .ends_with("\nAll agree on which variables race, and on the event of the first race on each.\n")
    );
}

#[test]
fn json_has_the_same() {
    let folder = Folder::with("a.std", FORK_JOIN);
    let comparison = folder.run("trace compare --json -d lockset,verifiedft a.std").status(66).json();
    assert_eq!(comparison["events"], 5);
    assert_eq!(comparison["detectors"][0]["detector"], "lockset");
    assert_eq!(comparison["detectors"][0]["first_race"], 3);
    assert_eq!(comparison["detectors"][1]["first_race"], serde_json::Value::Null);
    assert_eq!(
        comparison["differences"],
        serde_json::json!([{ "variable": "x", "first_race": { "lockset": 3, "verifiedft": null } }])
    );
}

/// Detectors cut the bytes of a race into pieces as they like; that is no difference.
#[test]
fn precise_detectors_agree_on_bytes() {
    let folder = Folder::new();
    folder.write(
        "a.std",
        "T1|w(0x1000:8)|1\nT2|w(0x1004:2)|2\nT3|w(0x0ff8:16)|3\nT1|r(0x1000:1)|4\nT2|r(0x0ff0:32)|5\n",
    );
    let detectors = "vector-clock,multi-join,fasttrack,verifiedft,hb-sets,hb-sets-gc,oracle";
    let comparison = folder.run(&format!("trace compare --json -d {detectors} a.std")).status(66).json();
    assert_eq!(comparison["differences"], serde_json::json!([]));
    for seed in 0..20 {
        folder.run(&format!("trace gen --operations all --seed {seed} --vars 3 -n 300 -o r.dht")).status(0);
        let comparison = folder.run(&format!("trace compare --json -d {detectors} r.dht")).json();
        assert_eq!(comparison["differences"], serde_json::json!([]), "seed {seed}");
        let variables = |i: usize| comparison["detectors"][i]["racing_variables"].as_u64().unwrap();
        assert!((0..7).all(|i| variables(i) == variables(0)), "seed {seed}");
    }
}

#[test]
fn long_traces_leave_the_slow_ones_out() {
    let folder = Folder::new();
    folder.run("trace gen -n 30000 -o a.dht").status(0);
    let ran = folder.run("trace compare a.dht").status(66);
    assert!(
        ran.stdout.contains("\noracle                left out: for short traces; ask for it by name\n"),
        "{}",
        ran.stdout
    );
    let comparison = folder.run("trace compare --json a.dht").status(66).json();
    assert_eq!(comparison["detectors"][9]["left_out"], "for short traces; ask for it by name");
}

#[test]
fn one_that_gives_up_does_not_spoil_it_for_the_others() {
    let folder = Folder::new();
    folder.run("trace gen -n 60000 -o a.dht").status(0);
    let ran = folder.run("trace compare -d oracle,verifiedft a.dht").status(66);
    assert!(ran.stdout.contains("left out: the oracle takes at most"), "{}", ran.stdout);
    let ran = folder.run("trace compare -d oracle a.dht");
    assert!(ran.one_line().starts_with("a.dht: the oracle takes at most "), "{}", ran.stderr);
}

#[test]
fn a_mistake_does_not_hide_the_races_before_it() {
    let folder = Folder::with("a.std", "T1|w(x)|1\nT2|w(x)|2\nT1|rel(m)|3\n");
    let ran = folder.run("trace compare -d verifiedft,oracle a.std");
    assert!(ran.one_line().starts_with("a.std:3: this cannot happen: "));
    assert!(
        ran.stdout.contains("\nverifiedft                   1          1       1           2"),
        "{}",
        ran.stdout
    );
    let ran = folder.run("trace compare --json -d verifiedft a.std");
    assert_eq!(ran.json()["stopped"], ran.one_line());
}
