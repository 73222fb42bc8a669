# pigz, with its own copy of zlib so that compression itself is instrumented.
. "$PROGRAMS/real/recipe.sh"
copy zlib
copy pigz
configure zlib --static
make -C zlib CC="$CC" libz.a
files="pigz/pigz.c pigz/yarn.c pigz/try.c"
compile "$CC" -Izlib -DNOZOPFLI
$CC objects/*.o zlib/libz.a -o pigz.part -lm -lpthread
mv pigz.part pigz.bin
