//! What documents look like.

use super::*;
use crate::samples::{destroy, inversion, race, thread};
use alloc::vec;
use expect_test::expect;

fn parsed(findings: &[Finding], setting: Setting<'_>) -> Value {
    serde_json::from_str(&document(findings, setting)).unwrap()
}

#[test]
fn the_result_of_a_race() {
    let document = parsed(&[race()], Setting { version: "1.2.3", root: Some("/home/ann/") });
    let run = &document["runs"][0];
    assert_eq!(run["tool"]["driver"]["version"], "1.2.3");
    assert_eq!(run["originalUriBaseIds"]["SRCROOT"]["uri"], "file:///home/ann/");
    expect![[r#"
        {
          "codeFlows": [
            {
              "threadFlows": [
                {
                  "id": "main thread",
                  "locations": [
                    {
                      "location": {
                        "logicalLocations": [
                          {
                            "fullyQualifiedName": "main",
                            "kind": "function"
                          }
                        ],
                        "message": {
                          "text": "Read of 4 bytes at 0x555556a68af0 by the main thread"
                        },
                        "physicalLocation": {
                          "artifactLocation": {
                            "uri": "src/bank.c",
                            "uriBaseId": "SRCROOT"
                          },
                          "region": {
                            "startColumn": 5,
                            "startLine": 30
                          }
                        }
                      }
                    }
                  ],
                  "message": {
                    "text": "Read of 4 bytes at 0x555556a68af0 by the main thread"
                  }
                },
                {
                  "id": "thread T1",
                  "locations": [
                    {
                      "location": {
                        "logicalLocations": [
                          {
                            "fullyQualifiedName": "deposit",
                            "kind": "function"
                          }
                        ],
                        "physicalLocation": {
                          "artifactLocation": {
                            "uri": "src/bank.c",
                            "uriBaseId": "SRCROOT"
                          },
                          "region": {
                            "startColumn": 5,
                            "startLine": 12
                          }
                        }
                      }
                    },
                    {
                      "location": {
                        "logicalLocations": [
                          {
                            "fullyQualifiedName": "store(int*)",
                            "kind": "function"
                          }
                        ],
                        "message": {
                          "text": "Earlier: write of 4 bytes at 0x555556a68af0 by thread T1, holding M0"
                        },
                        "physicalLocation": {
                          "artifactLocation": {
                            "uri": "src/bank.c",
                            "uriBaseId": "SRCROOT"
                          },
                          "region": {
                            "startColumn": 5,
                            "startLine": 11
                          }
                        }
                      }
                    }
                  ],
                  "message": {
                    "text": "Earlier: write of 4 bytes at 0x555556a68af0 by thread T1, holding M0"
                  }
                }
              ]
            }
          ],
          "level": "error",
          "locations": [
            {
              "logicalLocations": [
                {
                  "fullyQualifiedName": "main",
                  "kind": "function"
                }
              ],
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "src/bank.c",
                  "uriBaseId": "SRCROOT"
                },
                "region": {
                  "startColumn": 5,
                  "startLine": 30
                }
              }
            }
          ],
          "message": {
            "text": "Data race on 'balance': the main thread reads in main (bank.c:30), thread T1 writes in store(int*) (bank.c:11). Nothing orders thread T1's write before the main thread's read: the main thread has not joined thread T1, nor acquired anything that it released since. Only thread T1 held a mutex (M0)."
          },
          "partialFingerprints": {
            "deadheat/v1": "7dfa5b4fda266863"
          },
          "relatedLocations": [
            {
              "id": 1,
              "logicalLocations": [
                {
                  "fullyQualifiedName": "store(int*)",
                  "kind": "function"
                }
              ],
              "message": {
                "text": "Earlier: write of 4 bytes at 0x555556a68af0 by thread T1, holding M0"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "src/bank.c",
                  "uriBaseId": "SRCROOT"
                },
                "region": {
                  "startColumn": 5,
                  "startLine": 11
                }
              }
            },
            {
              "id": 2,
              "logicalLocations": [
                {
                  "fullyQualifiedName": "main",
                  "kind": "function"
                }
              ],
              "message": {
                "text": "Mutex M0 (0x555556a68b38) created"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "src/bank.c",
                  "uriBaseId": "SRCROOT"
                },
                "region": {
                  "startColumn": 5,
                  "startLine": 20
                }
              }
            },
            {
              "id": 3,
              "logicalLocations": [
                {
                  "fullyQualifiedName": "main",
                  "kind": "function"
                }
              ],
              "message": {
                "text": "Thread T1 'teller' created by the main thread"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "src/bank.c",
                  "uriBaseId": "SRCROOT"
                },
                "region": {
                  "startColumn": 5,
                  "startLine": 27
                }
              }
            }
          ],
          "ruleId": "data-race",
          "ruleIndex": 0,
          "stacks": [
            {
              "frames": [
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "main",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "main"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "src/bank.c",
                        "uriBaseId": "SRCROOT"
                      },
                      "region": {
                        "startColumn": 5,
                        "startLine": 30
                      }
                    }
                  },
                  "module": "bank+0x101e",
                  "threadId": 0
                }
              ],
              "message": {
                "text": "Read of 4 bytes at 0x555556a68af0 by the main thread"
              }
            },
            {
              "frames": [
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "store(int*)",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "store(int*)"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "src/bank.c",
                        "uriBaseId": "SRCROOT"
                      },
                      "region": {
                        "startColumn": 5,
                        "startLine": 11
                      }
                    }
                  },
                  "module": "bank+0x100b",
                  "threadId": 1
                },
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "deposit",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "deposit"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "src/bank.c",
                        "uriBaseId": "SRCROOT"
                      },
                      "region": {
                        "startColumn": 5,
                        "startLine": 12
                      }
                    }
                  },
                  "module": "bank+0x100c",
                  "threadId": 1
                },
                {
                  "location": {
                    "message": {
                      "text": "<null>"
                    }
                  },
                  "module": "libc.so.6+0x27249",
                  "threadId": 1
                }
              ],
              "message": {
                "text": "Earlier: write of 4 bytes at 0x555556a68af0 by thread T1, holding M0"
              }
            },
            {
              "frames": [
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "pthread_mutex_init",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "pthread_mutex_init"
                    }
                  },
                  "module": "libc.so.6+0x27249"
                },
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "main",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "main"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "src/bank.c",
                        "uriBaseId": "SRCROOT"
                      },
                      "region": {
                        "startColumn": 5,
                        "startLine": 20
                      }
                    }
                  },
                  "module": "bank+0x1014"
                }
              ],
              "message": {
                "text": "Mutex M0 (0x555556a68b38) created"
              }
            },
            {
              "frames": [
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "pthread_create",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "pthread_create"
                    }
                  },
                  "module": "libc.so.6+0x27249",
                  "threadId": 0
                },
                {
                  "location": {
                    "logicalLocations": [
                      {
                        "fullyQualifiedName": "main",
                        "kind": "function"
                      }
                    ],
                    "message": {
                      "text": "main"
                    },
                    "physicalLocation": {
                      "artifactLocation": {
                        "uri": "src/bank.c",
                        "uriBaseId": "SRCROOT"
                      },
                      "region": {
                        "startColumn": 5,
                        "startLine": 27
                      }
                    }
                  },
                  "module": "bank+0x101b",
                  "threadId": 0
                }
              ],
              "message": {
                "text": "Thread T1 'teller' created by the main thread"
              }
            }
          ]
        }"#]].assert_eq(&serde_json::to_string_pretty(&run["results"][0]).unwrap());
}

