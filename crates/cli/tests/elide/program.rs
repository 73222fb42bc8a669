//! Random C programs of threads that take turns.

use std::fmt::Write;

const THREADS: usize = 3;
const VARIABLES: usize = 12;
const ARRAYS: usize = 4;

const HEAD: &str = "\
#include <pthread.h>
#include <stdatomic.h>
static long v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11;
static int a0[40], a1[40], a2[40], a3[40];
static struct { int x, y; long z; char b[8]; } r0, r1;
static struct { long a, b, c; short d[4]; } s0[12], s1[12];
static pthread_mutex_t m0 = PTHREAD_MUTEX_INITIALIZER, m1 = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int f0, f1;
static volatile unsigned turn;
__attribute__((noinline, no_sanitize(\"thread\"))) static void wait_for(unsigned n) { while (turn != n) {} }
__attribute__((noinline, no_sanitize(\"thread\"))) static void hand_on(void) { turn = turn + 1; }
__attribute__((noinline)) static void bump(long *at) { ++*at; }
__attribute__((noinline)) static int total(const int *at, int n) {
  int all = 0;
  for (int k = 0; k < n; k++) all += at[k];
  return all;
}
__attribute__((noinline)) static void locked(long *at) {
  pthread_mutex_lock(&m0);
  ++*at;
  pthread_mutex_unlock(&m0);
}
__attribute__((noinline)) static void within(long *at) {
  pthread_mutex_lock(&m2);
  ++*at;
  pthread_mutex_unlock(&m2);
}
__attribute__((noinline)) static long peek(const long *at, const long *or) { return *at ? *at : *or; }
__attribute__((noinline)) static long behind(long *at, long *or) {
  if (*or & 1) within(or);
  return peek(at, or) + peek(or, at);
}
__attribute__((noinline)) static long some(long *at, long *or, long n) {
  long all = 0;
  for (long j = 0; j < n; j++) {
    if (j & 1) all += *at; else all ^= *or;
    if (all == 3) ++*at;
    if (j == 5) within(or);
  }
  return all;
}
__attribute__((noinline)) static long walk(const char *from, long n) {
  char own[32], *at = own;
  for (int j = 0; j < 32; j++) own[j] = (char)(n + j);
  while (at < own + 31 && *at != (char)n) at++;
  *at = 1;
  return at - own + own[3] + *from;
}
__attribute__((noinline)) static long search(const int *at, long *or, long n) {
  long all = 0;
  for (long i = 0; i < n; i++) {
    for (long j = 0; j < 16; j++)
      if (at[j] == i - 2) {
        all += j;
        break;
      }
    if (i == 4) within(or);
  }
  return all;
}
__attribute__((noinline)) static long best(const int *at, long *or, long n) {
  unsigned best = 0;
  for (long i = 0; i < n; i++) {
    if (at[best & 15] == (int)i) *or += 1;
    if ((i & 3) == 3) best = (unsigned)at[i & 15];
    if (i == 6) within(or);
  }
  return best;
}
__attribute__((noinline)) static long update(long *at, const long *or, long n) {
  long x = *at;
  for (long i = 0; i < (n & 3); i++) x += *or;
  if (n & 4) x ^= peek(or, or);
  return *at = x + n;
}
";

/// A small generator of numbers.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % n as u64) as usize
    }
}

const MAIN: &str = "\
int main(void) {
  pthread_t all[3];
  void *(*run[])(void *) = {t0, t1, t2};
  for (long k = 0; k < 3; k++) pthread_create(&all[k], 0, run[k], (void *)(k + 20));
  for (int k = 0; k < 3; k++) pthread_join(all[k], 0);
  return 0;
}
";

/// The source of a program: the same for the same seed.
pub fn source(seed: u64) -> String {
    let threads: Vec<String> = threads(seed).iter().map(|thread| format!("static {thread}")).collect();
    [HEAD, &threads.concat(), MAIN].concat()
}

/// The same program in several files: one for what all share, one for each thread, one for the rest.
pub fn files(seed: u64) -> Vec<String> {
    let declared: String = HEAD.lines().filter_map(declaration).collect();
    let shared = HEAD.replace("static ", "");
    let main = format!("{declared}void *t0(void *), *t1(void *), *t2(void *);\n{MAIN}");
    let threads = threads(seed).into_iter().map(|thread| declared.clone() + &thread);
    [shared, main].into_iter().chain(threads).collect()
}

/// What another file has to know of what begins in that line.
fn declaration(line: &str) -> Option<String> {
    let line = line.replace("static ", "");
    match line.as_bytes().first()? {
        b'#' => Some(line + "\n"),
        b' ' | b'}' => None,
        b'_' if line.starts_with("__attribute__") => Some(format!("{};\n", line.split_once(" {")?.0)),
        _ => Some(format!("extern {}\n", line.replace(" = PTHREAD_MUTEX_INITIALIZER", ""))),
    }
}

fn threads(seed: u64) -> Vec<String> {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut bodies = vec![String::new(); THREADS];
    for turn in 0..8 + dice.below(10) {
        let body = &mut bodies[dice.below(THREADS)];
        let _ = writeln!(body, "  wait_for({turn});");
        for _ in 0..1 + dice.below(4) {
            statement(&mut dice, body);
        }
        body.push_str("  hand_on();\n");
        // What follows a turn is not ordered with what the others do in theirs, so it must touch nothing shared.
    }
    let function = |(thread, body): (usize, &String)| {
        format!("void *t{thread}(void *n) {{\n  long k = (long)n;\n{body}  return (void *)k;\n}}\n")
    };
    bodies.iter().enumerate().map(function).collect()
}

fn variable(dice: &mut Dice) -> String {
    match dice.below(10) {
        0..=6 => format!("v{}", dice.below(VARIABLES)),
        7 => format!("r{}.{}", dice.below(2), ["x", "y", "z", "b[3]"][dice.below(4)]),
        _ => format!("a{}[{}]", dice.below(ARRAYS), dice.below(40)),
    }
}

fn plain(dice: &mut Dice, out: &mut String) {
    let (a, b, array) = (variable(dice), variable(dice), dice.below(ARRAYS));
    let (from, n) = (dice.below(8), dice.below(24));
    let (of, step, field) = (dice.below(2), 2 + dice.below(3), ["a", "b", "c", "d[1]"][dice.below(4)]);
    let _ = match dice.below(32) {
        0 | 1 => writeln!(out, "  k += {a};"),
        2 | 3 => writeln!(out, "  {a} = k;"),
        4 => writeln!(out, "  {a} = {b} + 1;"),
        5 => writeln!(out, "  if (k & 1) {a} += 2; else k += {b};\n  k += {a};"),
        6 => writeln!(out, "  for (long j = {from}; j < {from} + (k & 7) + {n}; j++) a{array}[j] += 1;"),
        7 => writeln!(out, "  for (long j = {from}; j < {from} + {n}; j++) k += a{array}[j];"),
        8 => writeln!(out, "  for (long j = {n} + {from}; j > {from}; j--) a{array}[j] = (int)k;"),
        9 => writeln!(out, "  for (long j = 0; j < (k & 15); j++) {{ {a} += j; k ^= {b}; }}"),
        10 => writeln!(out, "  bump(&v{});", dice.below(VARIABLES)),
        // With gaps, up and down.
        11 => writeln!(
            out,
            "  for (long j = {from}; j < {from} + (k & 7) + {n}; j += {step}) a{array}[j] += 1;"
        ),
        12 => writeln!(out, "  for (long j = {from} + {n}; j >= {from}; j -= {step}) k += a{array}[j];"),
        // Fields of elements.
        13 => writeln!(out, "  for (long j = 0; j < {}; j++) s{of}[j].{field} += k;", 1 + n / 2),
        14 => writeln!(out, "  for (int j = {}; j < 12; j++) k += s{of}[j].{field} ^ s{of}[j].c;", from / 2),
        // All of them, and then as many as it takes.
        15 => writeln!(
            out,
            "  for (long j = 0; j < 12; j++) k += s{of}[j].{field};\n  for (long j = 0; j < 12; j++) if (s{of}[j].{field} == k) break;"
        ),
        16 => writeln!(
            out,
            "  for (long j = 0; j < 12; j++) if (s{of}[j].a > 3 * {n}) {{ s{of}[j].{field} = 0; break; }}"
        ),
        // A loop in a loop.
        17 => writeln!(
            out,
            "  for (long i = 0; i < 1 + (k & 3); i++) for (long j = i; j < {n}; j++) a{array}[j] ^= (int)i;"
        ),
        // Neighbours.
        18 => writeln!(
            out,
            "  r{of}.x = (int)k; r{of}.y = {n};\n  k += s{of}[{from}].a + s{of}[{from}].b + s{of}[{from}].c;"
        ),
        // Functions that check for each other, and loops that check at some turns.
        19 => {
            writeln!(out, "  k += peek(&v{from}, &v{of});\n  v{from} += k;\n  k ^= peek(&v{of}, &v{from});")
        }
        20 | 21 => writeln!(out, "  k += behind(&v{from}, &v{of});\n  k += v{of} + v{from};"),
        22 | 23 => writeln!(out, "  v{from} = k;\n  k += some(&v{from}, &v{of}, k & {});", n | 7),
        // What comes again, and what is written after it was read.
        25 | 26 => writeln!(out, "  k += search(a{array} + {from}, &v{of}, 3 + (k & 3));"),
        27 | 28 => writeln!(out, "  k += best(a{array} + {from}, &v{of}, k & {});", n | 7),
        29 | 30 => writeln!(out, "  k += update(&v{from}, &v{of}, k);"),
        24 => writeln!(out, "  k += walk(r{of}.b + {}, k & 63);", from & 7),
        _ => writeln!(out, "  k += total(a{array} + {from}, {n});"),
    };
}

fn statement(dice: &mut Dice, out: &mut String) {
    let (lock, flag) = (dice.below(2), dice.below(2));
    match dice.below(10) {
        0..=4 => plain(dice, out),
        5 | 6 => {
            plain(dice, out);
            let _ = writeln!(out, "  pthread_mutex_lock(&m{lock});");
            plain(dice, out);
            plain(dice, out);
            let _ = writeln!(out, "  pthread_mutex_unlock(&m{lock});");
            plain(dice, out);
        }
        7 => {
            let order = ["relaxed", "release", "seq_cst"][dice.below(3)];
            let _ = writeln!(out, "  atomic_store_explicit(&f{flag}, 1, memory_order_{order});");
        }
        8 => {
            let order = ["relaxed", "acquire", "seq_cst"][dice.below(3)];
            let _ = writeln!(out, "  if (atomic_load_explicit(&f{flag}, memory_order_{order})) {{");
            plain(dice, out);
            out.push_str("  }\n");
        }
        _ => {
            let _ = writeln!(out, "  locked(&v{});", dice.below(VARIABLES));
        }
    }
}
