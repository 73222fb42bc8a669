//! The paper's code, by section and figure, with the annotations that it prints.
#![allow(missing_docs)]

use deadheat_redcard::ir::{AccessId, BlockId, FuncId};
use deadheat_redcard::show::Names;
use deadheat_redcard::solver::Builtin;
use deadheat_redcard::{Analysis, Config, Mode, Program, ProxyMode, analyse, parse};
use expect_test::{Expect, expect};

fn with(text: &str, config: Config) -> (Program, Analysis) {
    let program = parse(text).unwrap_or_else(|e| panic!("{e}"));
    let analysis = analyse(&program, config, &mut Builtin::default()).unwrap();
    assert!(analysis.errors.is_empty(), "{:?}", analysis.errors);
    (program, analysis)
}

/// One letter per access in the order of the text: C for Check, n for NoCheck.
fn marks(text: &str, config: Config) -> String {
    let (program, analysis) = with(text, config);
    let mut ids: Vec<AccessId> = program.accesses().map(|(_, _, id, _, _)| id).collect();
    ids.sort();
    ids.into_iter().map(|id| if analysis.checks(id) { 'C' } else { 'n' }).collect()
}

fn check(text: &str, expected: &str) {
    assert_eq!(marks(text, Config::default()), expected);
}

fn proxies() -> Config {
    Config { proxies: ProxyMode::On, ..Config::default() }
}

/// The context at the start of a block, or before an instruction in it.
fn context(text: &str, block: &str, at: usize, expected: Expect) {
    let (program, analysis) = with(text, Config::default());
    let function = &program.functions[0];
    let found = function.blocks.iter().position(|b| b.name == block).unwrap();
    let names = Names { program: &program, vars: &function.vars };
    expected.assert_eq(&analysis.points[0].blocks[found][at].show(names));
}

#[test]
fn section_1_spans() {
    check(
        "field f
         fn main(m, x) {
         e: lock m  y1 = read x.f  y2 = read x.f  unlock m  y3 = read x.f  return }",
        "CnC",
    );
}

const FIGURE_1: &str = "
    array rows
    fn main(a) {
    start:  jump outer
    outer:  i = phi [start: 0, next: i2]   n = len a   c = i < n   branch c begin end
    begin:  jump inner
    inner:  j = phi [begin: 0, body: j2]   row = read a[i : rows]   m = len row   d = j < m   branch d body next
    body:   row2 = read a[i : rows]   write row2[j] = 0   j2 = j + 1   jump inner
    next:   i2 = i + 1   jump outer
    end:    return }";

#[test]
fn figure_1_two_dimensional_array() {
    check(FIGURE_1, "CnC");
    // Line 4: Π : a[i], ∀(k ∈ 0 to j). a[i][k]
    context(
        FIGURE_1,
        "body",
        0,
        expect![
            "∀(k ∈ 0 to i). ∀(h ∈ 0 to len(a[k : rows])). a[k : rows][h]ʷ, ∀(k ∈ 0 to i). a[k : rows], ∀(k ∈ 0 to j). a[i : rows][k]ʷ, a[i : rows], 0 ≤ i, i ≤ len(a), i < len(a), 0 ≤ j, row = a[i : rows], j < len(row)"
        ],
    );
    // Line 7: Π : ∀(h ∈ 0 to i). ∀(j ∈ 0 to a[h].length). a[h][j]; here at the head, before i is incremented
    context(
        FIGURE_1,
        "outer",
        0,
        expect![
            "∀(k ∈ 0 to i). ∀(h ∈ 0 to len(a[k : rows])). a[k : rows][h]ʷ, ∀(k ∈ 0 to i). a[k : rows], 0 ≤ i, i ≤ len(a)"
        ],
    );
    // Line 9: Π : ∀(i ∈ 0 to a.length). ∀(j ∈ 0 to a[i].length). a[i][j]
    context(
        FIGURE_1,
        "end",
        0,
        expect![
            "∀(k ∈ 0 to i). ∀(h ∈ 0 to len(a[k : rows])). a[k : rows][h]ʷ, ∀(k ∈ 0 to i). a[k : rows], 0 ≤ i, i ≤ len(a), i = len(a), len(a) ≤ i"
        ],
    );
}

/// "any subsequent accesses to this two-dimensional array within the current span would also be check-free"
#[test]
fn figure_1_and_then_again() {
    let again = FIGURE_1.replace(
        "end:    return }",
        "end:    jump outer2
         outer2: p = phi [end: 0, next2: p2]   n2 = len a   c2 = p < n2   branch c2 begin2 end2
         begin2: r = read a[p : rows]   jump inner2
         inner2: q = phi [begin2: 0, body2: q2]   m2 = len r   d2 = q < m2   branch d2 body2 next2
         body2:  e = read r[q]   write r[q] = 1   q2 = q + 1   jump inner2
         next2:  p2 = p + 1   jump outer2
         end2:   return }",
    );
    check(&again, "CnCnnn");
}

