//! Cells find room wherever the kernel may put a program: position-independent or not, with little or much randomness, with any limit on stacks.

use deadheat_shadow::Layout;
use deadheat_shadow::layout::{Program, USER_END, Window};
use proptest::prelude::*;

const TIB: u64 = 1 << 40;
const GIB: u64 = 1 << 30;
const PAGE: u64 = 4096;

/// What the kernel decides: each number is a share of what it may be, in 2^16.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Bits of randomness of mappings, in pages: `vm.mmap_rnd_bits`.
    bits: u32,
    /// Position-independent?
    moves: bool,
    /// Limit of the stack; none: mappings grow upwards.
    stack: Option<u64>,
    program: u64,
    libraries: u64,
    top: u64,
    /// What the runtime has mapped itself by now.
    heap: u64,
}

fn share(of: u64, part: u64) -> u64 {
    ((of as u128 * part as u128) >> 16) as u64 / PAGE * PAGE
}

fn program(place: Place) -> Program {
    let random = PAGE << place.bits;
    let top = USER_END - PAGE - share(PAGE << 22, place.top);
    let stack = (top - 200 * PAGE, top);
    let at =
        if place.moves { USER_END / 3 * 2 / PAGE * PAGE + share(random, place.program) } else { 0x40_0000 };
    let image = (at, at + (64 << 20));
    let heap = (image.1 + share(16 * GIB, place.top), image.1 + share(16 * GIB, place.top) + (256 << 20));
    let libraries = match place.stack {
        Some(limit) => {
            let end = top - limit.max(128 << 20) - share(random, place.libraries);
            (end - (64 << 20) - place.heap, end)
        }
        None => {
            let start = USER_END / 3 / PAGE * PAGE + share(random, place.libraries);
            (start, start + (64 << 20) + place.heap)
        }
    };
    let fresh = if place.stack.is_some() { libraries.0 } else { libraries.1 - PAGE };
    Program { mappings: vec![stack, image, heap, libraries], fresh }
}

fn overlap(a: Window, b: Window) -> bool {
    a.start < b.end && b.start < a.end
}

fn judge(place: Place) -> Result<(), TestCaseError> {
    let program = program(place);
    let chosen = Layout::choose_for(&program);
    prop_assert!(chosen.is_some(), "no room for the cells of {program:x?}");
    let (layout, windows) = chosen.unwrap();
    for (start, end) in &program.mappings {
        let within = windows.iter().any(|w| w.start <= *start && *end <= w.end);
        prop_assert!(within, "{start:x}..{end:x} is in no window of {windows:x?}");
    }
    let images: Vec<Window> = windows.iter().flat_map(|w| layout.images(*w)).collect();
    for (i, image) in images.iter().enumerate() {
        prop_assert!(image.start > 0 && image.end <= USER_END, "{image:x?}");
        for window in &windows {
            prop_assert!(!overlap(*image, *window), "cells {image:x?} lie in {window:x?}");
        }
        for other in &images[..i] {
            prop_assert!(!overlap(*image, *other), "cells {image:x?} and {other:x?} overlap");
        }
    }
    for window in &windows {
        let pieces: Vec<Window> = layout.images(*window).collect();
        for address in
            [window.start, window.start + 8, window.end - 8, (window.start / 2 + window.end / 2) & !7]
        {
            let cell = layout.cell(address);
            let within = pieces.iter().any(|p| (p.start..p.end).contains(&cell));
            prop_assert!(within && cell.is_multiple_of(16), "{address:#x} has its cell at {cell:#x}");
        }
    }
    Ok(())
}

const STACKS: [Option<u64>; 5] = [Some(8 << 20), Some(GIB), Some(64 * GIB), Some(TIB), None];
const HEAPS: [u64; 3] = [0, 64 * GIB, 2 * TIB];

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, ..ProptestConfig::default() })]

    #[test]
    fn anywhere(
        bits in prop::sample::select(&[28u32, 30, 32]), moves in any::<bool>(), stack in prop::sample::select(&STACKS),
        (program, libraries, top) in (0..1u64 << 16, 0..1u64 << 16, 0..1u64 << 16), heap in prop::sample::select(&HEAPS),
    ) {
        judge(Place { bits, moves, stack, program, libraries, top, heap })?;
    }
}

#[test]
fn extremes() {
    let ends = [0, 1 << 15, (1 << 16) - 1];
    for (bits, stack, heap) in products(&[28, 32], &STACKS, &HEAPS) {
        for (program, libraries, top) in products(&ends, &ends, &ends) {
            for moves in [false, true] {
                let place = Place { bits, moves, stack, program, libraries, top, heap };
                judge(place).unwrap_or_else(|e| panic!("{place:x?}: {e}"));
            }
        }
    }
}

fn products<A: Copy, B: Copy, C: Copy>(a: &[A], b: &[B], c: &[C]) -> Vec<(A, B, C)> {
    a.iter().flat_map(|a| b.iter().flat_map(|b| c.iter().map(|c| (*a, *b, *c)))).collect()
}

/// Without randomness, as under a debugger, there is room to grow by terabytes.
#[test]
fn without_randomness() {
    let place =
        Place { bits: 28, moves: true, stack: Some(8 << 20), program: 0, libraries: 0, top: 0, heap: TIB };
    judge(place).unwrap();
    let (_, windows) = Layout::choose_for(&program(place)).unwrap();
    assert!(windows.iter().map(|w| w.end - w.start).sum::<u64>() > 6 * TIB);
}

/// A program with memory everywhere has no layout, and says so.
#[test]
fn no_room() {
    assert_eq!(Layout::choose(&[Window { start: 0, end: USER_END }]), None);
}
