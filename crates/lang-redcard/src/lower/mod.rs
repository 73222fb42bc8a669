//! From the checked syntax tree to redcard's graph.
//!
//! | the language | the graph |
//! | --- | --- |
//! | plain global `x` | field `x` of the object `null`, which has no other |
//! | `o.f`, `a[i]` | a step `.f` or `[i]`; each field, and the arrays of each element type, are a class of stores |
//! | element of `global a: [T; n]` | `null[i]` of a kind of array of its own |
//! | heap cell `p[i]` | `null[p + i]` of the kind *heap*: one cell has one index, whatever pointer it is reached by |
//! | `lock`, `wait`, reads of atomics | acquire-like |
//! | `unlock`, `spawn`, writes of atomics, `make_runnable` | release-like: the span ends |
//! | `xchg`, `cas`, `fetch_add`, `try_lock`, channels, `select`, `deschedule`, `free` | both |
//! | `+ - *` | wrapping, unless `ranges.rs` shows that they do not wrap |
//!
//! Evaluation is that of `lang`'s compiler: operands from left to right, a place's own operands before the value. Each read and
//! write carries the place in the source that the compiled instruction has, so that a verdict finds its instruction.

mod body;
mod expr;
mod place;
mod statement;

use deadheat_lang::Types;
use deadheat_lang::ast::{Atomicity, Block, Function, Program, Span, Type};
use deadheat_redcard::ir::{
    self, Array, ArrayId, ClassId, Field, FieldId, FuncId, Kind, Linkage, Operand, World,
};
use std::collections::{BTreeMap, HashMap};

/// A read or a write in the source.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Access {
    /// Where it stands: the whole place, such as `a[i]`.
    pub span: Span,
    /// What it does.
    pub kind: Kind,
}

/// Why a point of the program is worth a look.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spot {
    /// Before a statement.
    Statement,
    /// Where the body of a loop begins.
    LoopBody,
    /// Behind a loop.
    LoopEnd,
}

/// A point of the source and of the graph.
#[derive(Clone, PartialEq, Debug)]
pub struct Mark {
    /// The byte of the source that it stands before.
    pub offset: u32,
    /// Why.
    pub spot: Spot,
    /// The function of the graph, its block, and the instruction that comes next.
    pub at: (FuncId, ir::BlockId, usize),
    /// What the locals are there, the innermost last.
    pub locals: Vec<(String, Operand)>,
}

/// A program as a graph.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The graph.
    pub graph: ir::Program,
    /// Every access, by its number in the graph.
    pub accesses: Vec<Access>,
    /// Points to show contexts at, in the order of the source within each function.
    pub marks: Vec<Mark>,
    /// How many cells each field lies behind the first cell of its object, or behind the first global.
    pub cells: Vec<i64>,
}

/// A global as the graph has it.
#[derive(Clone, Copy)]
enum Shared {
    Cell(FieldId, Atomicity),
    Elements(ArrayId, Atomicity),
}

/// A body that waits for its turn.
enum Work<'p> {
    Block(&'p Block, Vec<String>),
    /// Main of a program that has threads instead.
    Threads(Vec<FuncId>),
}

struct Lowering<'p> {
    program: &'p Program,
    types: &'p Types,
    globals: HashMap<&'p str, Shared>,
    fields: HashMap<(&'p str, &'p str), (FieldId, Atomicity)>,
    kinds: HashMap<Type, ArrayId>,
    functions: HashMap<&'p str, FuncId>,
    methods: HashMap<(&'p str, &'p str), FuncId>,
    waiting: Vec<(FuncId, Work<'p>)>,
    sites: u32,
    out: Lowered,
}

/// Heap cells are the elements of this kind.
const HEAP: ArrayId = ArrayId(0);

/// Lowers a program; `types` must be what the check of this very tree gave.
pub fn lower(program: &Program, types: &Types) -> Lowered {
    let graph = ir::Program { world: World::Closed, ..ir::Program::default() };
    let out = Lowered { graph, accesses: Vec::new(), marks: Vec::new(), cells: Vec::new() };
    let mut lowering = Lowering {
        program,
        types,
        globals: HashMap::new(),
        fields: HashMap::new(),
        kinds: HashMap::new(),
        functions: HashMap::new(),
        methods: HashMap::new(),
        waiting: Vec::new(),
        sites: 0,
        out,
    };
    lowering.declare_memory();
    lowering.declare_functions();
    lowering.bodies();
    let initial = lowering.initial();
    crate::ranges::exact(&mut lowering.out.graph, &initial);
    lowering.out
}

