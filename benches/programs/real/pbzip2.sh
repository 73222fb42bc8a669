# pbzip2, with its own copy of libbz2 so that compression itself is instrumented.
. "$PROGRAMS/real/recipe.sh"
copy bzip2
copy pbzip2
make -C bzip2 CC="$CC" CFLAGS="$CFLAGS -D_FILE_OFFSET_BITS=64" libbz2.a
files=$(ls pbzip2/*.cpp)
compile "$CXX" -Ibzip2 -DUSE_STACKSIZE_CUSTOMIZATION -D_LARGEFILE64_SOURCE -D_FILE_OFFSET_BITS=64 -D_REENTRANT \
    -Wno-reserved-user-defined-literal -Wno-literal-suffix
$CXX objects/*.o bzip2/libbz2.a -o pbzip2.part -lpthread
mv pbzip2.part pbzip2.bin
