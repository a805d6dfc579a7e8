#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# make dist: dist.bash VERSION FOLDER writes FOLDER/gridutils-VERSION.tar.xz, the files of the last commit. It builds
# without git, keeps the revision (.github/REVISION), and the same commit gives the same bytes. Without git, the files
# that are here are taken.
set -eu
cd "$(dirname "$0")/../.."
version=$1 folder=$2
name=gridutils-$version
archive=$folder/$name.tar.xz
rm -rf "${folder:?}/$name" && mkdir -p "$folder/$name"
if git rev-parse --git-dir >/dev/null 2>&1; then
    [ -z "$(git status --porcelain)" ] || echo "make: changes that are not committed are left out of the tarball" >&2
    git archive HEAD | tar -x -C "$folder/$name"
    time=$(git log -1 --format=%ct)
else
    find . -mindepth 1 -maxdepth 1 ! -name build ! -name bin -exec cp -R -p {} "$folder/$name" \;
    time=$(find . -path ./build -prune -o -type f -printf '%Ts\n' | sort -n | tail -n 1)
fi
tar --sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u+rwX,go=rX --mtime="@$time" \
    -C "$folder" -c "$name" | xz -9 >"$archive"
rm -rf "${folder:?}/$name"
echo "make: $archive ($(du -h "$archive" | cut -f 1))"