#[test]
fn section_2_1_race_free_prefix() {
    check(
        "field f field g
         fn main(x) {
         e: y1 = read x.f   z1 = read y1.g   y2 = read x.f   z2 = read y2.g   return }",
        "CCnn",
    );
}

#[test]
fn section_3_1_aliases_survive_assignments() {
    check(
        "field f field g
         fn main(z, y) {
         e: a = read z.f   b = read z.f   z2 = y   t1 = read a.g   t2 = read b.g   return }",
        "CnCn",
    );
}

/// The same where z really is overwritten: by the φ-function of a loop.
#[test]
fn section_3_1_skolem_variables() {
    check(
        "field f field g
         fn main(z0, y) {
         e:    jump head
         head: z = phi [e: z0, body: y]   a = read z.f   b = read z.f   c = unknown   branch c body out
         body: t1 = read a.g   t2 = read b.g   jump head
         out:  return }",
        "CnCn",
    );
}

/// A store through what may be an alias ends what is known of the loaded values, not what is available.
#[test]
fn section_3_1_write_rule() {
    check(
        "field f field g
         fn main(x, y, o) {
         e: a = read x.f   s = read a.g   write y.f = o   b = read x.f   t = read b.g   u = read a.g   return }",
        "CCCnCn",
    );
}

const SECTION_4: &str = "
    fn main(a) {
    start: jump head
    head:  i = phi [start: 0, body: i2]   n = len a   c = i < n   branch c body done
    body:  write a[i] = 0   i2 = i + 1   jump head
    done:  jump head2
    head2: k = phi [done: 0, body2: k2]   n2 = len a   c2 = k < n2   branch c2 body2 done2
    body2: x = read a[k]   write a[k] = 1   k2 = k + 1   jump head2
    done2: return }";

#[test]
fn section_4_clear_an_array() {
    check(SECTION_4, "Cnn");
    context(SECTION_4, "body", 0, expect!["∀(k ∈ 0 to i). a[k]ʷ, 0 ≤ i, i ≤ len(a), i < len(a)"]);
    context(
        SECTION_4,
        "body",
        1,
        expect!["∀(k ∈ 0 to i). a[k]ʷ, a[i]ʷ, 0 ≤ i, i ≤ len(a), i < len(a), 0 = a[i]"],
    );
    context(SECTION_4, "done", 0, expect!["∀(k ∈ 0 to i). a[k]ʷ, 0 ≤ i, i ≤ len(a), i = len(a), len(a) ≤ i"]);
}

#[test]
fn section_4_strides_and_directions() {
    for (start, test, step, first, second) in [
        ("0", "i < n", "i + 2", "CnC", "i"),
        ("0", "i < n", "i + 4", "CnC", "i"),
        ("9", "-1 < i", "i - 1", "CnC", "i"),
        ("9", "-1 < i", "i - 3", "CnC", "i"),
    ] {
        let text = format!(
            "fn main(a, n) {{
             start: jump head
             head:  i = phi [start: {start}, body: i2]   c = {test}   branch c body done
             body:  write a[i] = 0   i2 = {step}   jump head
             done:  jump head2
             head2: k = phi [done: {start}, body2: k2]   c2 = {}   branch c2 body2 done2
             body2: x = read a[k]   k1 = k + 1   y = read a[k1]   k2 = {}   jump head2
             done2: return }}",
            test.replace('i', "k"),
            step.replace('i', "k"),
        );
        // Down by one, the element above was accessed by both loops; all others are skipped or not yet reached.
        let expected = if step == "i - 1" { "CnC" } else { first };
        assert_eq!(marks(&text, Config::default()), expected, "{step} {second}");
    }
}

#[test]
fn section_6_reads_and_writes() {
    check(
        "field f
         fn main(x) {
         e: a = read x.f   write x.f = a   b = read x.f   write x.f = b   return }",
        "CCnn",
    );
}

#[test]
fn section_6_phi_functions() {
    check(
        "field f
         fn main(p, q, c) {
         e: branch c l r
         l: a = read p.f   jump j
         r: b = read q.f   jump j
         j: x = phi [l: p, r: q]   d = read x.f   return }",
        "CCn",
    );
}

#[test]
fn section_6_path_expansion() {
    check(
        "field f field g
         fn main(a, c) {
         e: branch c l r
         l: t1 = read a.f   y1 = read t1.g   jump j
         r: t2 = read a.f   y2 = read t2.g   jump j
         j: t3 = read a.f   y3 = read t3.g   return }",
        "CCCCnn",
    );
}

