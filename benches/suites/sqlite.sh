# SQLite's threadtest3: its threads check the database and count errors themselves.
. "$PROGRAMS/real/recipe.sh"
copy sqlite3
cd sqlite3
# Without the tool for its own build, which needs no watching.
[ -e sqlite3.c ] || { CC=cc CFLAGS= DEADHEAT_OPTIONS= sh -c './configure --disable-tcl && make sqlite3.c'; }
[ -e sqlite3.o ] || $CC $CFLAGS -DSQLITE_THREADSAFE=1 -DSQLITE_ENABLE_UNLOCK_NOTIFY -c sqlite3.c -o sqlite3.o
$CC $CFLAGS -I. -Isrc -Itest test/threadtest3.c src/test_multiplex.c sqlite3.o -o threadtest3 -lpthread -ldl -lm
rm -f test.db*
./threadtest3
