//! What instructions and calls mean to the spans of a thread: does it publish, does it learn, does it come back?
//!
//! A *span* is what a thread does between two releases. Another thread can order itself behind an access only through a release that follows it, so all accesses of a span are
//! ordered with what others do later in the same way; whoever races with a later access to some bytes also races with an earlier access of the span to them
//! (RedCard, Theorem 1). An acquire in between does not matter for that: what it orders before the later access and not before the earlier one raced with the earlier one.
//!
//! A check may be *moved* only where nothing is published and nothing is learned: earlier than a release it would miss, earlier than an acquire it would see races that are none.

use crate::ir::{Function, Inst, Kind, Module, Order};
use crate::scope::Scope;
use hashbrown::HashMap;

/// What may happen.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Effect {
    /// It may publish: others may order themselves behind what was before it. A span ends.
    pub publishes: bool,
    /// It may learn: what comes behind it may be ordered behind what others did.
    pub learns: bool,
    /// It may not come back: end the thread, throw, loop for ever.
    pub leaves: bool,
}

impl Effect {
    /// Nothing.
    pub const NONE: Effect = Effect { publishes: false, learns: false, leaves: false };
    /// Anything.
    pub const ANY: Effect = Effect { publishes: true, learns: true, leaves: true };
    /// It learns only, if it comes back.
    const LEARNS: Effect = Effect { publishes: false, learns: true, leaves: true };

    fn and(self, other: Effect) -> Effect {
        Effect {
            publishes: self.publishes || other.publishes,
            learns: self.learns || other.learns,
            leaves: self.leaves || other.leaves,
        }
    }
}

/// Functions of the C library that neither publish nor learn, and return. (What the program itself defines under such a name counts as it is.)
const QUIET: &[&str] = &[
    "__ctype_b_loc",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__errno_location",
    "abs",
    "acos",
    "acosf",
    "asin",
    "asinf",
    "atan",
    "atan2",
    "atan2f",
    "atanf",
    "atof",
    "atoi",
    "atol",
    "atoll",
    "bcmp",
    "calloc",
    "cbrt",
    "cbrtf",
    "ceil",
    "ceilf",
    "copysign",
    "copysignf",
    "cos",
    "cosf",
    "cosh",
    "coshf",
    "div",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "exp2f",
    "expf",
    "expm1",
    "fabs",
    "fabsf",
    "fdim",
    "floor",
    "floorf",
    "fma",
    "fmaf",
    "fmax",
    "fmaxf",
    "fmin",
    "fminf",
    "fmod",
    "fmodf",
    "frexp",
    "frexpf",
    "hypot",
    "hypotf",
    "isalnum",
    "isalpha",
    "isdigit",
    "islower",
    "isprint",
    "isspace",
    "isupper",
    "isxdigit",
    "labs",
    "ldexp",
    "ldexpf",
    "llabs",
    "llrint",
    "llround",
    "log",
    "log10",
    "log10f",
    "log1p",
    "log2",
    "log2f",
    "logf",
    "lrint",
    "lrintf",
    "lround",
    "malloc",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memrchr",
    "memset",
    "modf",
    "modff",
    "nearbyint",
    "pow",
    "powf",
    "rint",
    "rintf",
    "round",
    "roundf",
    "sin",
    "sincos",
    "sincosf",
    "sinf",
    "sinh",
    "sinhf",
    "sqrt",
    "sqrtf",
    "strcasecmp",
    "strcat",
    "strchr",
    "strchrnul",
    "strcmp",
    "strcpy",
    "strcspn",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strnlen",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strtod",
    "strtol",
    "strtoll",
    "strtoul",
    "strtoull",
    "tan",
    "tanf",
    "tanh",
    "tanhf",
    "tgamma",
    "tolower",
    "toupper",
    "trunc",
    "truncf",
];

/// Functions that learn and do not publish.
const LEARNING: &[&str] = &[
    "pthread_mutex_lock",
    "pthread_mutex_trylock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "pthread_rwlock_tryrdlock",
    "pthread_rwlock_trywrlock",
    "pthread_spin_lock",
    "pthread_spin_trylock",
    "pthread_join",
    "mtx_lock",
    "mtx_trylock",
];

/// What the runtime's functions for memory and stacks do.
fn of_runtime(name: &str, args: &str) -> Effect {
    let is = |start: &str| name.starts_with(start);
    if is("read")
        || is("write")
        || is("unaligned_")
        || is("volatile_")
        || is("vptr_")
        || is("func_")
        || is("mem")
    {
        return Effect::NONE;
    }
    if name == "atomic_signal_fence" {
        return Effect::NONE;
    }
    // The order is the last argument: 0 relaxed, 1 consume, 2 acquire, 3 release, 4 both, 5 sequentially consistent.
    let order = args.rsplit("i32 ").next().and_then(|last| last.trim().parse::<u32>().ok());
    match order {
        Some(0) if is("atomic") && name.ends_with("_load") => Effect::NONE,
        Some(1..) if is("atomic") && name.ends_with("_load") => Effect { learns: true, ..Effect::NONE },
        // Even a relaxed store may publish what a fence before it has released, and a plain write takes that back: it is not to be forgotten.
        _ => Effect { publishes: true, learns: true, leaves: false },
    }
}

/// What the functions of a module do, by name.
pub struct Effects<'a> {
    defined: HashMap<&'a str, Effect, foldhash::fast::FixedState>,
}

