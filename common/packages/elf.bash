# SPDX-License-Identifier: MIT
# What packages need to know about programs and shared libraries.
# shellcheck shell=bash

# The programs and shared libraries below FOLDER.
elf_files() {
    local file
    find "$1" -type f \( -path '*/bin/*' -o -name '*.so*' \) | sort | while read -r file; do
        [ "$(head -c 4 "$file" | tr -d '\177')" != ELF ] || echo "$file"
    done
}

# Copies the library fmt into lib/gridutils, where programs look first. Its name has the version of its interface, which
# is another in each release of Debian, and a Python environment has none.
bundle_fmt() {
    local prefix=$1 library elsewhere
    for library in $(elf_files "$prefix" | xargs -r ldd | sed -n -E 's/^\s*libfmt\.so\S* => (\S+) .*/\1/p' | sort -u); do
        [[ $library = "$prefix"/* ]] || install -m 644 "$library" "$prefix/lib/gridutils/$(basename "$library")"
    done
    elsewhere=$(elf_files "$prefix" | xargs -r env -u LD_LIBRARY_PATH ldd | grep libfmt | grep -v -F "$prefix" | sort -u || true)
    [ -z "$elsewhere" ] || { echo "make: programs do not find the library fmt in lib/gridutils: $elsewhere" >&2 && return 1; }
}
