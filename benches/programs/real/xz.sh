# xz with a static liblzma.
. "$PROGRAMS/real/recipe.sh"
copy xz-utils
configure xz-utils --disable-shared --disable-nls --disable-doc --disable-scripts --disable-lzmadec --disable-lzmainfo \
    --disable-dependency-tracking --disable-assembler
rm -f xz-utils/src/xz/xz
make -C xz-utils/src/liblzma
make -C xz-utils/src/xz
mv xz-utils/src/xz/xz xz.bin
