//! Records there and back, and files that are damaged.

use super::*;
use alloc::string::ToString;
use alloc::vec;
use proptest::prelude::*;

fn read(file: &[u8]) -> Result<Vec<Item>, RawError> {
    Reader::new(file)?.collect()
}

fn order() -> impl Strategy<Value = Order> {
    (0..6u8).prop_map(|n| Order::from_number(n).unwrap())
}

fn any_what() -> impl Strategy<Value = What> {
    let load =
        prop_oneof![Just(Order::Relaxed), Just(Order::Consume), Just(Order::Acquire), Just(Order::SeqCst)];
    let store = prop_oneof![Just(Order::Relaxed), Just(Order::Release), Just(Order::SeqCst)];
    let fence = order().prop_filter("fences order something", |order| *order != Order::Relaxed);
    let (address, size) = (0..1u64 << 48, 1..1u64 << 32);
    let range = (address, size);
    prop_oneof![
        range.clone().prop_map(|(address, size)| What::Read { address, size }),
        range.clone().prop_map(|(address, size)| What::Write { address, size }),
        (range.clone(), load).prop_map(|((address, size), order)| What::AtomicLoad { address, size, order }),
        (range.clone(), store).prop_map(|((address, size), order)| What::AtomicStore {
            address,
            size,
            order
        }),
        (range.clone(), order()).prop_map(|((address, size), order)| What::AtomicRmw {
            address,
            size,
            order
        }),
        fence.prop_map(|order| What::Fence { order }),
        any::<u64>().prop_map(|lock| What::Lock { lock }),
        any::<u64>().prop_map(|lock| What::Unlock { lock }),
        any::<u64>().prop_map(|lock| What::LockShared { lock }),
        any::<u64>().prop_map(|lock| What::UnlockShared { lock }),
        any::<u32>().prop_map(|child| What::Fork { child }),
        any::<u32>().prop_map(|child| What::Join { child }),
        Just(What::Start),
        Just(What::Exit),
        any::<(u64, u64)>().prop_map(|(cond, lock)| What::Wait { cond, lock }),
        any::<(u64, u64)>().prop_map(|(cond, lock)| What::Woken { cond, lock }),
        any::<u64>().prop_map(|cond| What::Notify { cond, scope: Scope::One }),
        any::<u64>().prop_map(|cond| What::Notify { cond, scope: Scope::All }),
        any::<(u64, u32)>().prop_map(|(barrier, parties)| What::BarrierMake { barrier, parties }),
        any::<u64>().prop_map(|barrier| What::BarrierEnter { barrier }),
        any::<u64>().prop_map(|barrier| What::BarrierLeave { barrier }),
        range.clone().prop_map(|(address, size)| What::Alloc { address, size }),
        range.clone().prop_map(|(address, size)| What::Free { address, size }),
        any::<u64>().prop_map(|object| What::Release { object }),
        any::<u64>().prop_map(|object| What::Acquire { object }),
        (range, any::<u32>()).prop_map(|((address, size), with)| What::Race {
            address,
            size: size % 99 + 1,
            with
        }),
    ]
}

fn any_item() -> impl Strategy<Value = Item> {
    let event =
        (any::<u32>(), any::<u32>(), any::<u32>(), any_what()).prop_map(|(stamp, thread, site, what)| {
            Item::Event(Event { stamp: stamp.into(), thread, site, what })
        });
    let module = (any::<[u64; 3]>(), prop::collection::vec(any::<u8>(), 0..40), "\\PC{0,60}").prop_map(
        |([start, end, bias], build_id, path)| Item::Module(RawModule { start, end, bias, build_id, path }),
    );
    prop_oneof![
        5 => event,
        1 => any::<(u32, u32, u64)>().prop_map(|(site, parent, pc)| Item::Site { site, parent, pc }),
        1 => (any::<u32>(), "\\PC{0,70}").prop_map(|(thread, name)| Item::ThreadName { thread, name }),
        1 => (any::<u64>(), "\\PC{0,70}").prop_map(|(address, name)| Item::ObjectName { address, name }),
        1 => module,
    ]
}

fn file(items: &[Item]) -> Vec<u8> {
    let mut out = Vec::from(Header { pid: 7 }.bytes());
    for item in items {
        match item {
            Item::Event(event) => out.extend(event.bytes()),
            Item::Site { site, parent, pc } => out.extend(write_site(*site, *parent, *pc)),
            Item::Stamp { thread, high } => out.extend(write_stamp(*thread, *high)),
            Item::ThreadName { thread, name } => write_thread_name(&mut out, *thread, name),
            Item::ObjectName { address, name } => write_object_name(&mut out, *address, name),
            Item::Module(module) => write_module(&mut out, module),
            Item::End => out.extend([0; UNIT]),
        }
    }
    out
}

