# leveldb under our own load: C++, and most of what it does is to allocate strings, iterators and blocks.
. "$PROGRAMS/real/recipe.sh"
copy leveldb
cd leveldb
printf '#define HAVE_FDATASYNC 1\n#define HAVE_FULLFSYNC 0\n#define HAVE_O_CLOEXEC 1\n#define HAVE_CRC32C 0\n#define HAVE_SNAPPY 0\n' \
    >port/port_config.h
files=$(ls db/*.cc table/*.cc util/*.cc | grep -v -e _test -e testutil -e leveldbutil -e env_windows)
compile "$CXX" -std=c++17 -DLEVELDB_PLATFORM_POSIX=1 -DNDEBUG -I. -Iinclude
cd ..
$CXX $CFLAGS -std=c++17 -Ileveldb/include "$PROGRAMS/leveldb_load.cc" leveldb/objects/*.o -o leveldb.part -lpthread
mv leveldb.part leveldb.bin