/// Four references: a.f.f.f.f is found again on both ways, a fifth is not.
#[test]
fn section_6_paths_of_four() {
    let way = |p: &str| {
        let reads = (1..=5).map(|n| {
            format!("{p}{n} = read {}.f", if n == 1 { "a".into() } else { format!("{p}{}", n - 1) })
        });
        reads.collect::<Vec<_>>().join("   ")
    };
    let text = format!(
        "field f
         fn main(a, c) {{
         e: branch c l r
         l: {}   jump j
         r: {}   jump j
         j: {}   return }}",
        way("l"),
        way("r"),
        way("j")
    );
    check(&text, "CCCCCCCCCCnnnnC");
}

const METHODS: &str = "
    field f
    export fn main(x, y) {
    e: a = read x.f   r = call get(x)   b = read r.f   call touch(y)   c = read y.f   call get(y)   return }
    fn get(p) { e: v = read p.f   return p }
    fn touch(p) { e: v = read p.f   return }";

#[test]
fn section_6_between_procedures() {
    // get's only access is available at both calls; touch's is not, but then y.f is.
    check(METHODS, "CnnnC");
}

#[test]
fn section_6_method_by_method() {
    assert_eq!(marks(METHODS, Config { mode: Mode::Intra, ..Config::default() }), "CCCCC");
}

#[test]
fn section_6_written_specifications() {
    let text = METHODS
        .replace("fn get(p)", "fn get(p) requires r p.f ensures r result.f modifies nothing")
        .replace("fn touch(p)", "fn touch(p) ensures r p.f modifies nothing");
    assert_eq!(marks(&text, Config { mode: Mode::Intra, ..Config::default() }), "CnnnC");
}

#[test]
fn written_specifications_are_checked() {
    let wrong = [
        ("fn get(p)", "fn get(p) requires w p.f modifies nothing"),
        ("fn get(p)", "fn get(p) ensures w p.f modifies nothing"),
        ("export fn main(x, y)", "export fn main(x, y) requires r x.f modifies all"),
    ];
    for (from, to) in wrong {
        let program = parse(&METHODS.replacen(from, to, 1)).unwrap();
        let config = Config { mode: Mode::Intra, ..Config::default() };
        let analysis = analyse(&program, config, &mut Builtin::default()).unwrap();
        assert!(!analysis.errors.is_empty(), "{to}");
        assert!(program.accesses().all(|(_, _, id, _, _)| analysis.checks(id)), "{to}");
    }
}

/// A method that releases says so, or is refused.
#[test]
fn a_callee_that_releases_ends_the_span() {
    check(
        "field f
         export fn main(x) { e: a = read x.f   call flush(x)   b = read x.f   return }
         fn flush(p) { e: lock p   unlock p   return }",
        "CC",
    );
}

#[test]
fn section_5_field_proxies() {
    // x is accessed before y everywhere, in the same span, by the same kind.
    let text = "closed field x field y
         fn main(p, q) {
         e: a = read p.x   b = read p.y   lock p   write q.x = a   write q.y = b   unlock p   return }";
    assert_eq!(marks(text, proxies()), "nCnC");
    let (program, analysis) = with(text, proxies());
    let names: Vec<(&str, &str)> = analysis
        .proxies
        .fields
        .iter()
        .map(|(of, by)| (&*program.fields[of.index()].name, &*program.fields[by.index()].name))
        .collect();
    assert_eq!(names, [("x", "y")]);
    // One access of y alone: y is no proxy for x any more ... but x is one for y.
    let alone = text.replace("unlock p", "unlock p   c = read p.x");
    assert_eq!(marks(&alone, proxies()), "CnCnC");
    // And neither if both happen alone.
    let both = text.replace("unlock p", "unlock p   c = read p.x   lock q   unlock q   d = read p.y");
    assert_eq!(marks(&both, proxies()), "CCCCCC");
}

/// *Deviation*: §5 allows the proxy anywhere later in the span. After an acquire that loses races: here `t1: y; x; rel m` may be
/// followed by `t2: x; acq m; y`, which races on x only.
#[test]
fn section_5_no_acquire_before_the_proxy() {
    let text = "closed field x field y
         fn main(p, m) {
         e: write p.y = 1   write p.x = 1   lock m   unlock m   write p.x = 2   lock m   write p.y = 2
            unlock m   write p.y = 3   return }";
    assert_eq!(marks(text, proxies()), "CCCCC");
    // Without the acquire, y is a proxy for x.
    assert_eq!(marks(&text.replace("write p.x = 2   lock m", "write p.x = 2"), proxies()), "CnnCC");
}

