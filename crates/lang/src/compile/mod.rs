//! From the checked syntax tree to code.

mod expr;
mod function;
mod statement;

use crate::ast::{Atomicity, Block, Class, Function, Program, Span, Statement, Type};
use crate::check::Types;
use crate::code::{Code, FunctionCode, FunctionId, GlobalCell, Inline, Instr, Pc};
use crate::error::Error;
use function::Scope;
use std::collections::HashMap;

/// Compiles a program that was checked: `types` must be what the check of this very tree gave.
pub fn compile(program: &Program, types: &Types) -> Result<Code, Error> {
    let mut compiler = Compiler::new(program, types);
    compiler.functions()?;
    Ok(compiler.code)
}

/// Where a global lies, and how it is accessed.
#[derive(Clone, Copy)]
struct GlobalPlace {
    offset: u32,
    access: Atomicity,
    /// The number of the array in [`Code::inline`], if it is one.
    inline: Option<u32>,
}

struct Compiler<'p> {
    program: &'p Program,
    types: &'p Types,
    code: Code,
    globals: HashMap<&'p str, GlobalPlace>,
    classes: HashMap<&'p str, &'p Class>,
    named: HashMap<&'p str, FunctionId>,
    methods: HashMap<(&'p str, &'p str), FunctionId>,
    /// Bodies that are still to be compiled, with the number of their function.
    waiting: Vec<(FunctionId, Body<'p>)>,
    /// The function being compiled, and its registers.
    current: FunctionId,
    scope: Scope,
}

/// What a function consists of.
enum Body<'p> {
    /// The main of a program that only has threads.
    Threads,
    /// A block in an environment: its parameters, or the locals it captured.
    Block(&'p Block, Vec<String>),
}

impl<'p> Compiler<'p> {
    fn new(program: &'p Program, types: &'p Types) -> Compiler<'p> {
        let classes = program.classes.iter().map(|c| (c.name.text.as_str(), c)).collect();
        let mut compiler = Compiler {
            program,
            types,
            code: Code::default(),
            globals: HashMap::new(),
            classes,
            named: HashMap::new(),
            methods: HashMap::new(),
            waiting: Vec::new(),
            current: FunctionId(0),
            scope: Scope::default(),
        };
        compiler.lay_out_globals();
        compiler.declare();
        compiler
    }

    fn lay_out_globals(&mut self) {
        self.code.initial.push(0);
        for global in &self.program.globals {
            let offset = self.code.initial.len() as u32;
            let (cells, inline) = match global.ty {
                Type::Inline(_, length) => {
                    self.code.inline.push(Inline { offset, length });
                    (length, Some((self.code.inline.len() - 1) as u32))
                }
                _ => (1, None),
            };
            self.code.initial.extend((0..cells).map(|_| global.value));
            let name = global.name.text.clone();
            self.code.globals.push(GlobalCell { name, offset, ty: global.ty.clone(), cells });
            let place = GlobalPlace { offset, access: global.access, inline };
            self.globals.insert(&global.name.text, place);
        }
    }

    /// Gives every function and method its number.
    fn declare(&mut self) {
        match &self.program.main {
            Some(main) => self.new_function("main".into(), Body::Block(main, Vec::new())),
            None => self.new_function("main".into(), Body::Threads),
        };
        for function in &self.program.functions {
            let id = self.declare_function(function, function.name.text.clone(), None);
            self.named.insert(&function.name.text, id);
        }
        for class in &self.program.classes {
            for method in &class.methods {
                let (class, name) = (&class.name.text, &method.name.text);
                let id = self.declare_function(method, format!("{class}.{name}"), Some("this".into()));
                self.methods.insert((class, name), id);
            }
        }
    }

    fn declare_function(&mut self, f: &'p Function, name: String, this: Option<String>) -> FunctionId {
        let params = f.params.iter().map(|(name, _)| name.text.clone());
        self.new_function(name, Body::Block(&f.body, this.into_iter().chain(params).collect()))
    }

    fn new_function(&mut self, name: String, body: Body<'p>) -> FunctionId {
        let id = FunctionId(self.code.functions.len() as u32);
        let params = match &body {
            Body::Threads => 0,
            Body::Block(_, params) => params.len() as u16,
        };
        self.code.functions.push(FunctionCode { name, entry: Pc(0), params, registers: params });
        self.waiting.push((id, body));
        id
    }

    /// Compiles what waits, and what comes up on the way.
    fn functions(&mut self) -> Result<(), Error> {
        let mut next = 0;
        while next < self.waiting.len() {
            let (id, body) = std::mem::replace(&mut self.waiting[next], (FunctionId(0), Body::Threads));
            next += 1;
            self.current = id;
            let entry = self.here();
            let end = match body {
                Body::Threads => self.threads(),
                Body::Block(block, params) => {
                    self.scope = Scope::new(params);
                    self.block(block);
                    block.span
                }
            };
            self.emit(Instr::Return(None), end);
            let function = &mut self.code.functions[id.0 as usize];
            function.entry = entry;
            function.registers = self.scope.most();
            if self.scope.is_too_large() {
                return Err(Error::new(
                    end,
                    "this has more than 65,000 locals and intermediate values",
                    "too much for one function",
                ));
            }
        }
        Ok(())
    }

    /// Main of a program without one: starts the threads, waits for them, does what `finally` says.
    fn threads(&mut self) -> Span {
        self.scope = Scope::new(Vec::new());
        let mut threads = Vec::new();
        for (n, thread) in self.program.threads.iter().enumerate() {
            let name =
                thread.name.as_ref().map_or_else(|| format!("thread {}", n + 1), |name| name.text.clone());
            let function = self.new_function(name, Body::Block(&thread.body, Vec::new()));
            let into = self.scope.temporary();
            self.emit(Instr::Spawn(into, function, into), thread.body.span);
            threads.push((into, thread.body.span));
        }
        for (thread, span) in threads {
            self.emit(Instr::Wait(thread), span);
        }
        if let Some(finally) = &self.program.finally {
            self.block(finally);
        }
        Span::default()
    }

    /// Where the next instruction goes.
    fn here(&self) -> Pc {
        Pc(self.code.instrs.len() as u32)
    }

    fn emit(&mut self, instr: Instr, span: Span) -> Pc {
        let pc = self.here();
        self.code.instrs.push(instr);
        self.code.spans.push(span);
        pc
    }

    /// Makes a jump that was emitted before go here.
    fn land(&mut self, jump: Pc) {
        let here = self.here();
        match &mut self.code.instrs[jump.index()] {
            Instr::Jump(to) | Instr::JumpUnless(_, to) => *to = here,
            other => unreachable!("{other:?} is no jump"),
        }
    }

    fn block(&mut self, block: &'p Block) {
        let mark = self.scope.enter();
        for Statement { kind, span } in &block.statements {
            self.statement(kind, *span);
        }
        self.scope.leave(mark);
    }

    fn panic_message(&mut self, message: Option<&str>) -> u32 {
        self.code.messages.push(message.unwrap_or("panic").to_owned());
        (self.code.messages.len() - 1) as u32
    }
}

/// Not emitted yet: where a jump goes is known later.
const LATER: Pc = Pc(u32::MAX);
