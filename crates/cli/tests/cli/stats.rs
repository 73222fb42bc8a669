//! `trace stats`: counts and shares.

use crate::harness::{BANK, FORK_JOIN, Folder};
use expect_test::expect;

#[test]
fn shares_are_in_per_cent() {
    let ran = Folder::with("bank.std", BANK).run("trace stats bank.std").status(66);
    expect![[r#"
        11 events, 3 threads, 1 variable, 1 lock

        operation                                         count        %
          read                                                3    27.27
          fork                                                2    18.18
          join                                                2    18.18
          write                                               2    18.18
          acquire                                             1     9.09
          release                                             1     9.09

        verifiedft, rules for accesses                    count        %
          Read Exclusive                                      1    20.00
          Read Shared                                         1    20.00
          Write-Read Race                                     1    20.00
          Write Exclusive                                     1    20.00
          Write-Write Race                                    1    20.00

        verifiedft, rules for synchronisation             count        %
          Fork                                                2    33.33
          Join                                                2    33.33
          Acquire                                             1    16.67
          Release                                             1    16.67
    "#]]
    .assert_eq(&ran.stdout);
}

#[test]
fn json_has_the_counts() {
    let stats =
        Folder::with("a.std", FORK_JOIN).run("trace stats --json -d fasttrack a.std").status(0).json();
    assert_eq!(stats["events"], 5);
    assert_eq!(stats["detector"], "fasttrack");
    assert_eq!(stats["things"], serde_json::json!({ "threads": 2, "variables": 1 }));
    assert_eq!(stats["operations"], serde_json::json!({ "write": 3, "fork": 1, "join": 1 }));
    assert_eq!(stats["rules"]["Join"], 1);
}
