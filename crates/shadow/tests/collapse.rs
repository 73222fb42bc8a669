//! Granules that were told byte by byte become cells again as soon as their bytes agree, and lists of atomics stay short.

mod machine;

use deadheat_shadow::{Access, Mode};
use machine::{LOCKS, Machine, details};

const LOW: u8 = 0x0f;
const HIGH: u8 = 0xf0;

fn access(m: &mut Machine, by: usize, mode: Mode, extent: u8, site: u32) {
    let told = m.access(by, 0, Access { mode, extent }, site);
    assert_eq!(told, None);
}

fn machine(threads: usize) -> Machine {
    let mut m = Machine::new();
    (1..threads).for_each(|_| m.fork(0));
    m
}

/// An unrolled loop over an array of ints: each half of a granule is read from a place of its own, by many threads, in many epochs.
#[test]
fn halves_read_from_different_places_by_several_threads() {
    let mut m = machine(4);
    access(&mut m, 0, Mode::Read, LOW, 1);
    access(&mut m, 0, Mode::Read, HIGH, 2);
    for round in 0..10 {
        for by in 1..4 {
            access(&mut m, by, Mode::Read, LOW, 1);
            access(&mut m, by, Mode::Read, HIGH, 2);
            assert!(!m.has_detail(0), "round {round}, thread {by}");
            m.threads[by].release(&mut m.locks[by % LOCKS]);
        }
    }
    assert_eq!((details(), m.memory.sets.live()), (0, 1));
    // The places of the two halves are still told apart.
    let told = m.access(0, 0, Access { mode: Mode::Write, extent: 0x80 }, 9).unwrap();
    assert_eq!((told.site, told.mode, told.byte), (2, Mode::Read, 7));
}

/// Readers of the same data from several places, each of whom would otherwise make another set, at which the others would have to look again.
#[test]
fn readers_that_come_again_from_elsewhere_leave_the_set_as_it_is() {
    let mut m = machine(4);
    (1..4).for_each(|by| access(&mut m, by, Mode::Read, 0xff, 1));
    let set = m.cells[0].load_r();
    assert!(set.is_set());
    for site in 2..5 {
        for by in 1..4 {
            access(&mut m, by, Mode::Read, 0xff, site);
            assert_eq!(m.cells[0].load_r(), set, "thread {by} at {site}");
        }
    }
}

/// A buffer that two threads go through, one of them piece by piece at first: its granules do not keep a line each.
#[test]
fn concurrent_reads_that_have_become_reads_of_the_same_bytes_are_a_set() {
    let mut m = machine(3);
    access(&mut m, 1, Mode::Read, 0xff, 1);
    for (extent, is_set) in [(LOW, false), (0x7f, false), (0xff, true)] {
        access(&mut m, 2, Mode::Read, extent, 2);
        assert_eq!(m.cells[0].load_r().is_set(), is_set, "{extent:#x}");
        m.threads[2].release(&mut m.locks[0]);
    }
    assert_eq!(m.memory.sets.live(), 1);
}

#[test]
fn bytes_of_two_threads_become_one_when_a_third_has_them() {
    let mut m = machine(3);
    access(&mut m, 1, Mode::Write, LOW, 1);
    access(&mut m, 2, Mode::Write, HIGH, 1);
    assert!(m.has_detail(0));
    for by in [1, 2] {
        m.threads[by].release_join(&mut m.locks[0]);
    }
    m.threads[0].acquire(&m.locks[0]);
    access(&mut m, 0, Mode::Write, 0xff, 3);
    assert!(!m.has_detail(0));
}

/// A word that atomics and plain reads share keeps one atomic access of each thread that the others do not know, not all there ever were.
#[test]
fn atomics_that_are_ordered_do_not_pile_up() {
    let mut m = machine(5);
    for round in 0..200 {
        let by = 1 + round % 4;
        m.threads[by].acquire(&m.locks[0]);
        // Extents of all kinds, each with its own entry.
        for extent in 1..=255 {
            access(&mut m, by, Mode::AtomicWrite, extent, 1);
        }
        access(&mut m, by, Mode::AtomicWrite, 0xff, 1);
        m.threads[by].release(&mut m.locks[0]);
    }
    m.threads[0].acquire(&m.locks[0]);
    access(&mut m, 0, Mode::Write, 0xff, 2);
    assert!(!m.has_detail(0));
}