#[test]
fn section_5_array_proxies() {
    // Chunks of four: the first of each is accessed first.
    let chunks = "closed
         fn main(n) {
         e:    a = new 1 [n]   jump head
         head: i = phi [e: 0, body: i4]   c = i < n   branch c body done
         body: write a[i] = 0   i1 = i + 1   write a[i1] = 0   i2 = i + 2   write a[i2] = 0   i3 = i + 3   write a[i3] = 0
               i4 = i + 4   jump head
         done: return }";
    assert_eq!(marks(chunks, proxies()), "Cnnn");
    let (_, analysis) = with(chunks, proxies());
    let found: Vec<String> = analysis.proxies.arrays.values().map(|f| f.to_string()).collect();
    assert!(found == ["0"] || found == ["(i div 4) * 4"], "{found:?}");
}

/// Unchecked is what is not the proxy for sure: the first iteration must be apart, which peeling does.
#[test]
fn section_5_whole_array() {
    let text = "closed
         fn main(n) {
         e:     a = new 1 [n]   write a[0] = 0   jump head
         head:  i = phi [e: 1, body: i2]   c = i < n   branch c body done
         body:  write a[i] = 0   i2 = i + 1   jump head
         done:  return }";
    assert_eq!(marks(text, proxies()), "Cn");
}

#[test]
fn proxies_need_the_whole_program() {
    let text = "field x field y
         fn main(p) { e: a = read p.x   b = read p.y   return }";
    assert_eq!(marks(text, proxies()), "CC");
}

#[test]
fn ids_and_contexts_are_there_for_every_point() {
    let (program, analysis) = with(FIGURE_1, Config::default());
    let main = FuncId(0);
    for (b, block) in program.functions[main.index()].blocks.iter().enumerate() {
        let points = &analysis.points[main.index()].blocks[BlockId(b as u32).index()];
        assert_eq!(points.len(), block.insts.len() + 1);
    }
}

const LOOP: &str = "field f
    fn main(a, n) {
    e:    jump head
    head: i = phi [e: 0, body: i2]   c = i < n   branch c body done
    body: x = read a.f   call summary m(x) modifies nothing   i2 = i + 1   jump head
    done: return }";

#[test]
fn section_6_peeling() {
    check(LOOP, "C");
    let program = parse(LOOP).unwrap();
    let peeled = deadheat_redcard::peel::peel(&program).unwrap();
    peeled.program.check().unwrap();
    assert_eq!(peeled.loops, 1);
    let analysis = analyse(&peeled.program, Config::default(), &mut Builtin::default()).unwrap();
    let (copy, original) = peeled.origin.first_key_value().unwrap();
    assert_eq!((analysis.mark(*copy), analysis.mark(*original)), ("Check", "NoCheck"));
}

/// The reason for §2.1's last read: y1.g was read, and both are x.f.
#[test]
fn a_reason_names_accesses_and_facts() {
    let text = "field f field g
         fn main(x, u) {
         e: w = read u.f   y1 = read x.f   z1 = read y1.g   y2 = read x.f   z2 = read y2.g   return }";
    let (program, analysis) = with(text, Config::default());
    let names = Names { program: &program, vars: &program.functions[0].vars };
    let explanation = analysis.explain(&program, AccessId(4), &mut Builtin::default()).unwrap();
    let paths: Vec<String> = explanation.paths.iter().map(|p| names.paper(&p.path)).collect();
    let facts: Vec<String> = explanation.facts.iter().map(|f| names.literal(f)).collect();
    assert_eq!((paths.join(", "), facts.join(", ")), ("y1.g".into(), "y1 = x.f, y2 = x.f".into()));
    assert_eq!(analysis.because(AccessId(4)), ": available from #2");
    assert_eq!(analysis.explain(&program, AccessId(0), &mut Builtin::default()), None);
}

/// A field whose bytes another name reaches is no proxy and has none: the other name's own proxy would have to vouch for it.
#[test]
fn section_5_no_proxies_among_overlapping_fields() {
    let text =
        "closed field s at 0 width 8 field f at 8 width 8 field g at 16 width 8 field other at 8 width 8
         fn main(p) {
         e: write p.s = 1   write p.f = 1   write p.g = 1   return }";
    // Without `other`, s stands for f and g; with it, f is checked.
    let alone = text.replace("field other at 8 width 8", "");
    assert_eq!(marks(&alone, proxies()).matches('C').count(), 1);
    let (program, analysis) = with(text, proxies());
    let named = |name: &str| program.fields.iter().position(|f| f.name == name).unwrap();
    let touched = analysis.proxies.fields.iter().flat_map(|(of, by)| [of.index(), by.index()]);
    let overlapping = [named("f"), named("other")];
    assert!(touched.into_iter().all(|field| !overlapping.contains(&field)), "{:?}", analysis.proxies);
}

/// A condition that its numbers decide leaves one way: what only the other way lacks is available behind both.
#[test]
fn a_way_that_numbers_forbid_carries_no_context() {
    check(
        "field f
         fn main(x) {
         e: k = 0   c = k < 4   branch c yes no
         yes: a = read x.f   jump join
         no: jump join
         join: b = read x.f   return }",
        "Cn",
    );
}
