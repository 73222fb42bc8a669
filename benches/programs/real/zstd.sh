# zstd with its thread pool, without assembly (which no tool can see into).
. "$PROGRAMS/real/recipe.sh"
copy libzstd
cd libzstd
files=$(ls lib/common/*.c lib/compress/*.c lib/decompress/*.c lib/dictBuilder/*.c programs/*.c)
compile "$CC" -DZSTD_MULTITHREAD -DZSTD_DISABLE_ASM -DZSTD_LEGACY_SUPPORT=0 -DXXH_NAMESPACE=ZSTD_ -Ilib -Ilib/common
cd ..
$CC libzstd/objects/*.o -o zstd.part -lpthread
mv zstd.part zstd.bin
