# memcached with a static libevent.
. "$PROGRAMS/real/recipe.sh"
copy libevent
copy memcached
configure libevent --disable-shared --disable-openssl --disable-samples --disable-libevent-regress \
    --disable-dependency-tracking --disable-debug-mode
make -C libevent include/event2/event-config.h # everything needs it, and make is not told so
make -C libevent libevent.la
mkdir -p event/lib
cp libevent/.libs/libevent.a event/lib
cp -r libevent/include event
# Its headers are not ready for warnings of compilers younger than it is.
CFLAGS="$CFLAGS -Wno-error" configure memcached --with-libevent="$PWD/event" --disable-docs --disable-coverage \
    --disable-dependency-tracking
rm -f memcached/memcached
make -C memcached CFLAGS="$CFLAGS -pthread -Wno-error" memcached
mv memcached/memcached memcached.bin
