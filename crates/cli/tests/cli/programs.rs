//! C and C++ programs to be compiled and watched, and the compilers of this machine.

use crate::harness::Folder;
use std::process::Command;

/// Two threads count without a lock. Ends with the number of its arguments.
pub const RACY: &str = r#"
#include <pthread.h>
#include <stdio.h>

int counter;

static void *count(void *arg) {
  counter++;
  return arg;
}

int main(int argc, char **argv) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    pthread_create(&threads[i], 0, count, 0);
  for (int i = 0; i < 2; i++)
    pthread_join(threads[i], 0);
  printf("counted %s\n", argc > 1 ? argv[1] : "everything");
  return argc - 1;
}
"#;

/// The same with a lock.
pub fn locked() -> String {
    RACY.replace("int counter;", "int counter;\npthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;")
        .replace("counter++;", "pthread_mutex_lock(&mutex);\n  counter++;\n  pthread_mutex_unlock(&mutex);")
}

/// Two threads append to a string without a lock, in C++.
pub const RACY_CXX: &str = r#"
#include <iostream>
#include <thread>

struct Account {
  long balance = 0;
  virtual void add(long amount) { balance += amount; }
  virtual ~Account() = default;
};

int main() {
  auto *account = new Account;
  std::thread first([=] { account->add(1); }), second([=] { account->add(2); });
  first.join();
  second.join();
  std::cout << "added\n";
  delete account;
}
"#;

/// The same with a lock.
pub fn locked_cxx() -> String {
    RACY_CXX
        .replace("#include <thread>", "#include <mutex>\n#include <thread>\nstatic std::mutex mutex;")
        .replace("balance += amount;", "std::lock_guard<std::mutex> guard(mutex); balance += amount;")
}

/// What every report of a race starts with.
pub const WARNING: &str = "WARNING: ThreadSanitizer: data race";

/// The C compilers of this machine: gcc and every clang.
pub fn compilers() -> Vec<String> {
    let clangs = (14..=22).rev().map(|n| format!("clang-{n}")).chain(["clang".into()]);
    let found: Vec<String> = clangs.chain(["gcc".into()]).filter(|name| runs(name)).collect();
    let has = |name: &str| found.iter().any(|found| found.starts_with(name));
    assert!(has("gcc") && has("clang"), "gcc and clang are needed: `cargo xtask test` installs them");
    found
}

/// The C++ compiler that belongs to a C compiler.
pub fn cxx(compiler: &str) -> String {
    compiler.replace("clang", "clang++").replace("gcc", "g++")
}

fn runs(program: &str) -> bool {
    Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success())
}

/// Runs another program, which has to end well, in that folder.
#[track_caller]
pub fn must(folder: &Folder, line: &str) -> String {
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap());
    let output = command.args(words).current_dir(folder.path("")).output().unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
