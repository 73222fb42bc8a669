//! How much of a program a module is.

/// What was joined to make the module, and so who else may know of what is in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scope {
    /// One file: what becomes of it is told by the file itself.
    File,
    /// All files of a program that the linker has joined. What is not local to it is for others to call, but nobody can put something else in its place.
    Program,
    /// All files of a shared library that the linker has joined. What it exports, the program that loads it may have too, and then that is what is called, whatever the files were compiled for.
    Library,
}
