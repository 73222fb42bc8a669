//! What the detectors say of themselves.

use super::Run;
use crate::kind::DetectorKind::{self, *};
use crate::oracle::Oracle;
use crate::{Detector, Precision};
use deadheat_clock::Tid;
use deadheat_trace::{HappensBefore, Op};
use std::collections::BTreeSet;

#[test]
fn every_kind_has_a_name_and_a_line_of_its_own() {
    for text in [DetectorKind::name, DetectorKind::about] {
        let texts: BTreeSet<&str> = DetectorKind::ALL.map(text).into();
        assert_eq!(texts.len(), DetectorKind::ALL.len(), "{texts:?}");
    }
}

#[test]
fn what_is_claimed_of_each_kind() {
    let kinds = |is: fn(DetectorKind) -> bool| DetectorKind::ALL.into_iter().filter(move |kind| is(*kind));
    assert!(kinds(|kind| kind.precision() == Precision::AfterWrite).eq([HbSetsAfterWrite]));
    assert!(kinds(|kind| kind.precision() == Precision::Candidates).eq([Lockset, LimitedHb]));
    assert!(kinds(DetectorKind::takes_short_traces_only).eq([
        HbSetsAfterWrite,
        HbSets,
        DetectorKind::Oracle
    ]));
}

#[test]
fn the_oracle_says_how_long_is_too_long() {
    let ended = |events: usize| {
        let mut run = Run::new(Oracle::default());
        (0..events as u32).for_each(|t| {
            run.step(Tid(t), Op::Start);
        });
        run.detector.finish(&mut |_| ())
    };
    let most = HappensBefore::MAX_EVENTS;
    assert_eq!(ended(most), Ok(()));
    let said = ended(most + 1).unwrap_err();
    assert!(said.contains("at most 50000 events") && said.ends_with("has 50001"), "{said}");
}
