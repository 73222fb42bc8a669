//! Random graphs of any shape, irreducible ones too: blocks of accesses to a few objects, and edges from anywhere to anywhere.

use deadheat_redcard::ir::*;
use fastrand::Rng;

/// The entry allocates and starts a second thread of the same shape; loops are cut by the machine.
pub fn raw(rng: &mut Rng) -> Program {
    let field = |n: u32, name: &str| Field {
        name: name.into(),
        class: ClassId(n),
        offset: i64::from(n) * 8,
        width: 8,
    };
    let fields = vec![field(1, "f"), field(2, "g"), field(3, "v")];
    let arrays = vec![Array { name: "elements".into(), class: ClassId(0) }];
    let mut access = 0;
    let mut worker = blocks(rng, &mut access, 2);
    worker.name = "worker".into();
    let mut main = blocks(rng, &mut access, 0);
    main.name = "main".into();
    let (a, b, m, n) = (Var(0), Var(1), Var(2), Var(3));
    let write = |id: u32, base: Var, f: u32, to: Var| {
        let place = Place { base: Operand::Var(base), steps: vec![Step::Field(FieldId(f))] };
        Inst::Write(AccessId(10_000 + id), place, Operand::Var(to))
    };
    let mut start = vec![
        Inst::New(a, SiteId(0), Shape::Object),
        Inst::New(b, SiteId(1), Shape::Object),
        Inst::Let(m, Pure::Copy(Operand::Var(a))),
        Inst::Let(n, Pure::Copy(Operand::Var(b))),
        write(0, a, 0, b),
        write(1, b, 0, a),
        write(2, a, 1, a),
        write(3, b, 1, b),
        Inst::Sync(Sync::Fork(None, FuncId(1), vec![Operand::Var(a), Operand::Var(b)])),
    ];
    start.append(&mut main.blocks[0].insts);
    main.blocks[0].insts = start;
    worker.params = vec![a, b];
    let copies = [(m, a), (n, b)].map(|(to, from)| Inst::Let(to, Pure::Copy(Operand::Var(from))));
    worker.blocks[0].insts.splice(0..0, copies);
    Program { world: World::Closed, fields, arrays, functions: vec![main, worker] }
}

fn blocks(rng: &mut Rng, access: &mut u32, _params: usize) -> Function {
    let n = rng.u32(2..8);
    let mut vars: Vec<String> = ["a", "b", "m", "n"].map(String::from).to_vec();
    let mut all = Vec::new();
    for at in 0..n {
        let mut known: Vec<Var> = (0..4).map(Var).collect();
        let mut insts = Vec::new();
        for _ in 0..rng.usize(1..5) {
            let base = Operand::Var(known[rng.usize(..known.len())]);
            let place = |f: u32| Place { base, steps: vec![Step::Field(FieldId(f))] };
            let mut next = || {
                *access += 1;
                AccessId(*access - 1)
            };
            match rng.u8(..12) {
                0..=4 => {
                    let var = Var(vars.len() as u32);
                    vars.push(format!("r{}", var.0));
                    insts.push(Inst::Read(next(), var, place(rng.u32(..2))));
                    known.push(var);
                }
                5..=7 => {
                    let value = Operand::Var(known[rng.usize(..known.len())]);
                    insts.push(Inst::Write(next(), place(rng.u32(..2)), value));
                }
                8 => insts.push(Inst::Sync(Sync::Lock(base))),
                9 => insts.push(Inst::Sync(Sync::Unlock(base))),
                10 => insts.push(Inst::Sync(Sync::VolatileWrite(place(2), base))),
                _ => {
                    let var = Var(vars.len() as u32);
                    vars.push(format!("w{}", var.0));
                    insts.push(Inst::Sync(Sync::VolatileRead(var, place(2))));
                }
            }
        }
        let cond = Var(vars.len() as u32);
        vars.push(format!("c{}", cond.0));
        insts.push(Inst::Let(cond, Pure::Unknown));
        let mut to = || BlockId(rng.u32(1..n));
        let end = match at {
            _ if at + 1 == n => End::Return(None),
            _ => End::Branch(Operand::Var(cond), to(), to()),
        };
        all.push(Block { name: format!("b{at}"), phis: vec![], insts, end });
    }
    Function {
        name: String::new(),
        linkage: Linkage::Internal,
        params: vec![],
        vars,
        blocks: all,
        spec: None,
    }
}