#[test]
fn every_result_has_its_rule() {
    let findings: Vec<_> = Kind::ALL.iter().map(|kind| Finding::new(*kind, 1)).collect();
    let document = parsed(&findings, Setting::default());
    let run = &document["runs"][0];
    for (nth, kind) in Kind::ALL.iter().enumerate() {
        let result = &run["results"][nth];
        assert_eq!(result["ruleId"], kind.name());
        let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], kind.name());
    }
}

#[test]
fn fingerprints_outlive_lines_addresses_and_order() {
    let mut other = race();
    for access in &mut other.accesses {
        access.addr.0 += 64;
        for frame in &mut access.stack.0 {
            frame.line = frame.line.map(|line| line + 10);
            frame.pc.0 += 4096;
        }
    }
    other.accesses.reverse();
    assert_eq!(fingerprint(&race()), fingerprint(&other));
    other.accesses[0].stack.0[0].function = Some("withdraw".into());
    assert_ne!(fingerprint(&race()), fingerprint(&other));
    let leak = |id| Finding { threads: vec![thread(id, "")], ..Finding::new(Kind::ThreadLeak, 1) };
    assert_eq!(fingerprint(&leak(1)), fingerprint(&leak(2)));
    assert_ne!(fingerprint(&destroy()), fingerprint(&inversion()));
}

#[test]
fn paths_become_uris() {
    assert_eq!(artifact("/a b/ü.c", None), json!({"uri": "file:///a%20b/%C3%BC.c"}));
    assert_eq!(artifact("src/a.c", Some("/w")), json!({"uri": "src/a.c"}));
    assert_eq!(artifact("/w/a.c", Some("/w")), json!({"uri": "a.c", "uriBaseId": "SRCROOT"}));
    assert_eq!(artifact("/w2/a.c", Some("/w")), json!({"uri": "file:///w2/a.c"}));
}
