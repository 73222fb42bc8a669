//! The pictures as a browser gets them: well formed, complete, and deaf to what names say.

use super::{Picture, PictureEdge};
use crate::samples::Bank;
use expect_test::expect;
use serde_json::Value;

const NASTY: &str = "</script><img src=x onerror=alert(1)>&\"'\x01]]>";

fn picture<T>(bank: &Bank, draw: impl FnOnce(&Picture<'_>) -> T) -> T {
    let races = [bank.race(Bank::clocks(2))];
    let Bank { symbols, events, edges, .. } = bank;
    draw(&Picture { title: "bank.std", events, symbols, edges, races: &races })
}

fn html(picture: &Picture<'_>) -> String {
    let mut out = Vec::new();
    picture.write_html(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

fn svg(picture: &Picture<'_>) -> String {
    let mut out = Vec::new();
    picture.write_svg(&mut out).unwrap();
    String::from_utf8(out).unwrap()
}

/// The JSON between the page's data tags.
fn data(html: &str) -> Value {
    let (_, rest) = html.split_once(r#"<script type="application/json" id="data">"#).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// Checks that every tag is closed in order and that text has no bare markup; enough to catch a missed escape.
fn check_well_formed(xml: &str) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some((text, tag)) = rest.split_once('<') {
        assert!(!text.contains('>') || open.last() == Some(&"style"), "bare > in {text:?}");
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        rest = after;
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap()),
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty());
}

#[test]
fn a_small_still() {
    let svg = picture(&Bank::new(), svg);
    check_well_formed(&svg);
    let (head, rest) = svg.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    expect![[r#"
        <svg xmlns="http://www.w3.org/2000/svg" width="760" height="436" viewBox="0 0 760 436" class="picture">
        <title>bank.std</title>
        <style/>
        <defs><marker id="arrow" class="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" markerUnits="userSpaceOnUse" orient="auto"><path d="M0 0.5 8 4 0 7.5z"/></marker></defs>
        <rect class="paper" width="100%" height="100%"/>
        <text class="title" x="24" y="34">bank.std</text>
        <text class="summary" x="24" y="54">3 threads · 6 events · 1 race</text>
        <text class="thread" x="263" y="90">main</text>
        <path class="guide" d="M263 100V288"/>
        <path class="lane" d="M263 123V153"/>
        <text class="thread" x="433" y="90">T1</text>
        <path class="guide" d="M433 100V288"/>
        <path class="lane" d="M433 183V243"/>
        <text class="thread" x="603" y="90">T2</text>
        <path class="guide" d="M603 100V288"/>
        <path class="lane" d="M603 273V273"/>
        <path class="edge" marker-end="url(#arrow)" d="M298 123C351 123 352 183 405 183"><title>fork</title></path>
        <path class="edge" marker-end="url(#arrow)" d="M298 153C358 153 500 273 560 273"><title>fork</title></path>
        <path class="race" d="M476 213C518 213 518 273 560 273"/>
        <text class="number" x="72" y="127">1</text>
        <text class="place" x="92" y="127">bank.c:10</text>
        <g class="event life"><title>main created thread T1</title><rect x="228" y="112" width="71" height="22" rx="6"/><text x="263" y="127">fork T1</text></g>
        <text class="number" x="72" y="157">2</text>
        <text class="place" x="92" y="157">bank.c:11</text>
        <g class="event life"><title>main created thread T2</title><rect x="228" y="142" width="71" height="22" rx="6"/><text x="263" y="157">fork T2</text></g>
        <text class="number" x="72" y="187">3</text>
        <text class="place" x="92" y="187">bank.c:29</text>
        <g class="event sync"><title>T1 took lock m</title><rect x="405" y="172" width="57" height="22" rx="6"/><text x="433" y="187">acq m</text></g>
        <text class="number" x="72" y="217">4</text>
        <text class="place" x="92" y="217">bank.c:30</text>
        <g class="event read racing"><title>T1 read counter</title><rect x="390" y="202" width="86" height="22" rx="6"/><text x="433" y="217">r counter</text></g>
        <text class="number" x="72" y="247">5</text>
        <text class="place" x="92" y="247">bank.c:31</text>
        <g class="event sync"><title>T1 gave lock m back</title><rect x="405" y="232" width="57" height="22" rx="6"/><text x="433" y="247">rel m</text></g>
        <text class="number" x="72" y="277">6</text>
        <text class="place" x="92" y="277">bank.c:40</text>
        <g class="event write racing"><title>T2 wrote counter</title><rect x="560" y="262" width="86" height="22" rx="6"/><text x="603" y="277">w counter</text></g>
        <g class="badge"><circle cx="518" cy="243" r="9"/><text x="518" y="247">1</text></g>
        <text class="race-head" x="24" y="332">#1 write-after-read on counter</text>
        <text class="race-text" x="24" y="352">event 4: T1 read at bank.c:30</text>
        <text class="race-text" x="24" y="372">event 6: T2 wrote at bank.c:40</text>
        <text class="race-text" x="24" y="392">Nothing enforces this order: when T2 wrote, it knew T1 only up to time 2; T1 read at its time 3.</text>
        </svg>
    "#]].assert_eq(&format!("{head}<style/>{body}"));
}

#[test]
fn the_page_has_its_data() {
    let data = data(&picture(&Bank::new(), html));
    assert_eq!(data["lanes"], serde_json::json!([["main", "main"], ["T1", "T1"], ["T2", "T2"]]));
    assert_eq!(data["events"][0], serde_json::json!([0, 0, 1, 1, 1, 2]));
    assert_eq!(data["labels"][2][0], "acq m");
    // Fork edges arrive at the very start of the new thread.
    assert_eq!(data["edges"], serde_json::json!([[0, 1], [2, 5], [0, 0], [2, 2]]));
    let race = &data["races"][0];
    assert_eq!((&race["prior"], &race["current"]), (&3.into(), &5.into()));
    assert_eq!(race["head"], "write-after-read on counter");
}

#[test]
fn names_cannot_escape_from_the_page() {
    let mut bank = Bank::with_counter(NASTY);
    bank.symbols.intern_thread(NASTY);
    let innocent = picture(&Bank::new(), html);
    let page = picture(&bank, |p| html(&Picture { title: NASTY, ..*p }));
    for tag in ["<script", "</script", "<img", "<style"] {
        assert_eq!(page.matches(tag).count(), innocent.matches(tag).count(), "{tag}");
    }
    let shown = NASTY.replace('\x01', "\\u{1}");
    let data = data(&page);
    assert_eq!(data["title"], shown.as_str());
    assert_eq!(data["races"][0]["head"], format!("write-after-read on {shown}"));
}

#[test]
fn names_cannot_escape_from_the_still() {
    let bank = Bank::with_counter(NASTY);
    let svg = picture(&bank, |p| svg(&Picture { title: NASTY, ..*p }));
    check_well_formed(&svg);
    assert!(!svg.contains("<img") && !svg.contains("<script") && !svg.contains('\x01'));
}

#[test]
fn the_page_needs_nothing_else() {
    let page = picture(&Bank::new(), html);
    let outside = ["src=", "href=", "@import", "fetch(", "https://"];
    assert!(outside.iter().all(|word| !page.contains(word)));
    assert!(!page.contains("{{") && !page.contains("}}</"));
}

#[test]
fn wrong_indices_are_left_out() {
    let mut bank = Bank::new();
    let label = String::from("?");
    bank.edges =
        [(0, 99), (99, 0), (2, 3)].map(|(from, to)| PictureEdge { from, to, label: label.clone() }).into();
    let mut race = bank.race(Bank::clocks(2));
    race.prior.event.0 = 77;
    let Bank { symbols, events, edges, .. } = &bank;
    let picture = Picture { title: "", events, symbols, edges, races: &[race] };
    let data = data(&html(&picture));
    assert_eq!(data["edges"][0], serde_json::json!([]));
    assert_eq!(data["races"], serde_json::json!([]));
    check_well_formed(&svg(&picture));
}

#[test]
fn an_empty_trace_is_an_empty_picture() {
    let picture = Picture { title: "", events: &[], symbols: &Default::default(), edges: &[], races: &[] };
    assert_eq!(data(&html(&picture))["lanes"], serde_json::json!([]));
    check_well_formed(&svg(&picture));
}

#[test]
fn a_still_has_its_limits() {
    let bank = Bank::new();
    let events = vec![bank.events[2]; Picture::SVG_LIMIT + 1];
    let picture = Picture { title: "", events: &events, symbols: &bank.symbols, edges: &[], races: &[] };
    let error = picture.write_svg(&mut Vec::new()).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    picture.write_html(&mut Vec::new()).unwrap();
}
