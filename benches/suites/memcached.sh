# memcached's t/*.t: a server with worker threads each, driven by its own Perl scripts.
. "$PROGRAMS/real/recipe.sh"
copy libevent
copy memcached
export DEADHEAT_OPTIONS
watched=$DEADHEAT_OPTIONS
# Tests of configure find what they look for without being watched.
DEADHEAT_OPTIONS=report_bugs=0
configure libevent --disable-shared --disable-openssl --disable-samples --disable-libevent-regress \
    --disable-dependency-tracking --disable-debug-mode
make -C libevent include/event2/event-config.h
make -C libevent libevent.la
mkdir -p event/lib
cp libevent/.libs/libevent.a event/lib
cp -r libevent/include event
CFLAGS="$CFLAGS -Wno-error" configure memcached --with-libevent="$PWD/event" --disable-docs --disable-coverage \
    --disable-dependency-tracking
rm -f memcached/memcached memcached/memcached-debug
make -C memcached CFLAGS="$CFLAGS -pthread -Wno-error" memcached memcached-debug sizes testapp timedrun
DEADHEAT_OPTIONS=$watched
cd memcached
# Its scripts wait seconds for what takes longer here; they fail as root unless told who to be.
T_MEMD_SLAB_ALLOC=0 prove t
