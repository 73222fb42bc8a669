//! Random C programs: threads that go straight through statements over globals of all sizes, with what orders them or does not.

use crate::dice::Dice;
use std::fmt::Write;

const HEAD: &str = "\
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static char c[8];
static short s[4];
static int i[4];
static long l[2];
static struct __attribute__((packed)) { char a; int b; long d; short e; } p;
static struct { unsigned x : 3, y : 5; unsigned char z; } bits;
static double d[2];
static _Atomic int flag[2];
static _Atomic long count;
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int *block;
__attribute__((noinline)) static void bump(int *at) { ++*at; }
__attribute__((noinline)) static long sum(const int *at, int n) {
  long all = 0;
  for (int k = 0; k < n; k++)
    all += at[k];
  return all;
}
";

const ORDERS: [&str; 3] = ["relaxed", "release", "seq_cst"];
const LOAD_ORDERS: [&str; 3] = ["relaxed", "acquire", "seq_cst"];
const ALL_ORDERS: [&str; 5] = ["relaxed", "acquire", "release", "acq_rel", "seq_cst"];

/// The source of a program.
pub fn source(dice: &mut Dice) -> String {
    let threads = 2 + dice.below(3);
    // One thread may be started by another one, and then takes no part in the barrier.
    let nested = threads > 2 && dice.below(2) == 0;
    let direct = if nested { threads - 1 } else { threads };
    let mut out = String::from(HEAD);
    for thread in (0..threads).rev() {
        let _ = writeln!(out, "static void *t{thread}(void *argument) {{");
        let start = nested && thread == 0;
        if start {
            let _ = writeln!(out, "  pthread_t child;\n  pthread_create(&child, 0, t{direct}, argument);");
        }
        let length = 3 + dice.below(6);
        statements(dice, length, &mut out);
        if thread < direct {
            out.push_str("  pthread_barrier_wait(&barrier);\n");
            let length = 2 + dice.below(4);
            statements(dice, length, &mut out);
        }
        if start {
            out.push_str("  pthread_join(child, 0);\n");
            statements(dice, 2, &mut out);
        }
        out.push_str("  return argument;\n}\n");
    }
    let _ = writeln!(
        out,
        "int main(void) {{\n  pthread_t all[{direct}];\n  pthread_barrier_init(&barrier, 0, {direct});\n  sem_init(&sem, 0, 0);\n  \
         block = calloc(4, sizeof *block);"
    );
    for thread in 0..direct {
        let _ = writeln!(out, "  pthread_create(&all[{thread}], 0, t{thread}, 0);");
    }
    let _ = writeln!(out, "  for (int k = 0; k < {direct}; k++)\n    pthread_join(all[k], 0);");
    out.push_str(
        "  i[0] = (int)(c[0] + s[0] + l[0] + p.d + d[0] + bits.y);\n  free(block);\n  return 0;\n}\n",
    );
    out
}

fn statements(dice: &mut Dice, n: usize, out: &mut String) {
    for _ in 0..n {
        statement(dice, out);
    }
}

/// A place of some type, as C writes it.
fn place(dice: &mut Dice) -> String {
    match dice.below(12) {
        0 | 1 => format!("c[{}]", dice.below(8)),
        2 | 3 => format!("s[{}]", dice.below(4)),
        4 | 5 => format!("i[{}]", dice.below(4)),
        6 => format!("l[{}]", dice.below(2)),
        7 => format!("p.{}", dice.pick(&["a", "b", "d", "e"])),
        8 => format!("bits.{}", dice.pick(&["x", "y", "z"])),
        9 => format!("d[{}]", dice.below(2)),
        _ => format!("block[{}]", dice.below(4)),
    }
}

fn plain(dice: &mut Dice, out: &mut String) {
    let (a, b) = (place(dice), place(dice));
    let n = dice.below(5);
    let _ = match dice.below(8) {
        0..=2 => writeln!(out, "  {a} = {b};"),
        3 => writeln!(out, "  {a} += 3;"),
        4 => writeln!(out, "  memcpy(&c[{}], &s[{}], {});", n % 3, n % 2, 1 + n),
        5 => writeln!(out, "  bump(&i[{}]);", n % 4),
        6 => writeln!(out, "  l[{}] = sum(i, {});", n % 2, 1 + n % 4),
        _ => writeln!(out, "  memset((char *)&p + {n}, 1, {});", 1 + n),
    };
}

fn statement(dice: &mut Dice, out: &mut String) {
    let (flag, lock) = (dice.below(2), dice.below(2));
    match dice.below(12) {
        0..=3 => plain(dice, out),
        4 | 5 => {
            let _ = writeln!(out, "  pthread_mutex_lock(&m[{lock}]);");
            plain(dice, out);
            plain(dice, out);
            let _ = writeln!(out, "  pthread_mutex_unlock(&m[{lock}]);");
        }
        6 => {
            let how = dice.pick(&["rd", "wr"]);
            let _ = writeln!(out, "  pthread_rwlock_{how}lock(&rw);");
            plain(dice, out);
            out.push_str("  pthread_rwlock_unlock(&rw);\n");
        }
        7 => {
            let order = dice.pick(&ORDERS);
            let _ = writeln!(out, "  atomic_store_explicit(&flag[{flag}], 1, memory_order_{order});");
        }
        8 => {
            let order = dice.pick(&LOAD_ORDERS);
            let _ = writeln!(out, "  if (atomic_load_explicit(&flag[{flag}], memory_order_{order})) {{");
            plain(dice, out);
            out.push_str("  }\n");
        }
        9 => {
            let order = dice.pick(&ALL_ORDERS);
            let _ = writeln!(out, "  atomic_fetch_add_explicit(&count, 1, memory_order_{order});");
        }
        10 => {
            let order = dice.pick(&ALL_ORDERS[1..]);
            let _ = writeln!(out, "  atomic_thread_fence(memory_order_{order});");
        }
        _ => {
            let _ = writeln!(out, "  sem_{}(&sem);", dice.pick(&["post", "trywait"]));
        }
    }
}