impl<'a> Effects<'a> {
    /// Infers what the functions of the module do: bottom up, beginning with nothing, until nothing changes. What may happen on some path of a call happens in finitely many
    /// calls, so the least fixed point has it, recursion or not.
    pub fn infer(module: &Module<'a>) -> Effects<'a> {
        let mut effects = Effects { defined: HashMap::default() };
        let known: Vec<&Function<'a>> = module.functions.iter().filter(|f| is_final(module, f)).collect();
        for function in &known {
            effects.defined.insert(function.name, Effect::NONE);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for function in &known {
                let new = effects.of_function(module, function);
                changed |= effects.defined.insert(function.name, new) != Some(new);
            }
        }
        effects
    }

    fn of_function(&self, module: &Module<'a>, function: &Function<'a>) -> Effect {
        let insts = function.blocks.iter().flat_map(|b| &b.insts);
        let mut sum = insts.map(|i| self.of(module, i)).fold(Effect::NONE, Effect::and);
        // A function with a way back, or without an end, may stay for ever.
        let jumps_back = function.ids().any(|b| function.block(b).targets().iter().any(|t| *t <= b));
        let ends = function.blocks.iter().filter(|b| b.targets().is_empty());
        let throws = ends.clone().any(|b| !matches!(b.insts.last().map(|i| &i.kind), Some(Kind::Return)));
        let promised = module.has_attribute(function.behind, "willreturn")
            && module.has_attribute(function.behind, "nounwind");
        sum.leaves |= (jumps_back || throws) && !promised;
        sum
    }

    /// What that instruction may do.
    pub fn of(&self, module: &Module<'a>, inst: &Inst<'a>) -> Effect {
        match &inst.kind {
            Kind::Call { callee: Some(name), args, attributes, .. } => {
                self.call(module, name, args, attributes)
            }
            Kind::Call { callee: None, .. } | Kind::Unknown => Effect::ANY,
            // Atomics that were not instrumented are not seen by the runtime, but by the program.
            Kind::Load { atomic: None | Some(Order::Relaxed) } | Kind::Store { atomic: None } => Effect::NONE,
            Kind::Load { .. } => Effect { learns: true, ..Effect::NONE },
            Kind::Store { .. } | Kind::Rmw(_) | Kind::Fence(_) => {
                Effect { publishes: true, learns: true, leaves: false }
            }
            _ => Effect::NONE,
        }
    }

    fn call(&self, module: &Module<'a>, callee: &str, args: &str, attributes: &str) -> Effect {
        if let Some(name) = callee.strip_prefix("@__tsan_") {
            return of_runtime(name, args);
        }
        if let Some(name) = callee.strip_prefix("@llvm.") {
            return intrinsic(name);
        }
        let name = &callee[1..];
        if let Some(effect) = self.defined.get(callee) {
            return *effect;
        }
        let Some(declared) = module.declared.get(callee) else { return Effect::ANY };
        if LEARNING.contains(&name) {
            return Effect::LEARNS;
        }
        let says = |attribute: &str| {
            module.has_attribute(declared, attribute) || module.has_attribute(attributes, attribute)
        };
        // A function that touches no memory, or that LLVM knows not to synchronise.
        let quiet = says("nosync") || says("memory(none)") || says("readnone");
        let returns = says("willreturn") && says("nounwind");
        if QUIET.binary_search(&name).is_ok() {
            return Effect::NONE;
        }
        Effect { publishes: !quiet, learns: !quiet, leaves: !returns }
    }
}

/// Intrinsics compute; those that stop, jump or call something are few.
fn intrinsic(name: &str) -> Effect {
    const LOUD: [&str; 8] =
        ["coro.", "eh.sjlj", "experimental.", "trap", "debugtrap", "ubsantrap", "call.", "init.trampoline"];
    if LOUD.iter().any(|loud| name.starts_with(loud)) && name != "experimental.noalias.scope.decl" {
        return Effect::ANY;
    }
    Effect::NONE
}

/// What is called by that name is this body, or one that does the same: it cannot be replaced at link or load time.
fn is_final(module: &Module<'_>, function: &Function<'_>) -> bool {
    let replaceable = ["weak", "linkonce", "extern_weak", "common", "available_externally"];
    if replaceable.iter().any(|linkage| function.is(linkage)) {
        return false;
    }
    let says_so = ["internal", "private", "linkonce_odr", "weak_odr", "hidden", "protected"];
    // A file does not know what it is linked into: meant for a program, it says so of whatever it defines.
    let is_ours = function.is("dso_local") && module.scope != Scope::Library;
    is_ours || says_so.iter().any(|l| function.is(l))
}

/// What is called by that name is this very body, with the checks that it has. Of several bodies that do the same, another one may have fewer.
pub fn is_exact(module: &Module<'_>, function: &Function<'_>) -> bool {
    is_final(module, function) && !function.is("linkonce_odr") && !function.is("weak_odr")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        assert!(QUIET.is_sorted());
    }

    #[test]
    fn atomics() {
        assert_eq!(of_runtime("atomic32_load", "ptr @x, i32 0"), Effect::NONE);
        assert!(!of_runtime("atomic32_load", "ptr @x, i32 5").publishes);
        assert!(of_runtime("atomic32_store", "ptr @x, i32 1, i32 0").publishes);
        assert!(of_runtime("atomic_thread_fence", "i32 3").publishes);
        assert!(of_runtime("anything", "").publishes);
        assert_eq!(of_runtime("unaligned_read8", "ptr %1"), Effect::NONE);
    }
}
