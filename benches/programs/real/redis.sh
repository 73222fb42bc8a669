# redis-server with libc's malloc, and its load generator, redis-benchmark.
. "$PROGRAMS/real/recipe.sh"
copy redis
rm -f redis/src/redis-server redis/src/redis-benchmark
make -C redis/src CC="$CC" CXX="$CXX" OPTIMIZATION=-O2 MALLOC=libc BUILD_TLS=no USE_SYSTEMD=no V=1 redis-server redis-benchmark
mv redis/src/redis-server redis.bin
mv redis/src/redis-benchmark redis-benchmark
