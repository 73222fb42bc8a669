//! The heap against a model: random requests by one thread and by many.

mod edges;

use super::class::LARGEST;
use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;
use std::vec::Vec;

const ME: Origin = Origin { site: 11, thread: 1 };
const OTHER: Origin = Origin { site: 22, thread: 2 };

/// A heap of its own for a test, with small regions. Its address space stays reserved until the tests end.
fn heap(shift: u32) -> &'static Heap {
    std::boxed::Box::leak(std::boxed::Box::new(Heap::new(shift)))
}

fn allocate(heap: &Heap, cache: Option<&mut Cache>, size: usize, align: usize) -> usize {
    let start = heap.obtain(cache, size, align, ME).expect("there is memory").start() as usize;
    assert_eq!(start % align.max(16), 0);
    start
}

fn free(heap: &Heap, cache: Option<&mut Cache>, start: usize, by: Origin) -> Result<(), BadFree> {
    heap.release(cache, heap.find(start)?, by)
}

fn size_at(heap: &Heap, start: usize) -> Option<usize> {
    heap.find(start).ok().map(|found| found.size)
}

/// Writes a block's first and last bytes, or all of it if it is small.
fn mark(start: usize, size: usize, value: u8) {
    let edge = size.min(300);
    // SAFETY: the tests mark only live blocks that they hold, within their size.
    unsafe {
        (start as *mut u8).write_bytes(value, edge);
        ((start + size - edge) as *mut u8).write_bytes(value, edge);
    }
}

fn check_mark(start: usize, size: usize, value: u8) {
    let edge = size.min(300);
    // SAFETY: as for `mark`.
    unsafe {
        assert!(core::slice::from_raw_parts(start as *const u8, edge).iter().all(|&byte| byte == value));
        let end = (start + size - edge) as *const u8;
        assert!(core::slice::from_raw_parts(end, edge).iter().all(|&byte| byte == value));
    }
}

#[derive(Clone, Debug)]
enum Step {
    Allocate { size: usize, align: usize, cached: bool, zeroed: bool },
    Free { which: usize, cached: bool },
    Resize { which: usize, size: usize },
    Look { which: usize, inside: usize },
    Flush,
}

fn any_size() -> impl Strategy<Value = usize> {
    prop_oneof![
        6 => 0..700usize,
        2 => 0..20_000usize,
        1 => 0..LARGEST + 1,
        1 => LARGEST - 1..LARGEST * 4,
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (any_size(), prop_oneof![4 => Just(1), 1 => (0..20u32).prop_map(|bit| 1 << bit)], any::<[bool; 2]>())
            .prop_map(|(size, align, [cached, zeroed])| Step::Allocate { size, align, cached, zeroed }),
        4 => (any::<usize>(), any::<bool>()).prop_map(|(which, cached)| Step::Free { which, cached }),
        1 => (any::<usize>(), any_size()).prop_map(|(which, size)| Step::Resize { which, size }),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(which, inside)| Step::Look { which, inside }),
        1 => Just(Step::Flush),
    ]
}

/// What the heap should hold: start → size, mark.
#[derive(Default)]
struct Model {
    blocks: BTreeMap<usize, (usize, u8)>,
    marks: u8,
}

impl Model {
    fn pick(&self, which: usize) -> Option<(usize, usize, u8)> {
        let count = self.blocks.len();
        let (&start, &(size, value)) = self.blocks.iter().nth(which.checked_rem(count)?)?;
        Some((start, size, value))
    }

    fn add(&mut self, start: usize, size: usize) {
        let below = self.blocks.range(..=start).next_back();
        assert!(below.is_none_or(|(&other, &(length, _))| other + length.max(1) <= start), "overlap");
        let above = self.blocks.range(start..).next();
        assert!(above.is_none_or(|(&other, _)| start + size.max(1) <= other), "overlap");
        self.marks = self.marks.wrapping_add(1);
        mark(start, size, self.marks);
        self.blocks.insert(start, (size, self.marks));
    }

    fn remove(&mut self, heap: &Heap, cache: Option<&mut Cache>, start: usize) {
        let (size, value) = self.blocks.remove(&start).expect("a block of the model");
        check_mark(start, size, value);
        let live = Block { start, size, origin: ME, freed_by: None };
        assert_eq!(heap.block_of(start), Some(live));
        let found = heap.find(start).unwrap();
        assert_eq!(found.size, size);
        assert_eq!(heap.release(cache, found, OTHER), Ok(()));
        assert_eq!(heap.block_of(start + size / 2), Some(Block { freed_by: Some(OTHER), ..live }));
        assert_eq!(heap.find(start).unwrap_err(), BadFree::DoubleFree);
        assert_eq!(heap.release(None, found, ME), Err(BadFree::DoubleFree));
    }
}

