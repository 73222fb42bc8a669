//! Which symbols of the runtime are for programs, and what each is called in the end.

use crate::Error;
use crate::object_file::Names;
use std::collections::BTreeSet;

/// In the source, the interceptor of `malloc` is `__interceptor_malloc`.
const INTERCEPTOR: &str = "__interceptor_";

/// In the source, what the runtime itself uses for `memcpy` is `__deadheat_memcpy`.
const OWN: &str = "__deadheat_";

/// Functions that compilers call on their own, wherever memory is copied or compared.
const IMPLICIT: [&str; 6] = ["memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen"];

/// Other names that programs see.
const PUBLIC: [&str; 6] = ["__tsan_", "Annotate", "WTFAnnotate", "__cxa_guard_", "__sanitizer_", OWN];

/// What happens to the symbols of the runtime.
#[derive(Debug)]
pub struct Plan {
    /// What programs see, under its final name.
    pub exported: BTreeSet<String>,
    /// Old and new name of the runtime's calls to what it also intercepts.
    pub own: Vec<(String, String)>,
    /// Old and new name of each interceptor.
    pub interceptors: Vec<(String, String)>,
}

/// The names that the runtime is made of: all else is there only if one of these needs it.
pub fn roots(library: &Names) -> impl Iterator<Item = &String> {
    library.defined.iter().filter(|name| name.starts_with(INTERCEPTOR) || is_public(name))
}

fn is_public(name: &str) -> bool {
    PUBLIC.iter().any(|start| name.starts_with(start))
}

/// Decides, for the runtime as one object. Fails if the runtime would call itself.
pub fn plan(object: &Names) -> Result<Plan, Error> {
    let intercepted: BTreeSet<&str> =
        object.defined.iter().filter_map(|name| name.strip_prefix(INTERCEPTOR)).collect();
    let implicit = IMPLICIT.iter().filter(|name| object.needed.contains(**name));
    let own: Vec<(String, String)> =
        implicit.map(|&name| (name.to_owned(), format!("{OWN}{name}"))).collect();
    if let Some((name, wanted)) = own.iter().find(|(_, new)| !object.defined.contains(new)) {
        return Err(format!("the runtime calls {name} and has no {wanted} to call instead"));
    }
    let calls_itself =
        |name: &&String| intercepted.contains(name.as_str()) && !own.iter().any(|(old, _)| old == *name);
    let circular: Vec<&str> = object.needed.iter().filter(calls_itself).map(String::as_str).collect();
    if !circular.is_empty() {
        let list = circular.join(", ");
        return Err(format!(
            "the runtime calls what it intercepts, and so itself: {list}; look the real ones up"
        ));
    }
    let only_ours = |name: &str| {
        name.strip_prefix(OWN).is_some_and(|rest| IMPLICIT.contains(&rest) || rest.starts_with("text_"))
    };
    let public = object.defined.iter().filter(|name| is_public(name) && !only_ours(name));
    let exported = public.cloned().chain(intercepted.iter().map(|name| (*name).to_owned())).collect();
    let interceptors =
        intercepted.iter().map(|name| (format!("{INTERCEPTOR}{name}"), (*name).to_owned())).collect();
    Ok(Plan { exported, own, interceptors })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(defined: &[&str], needed: &[&str]) -> Names {
        let set = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
        Names { defined: set(defined), needed: set(needed) }
    }

    #[test]
    fn interceptors_get_their_names_and_the_runtime_its_own() {
        let object = names(
            &["__interceptor_memcpy", "__deadheat_memcpy", "__tsan_init", "rust_thing"],
            &["memcpy", "dlsym"],
        );
        let plan = plan(&object).unwrap();
        assert_eq!(plan.own, [("memcpy".to_owned(), "__deadheat_memcpy".to_owned())]);
        assert_eq!(plan.interceptors, [("__interceptor_memcpy".to_owned(), "memcpy".to_owned())]);
        assert_eq!(plan.exported.into_iter().collect::<Vec<_>>(), ["__tsan_init", "memcpy"]);
    }

    #[test]
    fn a_runtime_that_calls_itself_is_refused() {
        let error =
            plan(&names(&["__interceptor_write", "__interceptor_read"], &["write", "dlsym"])).unwrap_err();
        assert_eq!(
            error,
            "the runtime calls what it intercepts, and so itself: write; look the real ones up"
        );
        let error = plan(&names(&[], &["memset"])).unwrap_err();
        assert_eq!(error, "the runtime calls memset and has no __deadheat_memset to call instead");
    }
}