impl<'p> Lowering<'p> {
    fn declare_memory(&mut self) {
        self.array("heap".into());
        let mut cell = 1;
        for global in &self.program.globals {
            let name = &global.name.text;
            let shared = match global.ty {
                Type::Inline(..) => Shared::Elements(self.array(name.clone()), global.access),
                _ => Shared::Cell(self.field(name.clone(), cell), global.access),
            };
            self.globals.insert(name, shared);
            cell += if let Type::Inline(_, length) = global.ty { i64::from(length) } else { 1 };
        }
        for class in &self.program.classes {
            for (n, field) in class.fields.iter().enumerate() {
                let (class, name) = (&class.name.text, &field.name.text);
                let id = self.field(format!("{class}.{name}"), n as i64 + 1);
                self.fields.insert((class, name), (id, field.access));
            }
        }
    }

    /// What globals hold at first, where that is not 0.
    fn initial(&self) -> BTreeMap<ClassId, i64> {
        let graph = &self.out.graph;
        let class = |shared: &Shared| match shared {
            Shared::Cell(field, _) => graph.fields[field.index()].class,
            Shared::Elements(kind, _) => graph.arrays[kind.index()].class,
        };
        let globals = self.program.globals.iter();
        globals.map(|global| (class(&self.globals[global.name.text.as_str()]), global.value)).collect()
    }

    fn declare_functions(&mut self) {
        let main = self.function("main".into(), Linkage::Exported);
        for function in &self.program.functions {
            let id = self.declare(function, function.name.text.clone(), None);
            self.functions.insert(&function.name.text, id);
        }
        for class in &self.program.classes {
            for method in &class.methods {
                let (class, name) = (&class.name.text, &method.name.text);
                let id = self.declare(method, format!("{class}.{name}"), Some("this".into()));
                self.methods.insert((class, name), id);
            }
        }
        let work = match &self.program.main {
            Some(main) => Work::Block(main, Vec::new()),
            None => {
                let threads = self.program.threads.iter().enumerate().map(|(n, thread)| {
                    let name = thread.name.as_ref();
                    let name = name.map_or_else(|| format!("thread {}", n + 1), |name| name.text.clone());
                    (name, &thread.body)
                });
                let threads: Vec<_> = threads.collect();
                Work::Threads(
                    threads.into_iter().map(|(name, body)| self.body(name, body, Vec::new())).collect(),
                )
            }
        };
        self.waiting.push((main, work));
    }

    fn declare(&mut self, function: &'p Function, name: String, this: Option<String>) -> FuncId {
        let params = function.params.iter().map(|(name, _)| name.text.clone());
        self.body(name, &function.body, this.into_iter().chain(params).collect())
    }

    /// A function with that body, which is lowered later. Its parameters are its first variables.
    fn body(&mut self, name: String, block: &'p Block, params: Vec<String>) -> FuncId {
        let id = self.function(name, Linkage::Internal);
        let function = &mut self.out.graph.functions[id.index()];
        function.params = (0..params.len() as u32).map(ir::Var).collect();
        function.vars.clone_from(&params);
        self.waiting.push((id, Work::Block(block, params)));
        id
    }

    /// A function without a body. The graph wants names to differ; threads of one place do not.
    fn function(&mut self, mut name: String, linkage: Linkage) -> FuncId {
        let functions = &mut self.out.graph.functions;
        if functions.iter().any(|f| f.name == name) {
            name = format!("{name} #{}", functions.len());
        }
        let (params, vars, blocks) = Default::default();
        functions.push(ir::Function { name, linkage, params, vars, blocks, spec: None });
        FuncId(functions.len() as u32 - 1)
    }

    fn class(&self) -> ClassId {
        ClassId((self.out.graph.fields.len() + self.out.graph.arrays.len()) as u32)
    }

    fn array(&mut self, name: String) -> ArrayId {
        let class = self.class();
        self.out.graph.arrays.push(Array { name, class });
        ArrayId(self.out.graph.arrays.len() as u32 - 1)
    }

    /// A field. Offsets are made up: no two fields have the same, since no object has the fields of two classes.
    fn field(&mut self, name: String, cell: i64) -> FieldId {
        let class = self.class();
        let offset = self.out.graph.fields.len() as i64;
        self.out.graph.fields.push(Field { name, class, offset, width: 1 });
        self.out.cells.push(cell);
        FieldId(self.out.graph.fields.len() as u32 - 1)
    }

    /// The kind of the arrays with elements of that type. Types are never converted, so no two kinds share an array.
    fn kind(&mut self, element: &Type) -> ArrayId {
        if let Some(kind) = self.kinds.get(element) {
            return *kind;
        }
        let kind = self.array(element.to_string());
        self.kinds.insert(element.clone(), kind);
        kind
    }

    fn bodies(&mut self) {
        while let Some((id, work)) = self.waiting.pop() {
            body::Body::lower(self, id, work);
        }
        self.out.marks.sort_by_key(|mark| mark.offset);
    }
}