fn run(heap: &Heap, steps: Vec<Step>) {
    let (mut model, mut cache) = (Model::default(), Cache::new());
    for step in steps {
        match step {
            Step::Allocate { size, align, cached, zeroed: false } => {
                model.add(allocate(heap, cached.then_some(&mut cache), size, align), size);
            }
            Step::Allocate { size, align, cached, zeroed: true } => {
                let start = heap.obtain_zeroed(cached.then_some(&mut cache), size, align, ME) as usize;
                check_mark(start, size, 0);
                model.add(start, size);
            }
            Step::Free { which, cached } => {
                if let Some((start, ..)) = model.pick(which) {
                    model.remove(heap, cached.then_some(&mut cache), start);
                }
            }
            Step::Resize { which, size } => {
                if let Some((start, ..)) = model.pick(which) {
                    let moved = allocate(heap, Some(&mut cache), size, 1);
                    model.add(moved, size);
                    model.remove(heap, Some(&mut cache), start);
                }
            }
            Step::Look { which, inside } => {
                if let Some((start, size, _)) = model.pick(which) {
                    let inside = inside % size.max(1);
                    let expected = Block { start, size, origin: ME, freed_by: None };
                    assert_eq!(heap.block_of(start + inside), Some(expected));
                    if inside > 0 {
                        assert_eq!(heap.find(start + inside).unwrap_err(), BadFree::NotOurs);
                    }
                }
            }
            Step::Flush => heap.flush(&mut cache),
        }
    }
    while let Some((start, ..)) = model.pick(0) {
        model.remove(heap, Some(&mut cache), start);
    }
    heap.flush(&mut cache);
    assert_eq!(heap.live_bytes(), 0);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn blocks_are_as_the_model_says(steps in prop::collection::vec(any_step(), 1..400)) {
        // One heap for all cases, so that later ones meet the free lists of earlier ones.
        static ONE: Heap = Heap::new(30);
        run(&ONE, steps);
    }
}

#[test]
fn many_threads_pass_blocks_around() {
    const THREADS: usize = 6;
    static SHARED: Heap = Heap::new(30);
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| mpsc::channel()).unzip();
    thread::scope(|scope| {
        for (number, receiver) in receivers.into_iter().enumerate() {
            let senders = senders.clone();
            scope.spawn(move || {
                let mut random = fastrand::Rng::with_seed(number as u64);
                let (mut cache, mut held) = (Cache::new(), Vec::new());
                let me = Origin { site: 0, thread: number as u32 };
                for step in 0..20_000u32 {
                    let size = random.usize(1..if step.is_multiple_of(64) { 60_000 } else { 300 });
                    let cache_or_not = (!random.u8(..).is_multiple_of(8)).then_some(&mut cache);
                    let start = SHARED.obtain(cache_or_not, size, 16, me).unwrap().start() as usize;
                    let value = (step + number as u32) as u8;
                    mark(start, size, value);
                    held.push((start, size, value, number as u32));
                    if random.bool() {
                        let _ = senders[random.usize(..THREADS)]
                            .send(held.swap_remove(random.usize(..held.len())));
                    }
                    held.extend(receiver.try_iter());
                    while held.len() > 200 {
                        let (start, size, value, thread) = held.swap_remove(random.usize(..held.len()));
                        check_mark(start, size, value);
                        let block = SHARED.block_of(start + size - 1).unwrap();
                        assert_eq!((block.start, block.size, block.origin.thread), (start, size, thread));
                        free(&SHARED, Some(&mut cache), start, me).unwrap();
                    }
                }
                drop(senders);
                held.extend(receiver.iter());
                for (start, size, value, _) in held {
                    check_mark(start, size, value);
                    free(&SHARED, Some(&mut cache), start, me).unwrap();
                }
                SHARED.flush(&mut cache);
            });
        }
        drop(senders);
        for _ in 0..100 {
            SHARED.lock_all();
            // SAFETY: locked above, by this thread.
            unsafe { SHARED.unlock_all() };
            thread::yield_now();
        }
    });
    assert_eq!(SHARED.live_bytes(), 0);
}

#[test]
fn of_two_threads_that_free_a_block_one_wins() {
    static SHARED: Heap = Heap::new(24);
    for size in [32, 100_000, 1_000_000] {
        for _ in 0..200 {
            let start = allocate(&SHARED, None, size, 1);
            let barrier = std::sync::Barrier::new(2);
            let race = || {
                barrier.wait();
                free(&SHARED, None, start, ME)
            };
            let (first, second) = thread::scope(|scope| {
                let other = scope.spawn(race);
                (race(), other.join().unwrap())
            });
            assert_eq!(first.is_ok() as u8 + second.is_ok() as u8, 1);
            assert_eq!(first.err().or(second.err()), Some(BadFree::DoubleFree));
        }
    }
}
