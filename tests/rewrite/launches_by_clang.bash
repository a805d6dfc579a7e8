#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# launches_by_clang.bash FILE: prints file, line and column of each kernel call that clang sees in the preprocessed CUDA
# source FILE, sorted. (Most of what it complains about are device functions of headers that have no qualifiers: its
# tree of the program is whole nevertheless.)
set -u
words=(-D__global__='__attribute__((global))' -D__device__='__attribute__((device))' -D__host__='__attribute__((host))'
    -D__constant__= -D__managed__= -D__grid_constant__=)
{ echo '#pragma clang force_cuda_host_device begin'; cat "$1"; } >"$1.clang"
clang++ -x cuda -std=c++17 -nocudainc -nocudalib --cuda-host-only -fsyntax-only -w -ferror-limit=0 "${words[@]}" \
    -Xclang -ast-dump "$1.clang" 2>/dev/null | perl -ne '
    # A place names only what differs from the place before it in the dump: file:line:column, line:3:5 or col:5.
    sub place {
        my ($text) = @_;
        if ($text =~ /^line:(\d+):(\d+)$/) { ($line, $column) = ($1, $2) }
        elsif ($text =~ /^col:(\d+)$/) { $column = $1 }
        elsif ($text =~ /^(.+):(\d+):(\d+)$/) { ($file, $line, $column) = ($1, $2, $3) }
        return "$file:$line:$column";
    }
    /^[\s|`-]*(\w+)(?: 0x[0-9a-f]+)?(?: (?:parent|prev) 0x[0-9a-f]+)* <((?:<[^>]*>|[^<>])*)>(?: (\S+:\d+))?/ or next;
    my ($kind, $range, $name) = ($1, $2, $3);
    my ($begin, $end) = split /, /, $range;
    $begin = place($begin);
    place($end) if defined $end;
    place($name) if defined $name;
    print "$begin\n" if $kind eq "CUDAKernelCallExpr"' | sort -u
