# What the recipes share. A recipe runs in its own build folder, which it may find half or wholly built, with
#   CC CXX   the compilers, with the tool's flags       SRC       the unpacked source packages, not to be changed
#   CFLAGS   -O2 -g                                     PROGRAMS  the folder of our own programs
# and leaves its program in that folder as RECIPE.bin. Objects are kept: after a change of a runtime library
# the program is only linked again.
set -eu

# Copies a source package into the build folder, once.
copy() {
    [ -d "$1" ] || { rm -rf "$1.part" && cp -a "$SRC/$1" "$1.part" && mv "$1.part" "$1"; }
}

# Runs a package's configure script, once. Its tests are not about the tool, so they need not find races.
configure() {
    (cd "$1" && shift && { [ -e configured ] || { ./configure "$@" && touch configured; }; })
}

# Compiles each of the files (C or C++) into the folder `objects`, where that is not done yet.
compile() {
    compiler=$1 && shift
    mkdir -p objects
    for file in $files; do
        object=objects/$(echo "$file" | tr / _).o
        [ -e "$object" ] || { $compiler $CFLAGS "$@" -c "$file" -o "$object.part" && mv "$object.part" "$object"; }
    done
}
