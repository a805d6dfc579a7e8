#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make deb: deb.bash VERSION FOLDER GPU_CODE makes the packages gridutils and gridutils-simcc in FOLDER from
# FOLDER/image, which make install has filled. GPU_CODE: the architectures there is code for; empty without nvcc.
set -eu
cd "$(dirname "$0")/../.."
version=$1-1 folder=$2 gpu_code=$3
here=common/packages
# shellcheck source=common/packages/elf.bash
. $here/elf.bash

for command in dpkg-deb dpkg-shlibdeps gzip; do
    type "$command" >/dev/null 2>&1 || { echo "make: deb needs $command: apt-get install dpkg-dev" >&2 && exit 2; }
done
architecture=$(dpkg --print-architecture)
maintainer="${DEBFULLNAME:-the gridutils authors} <${DEBEMAIL:-gridutils@users.invalid}>"
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || stat -c %Y Makefile)}
export SOURCE_DATE_EPOCH
if [ -n "$gpu_code" ]; then
    gpu_code="This build has GPU code for ${gpu_code//ptx/PTX of }; the CUDA runtime is included."
else
    gpu_code="This build is for the simulator only: it has no GPU code."
fi

# Moves what belongs to simcc to a package of its own.
work=$folder/deb
rm -rf "$work" && mkdir -p "$work"
cp -a "$folder/image" "$work/gridutils"
bundle_fmt "$PWD/$work/gridutils/usr"
(cd "$work/gridutils" && find . ! -type d \( -name 'simcc*' -o -name '_simcc' \
    -o -path './usr/lib/gridutils/include/*' -o -path './usr/lib/gridutils/cuda/*' -o -name '*.a' \) -printf '%P\0') |
    while IFS= read -r -d '' file; do
        install -d "$work/gridutils-simcc/$(dirname "$file")" && mv "$work/gridutils/$file" "$work/gridutils-simcc/$file"
    done
find "$work/gridutils" -type d -empty -delete

# depends PACKAGE: the packages with the shared libraries that it needs.
depends() {
    local package=$1 needed
    mkdir -p "$work/debian"
    printf 'Source: gridutils\n\nPackage: %s\nArchitecture: any\n' "$package" >"$work/debian/control"
    needed=$(cd "$work" && elf_files "$package" | sed 's/^/-e/' |
        xargs dpkg-shlibdeps -O --ignore-missing-info -lgridutils/usr/lib/gridutils 2>shlibs.log | sed 's/^shlibs:Depends=//') ||
        { cat "$work/shlibs.log" >&2 && return 1; }
    if [ "$package" = gridutils-simcc ] && elf_files "$work/$package" | xargs readelf -d | grep -q 'NEEDED.*\[lib\(gridutils\|simt\|fmt\)'; then
        needed+=", gridutils (= $version)"
    fi
    echo "$needed"
}

# finish PACKAGE: its documents, sums and control files, and the .deb.
finish() {
    local package=$1 root=$work/$1 documents=$work/$1/usr/share/doc/$1 script
    install -d "$documents" "$root/DEBIAN"
    install -m 644 $here/copyright "$documents"
    printf 'gridutils (%s) unstable; urgency=medium\n\n  * Version %s.\n\n -- %s  %s\n' "$version" "${version%-1}" \
        "$maintainer" "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9 -n >"$documents/changelog.Debian.gz"
    if [ -e .github/CHANGELOG.md ]; then gzip -9 -n <.github/CHANGELOG.md >"$documents/changelog.gz"; fi
    [ "$package" != gridutils ] || install -m 644 README.md "$documents"
    find "$root/usr/share/man" -type f -exec gzip -9 -n {} +
    if [ -e "$here/$package.overrides" ]; then install -D -m 644 "$here/$package.overrides" "$root/usr/share/lintian/overrides/$package"; fi
    if [ "$package" = gridutils ]; then
        for script in postinst prerm; do install -m 755 $here/$script "$root/DEBIAN"; done
    fi
    find "$root" \( -type d -exec chmod 755 {} + \) -o \( -type f -name '*.so*' -exec chmod 644 {} + \)
    (cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    awk -v RS= -v package="$package" '$2 == package' $here/control |
        sed -e "s/@ARCHITECTURE@/$architecture/; s/@VERSION@/$version/; s/@MAINTAINER@/$maintainer/" \
            -e "s/@SIZE@/$(du -k -s --apparent-size "$root/usr" | cut -f 1)/; s/@DEPENDS@/$(depends "$package")/" \
            -e "s/@GPU_CODE@/$gpu_code/" >"$root/DEBIAN/control"
    dpkg-deb --root-owner-group -Zxz --build "$root" "$folder/${package}_${version}_$architecture.deb" >/dev/null
    echo "make: $folder/${package}_${version}_$architecture.deb ($(du -h "$folder/${package}_${version}_$architecture.deb" | cut -f 1))"
}

finish gridutils
finish gridutils-simcc