proptest! {
    #[test]
    fn there_and_back(items in prop::collection::vec(any_item(), 0..20)) {
        let file = file(&items);
        prop_assert_eq!(file.len() % UNIT, 0);
        prop_assert_eq!(Reader::new(&file).unwrap().header(), Header { pid: 7 });
        prop_assert_eq!(read(&file), Ok(items));
    }

    #[test]
    fn a_cut_file_is_read_up_to_the_cut(items in prop::collection::vec(any_item(), 1..20), cut in 0..2000usize) {
        let file = file(&items);
        let cut = UNIT + cut % (file.len() - UNIT);
        let results: Vec<_> = Reader::new(&file[..cut]).unwrap().collect();
        let whole = results.iter().take_while(|result| result.is_ok()).count();
        prop_assert!(results.len() <= whole + 1);
        prop_assert!(results.iter().take(whole).zip(&items).all(|(read, item)| read.as_ref() == Ok(item)));
        if let Some(Err(error)) = results.last() {
            prop_assert_eq!(error.fault, RawFault::Truncated);
        }
    }

    #[test]
    fn any_bytes_are_read(body in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&body);
        let mut file = Vec::from(Header { pid: 1 }.bytes());
        file.extend(&body);
        if let Err(error) = read(&file) {
            prop_assert!(error.offset < file.len() as u64);
        }
    }

    #[test]
    fn so_are_almost_right_ones(items in prop::collection::vec(any_item(), 1..9), at: prop::sample::Index, with: u8) {
        let mut file = file(&items);
        let at = at.index(file.len());
        file[at] = with;
        let _ = read(&file);
    }
}

#[test]
fn stamps_have_two_halves() {
    let event = |stamp, thread| Event { stamp, thread, site: 3, what: What::Start };
    let mut out = Vec::from(Header { pid: 1 }.bytes());
    out.extend(event(5, 1).bytes());
    out.extend(write_stamp(1, 2));
    out.extend(event(6, 1).bytes());
    out.extend(event(6, 2).bytes());
    assert_eq!(
        read(&out).unwrap(),
        [
            Item::Event(event(5, 1)),
            Item::Stamp { thread: 1, high: 2 },
            Item::Event(event(2 << 32 | 6, 1)),
            Item::Event(event(6, 2)),
        ]
    );
}

#[test]
fn errors_say_where() {
    let header = Header { pid: 1 }.bytes();
    let fault = |unit: [u8; UNIT]| read(&[header, unit].concat()).unwrap_err().to_string();
    let bytes = |what| Event { stamp: 0, thread: 0, site: 0, what }.bytes();
    let with = |mut unit: [u8; UNIT], at: usize, byte| {
        unit[at] = byte;
        fault(unit)
    };
    assert_eq!(fault([77; UNIT]), "byte 32: unknown kind of record: 77");
    assert_eq!(with(bytes(What::Fence { order: Order::SeqCst }), 1, 9), "byte 32: no such memory order: 9");
    let store = What::AtomicStore { address: 8, size: 4, order: Order::Acquire };
    assert_eq!(fault(bytes(store)), "byte 32: no such memory order: 2");
    assert_eq!(fault(bytes(What::Read { address: 1, size: 0 })), "byte 32: impossible range of memory");
    assert_eq!(
        fault(bytes(What::Free { address: u64::MAX, size: 2 })),
        "byte 32: impossible range of memory"
    );
    assert_eq!(
        with(bytes(What::Join { child: 1 }), 31, 1),
        "byte 32: number out of range: 72057594037927937"
    );
    let mut short = vec![];
    write_module(&mut short, &RawModule { start: 0, end: 0, bias: 0, build_id: vec![1; 9], path: "".into() });
    short[2] = 12;
    assert_eq!(read(&[&header[..], &short].concat()).unwrap_err().to_string(), "byte 32: damaged text");
}

#[test]
fn other_files_are_refused() {
    let refused = |file: &[u8]| Reader::new(file).unwrap_err().to_string();
    assert_eq!(refused(b""), "byte 0: not a record of a run");
    assert_eq!(refused(b"DEAD"), "byte 0: the file ends within a record");
    assert_eq!(refused(&[b'x'; 64]), "byte 0: not a record of a run");
    let mut newer = Header { pid: 1 }.bytes();
    newer[8] = 2;
    assert_eq!(refused(&newer), "byte 0: version 2 of the format; this is version 1");
}

/// A program that was killed leaves room behind its last record.
#[test]
fn zeros_are_the_end() {
    let items = vec![Item::Site { site: 1, parent: 0, pc: 7 }];
    let mut file = file(&items);
    file.extend([0; 5 * UNIT]);
    assert_eq!(read(&file), Ok(items));
}
