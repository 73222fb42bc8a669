#![allow(missing_docs)]
use deadheat_redcard::report::Detail;
use deadheat_redcard::solver::Builtin;
use deadheat_redcard::{Config, analyse, parse};

fn show(text: &str) -> String {
    let program = parse(text).unwrap();
    let analysis = analyse(&program, Config::default(), &mut Builtin::default()).unwrap();
    analysis.show(&program, Detail::Contexts)
}

#[test]
fn smoke() {
    println!(
        "{}",
        show(
            "
field f
fn main(x, m) {
entry: lock m
 y = read x.f
 z = read x.f
 unlock m
 w = read x.f
 return
}"
        )
    );
    println!(
        "{}",
        show(
            "
array rows
fn main(a) {
entry: jump outer
outer: i = phi [entry: 0, next: i1]
  n = len a
  c = i < n
  branch c pre done
pre: jump inner
inner: j = phi [pre: 0, body: j1]
  t = read a[i : rows]
  m = len t
  d = j < m
  branch d body next
body: t2 = read a[i : rows]
  write t2[j] = 0
  j1 = j + 1
  jump inner
next: i1 = i + 1
  jump outer
done: return
}"
        )
    );
}
