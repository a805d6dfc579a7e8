#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a pass through the banks of shared memory costs on this machine's GPU. Goal: the cycles per pass are the same
# within 5 %, whatever the conflicts.
#     tests/measure/banks.bash [BIN]
# A row per operation and word: the median of the cycles per wavefront over all strides, tiles and swizzles, the least and
# the most, and whether all of them are within 5 % of it. Then the same for replays only: the extra cycles over a request
# without conflicts, per extra wavefront. Then the rows that differ from the median, and words of 8 and 16 bytes that all
# lanes read, which are limited by how fast registers are filled, not by the banks.
set -euo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
export PATH=${1:-$root/bin}:$PATH

banks -q -d gpu --stride 0:33 --word 1,2,4,8,16 --op read,write,atomic --csv |
    mlr --icsv --ocsv cut -o -f \
        p_op,p_word_bytes,p_wavefronts_per_request,p_cycles_per_request,kernel,p_stride,p_padding |
    tail -n +2 | sort -t , -k 1,1 -k 2,2n -k 3,3n -k 4,4n |
    awk -F , '
        function median(values, count,    i, j, swap) {
            for (i = 2; i <= count; ++i)
                for (j = i; j > 1 && values[j] < values[j - 1]; --j) {
                    swap = values[j]; values[j] = values[j - 1]; values[j - 1] = swap
                }
            return count % 2 ? values[(count + 1) / 2] : (values[count / 2] + values[count / 2 + 1]) / 2
        }
        function report(what, values, count,    middle) {
            if (count == 0) return 0
            middle = median(values, count)
            printf "%s %s %s %d %.3f %.3f %.3f %s\n", operation, word, what, count, middle, values[1], values[count],
                (values[1] < 0.95 * middle || values[count] > 1.05 * middle ? "no" : "yes")
            return middle
        }
        function finish(    i, middle) {
            if (rows == 0) return
            for (i = 1; i <= rows; ++i) each[i] = cycles[i] / passes[i]
            middle = report("wavefront", each, rows)
            for (i = 1; i <= rows; ++i) {
                if (cycles[i] / passes[i] < 0.95 * middle || cycles[i] / passes[i] > 1.05 * middle)
                    others[++other_count] = operation " " word " " name[i] " " passes[i] " " cycles[i] / passes[i]
            }
            replay_count = 0
            for (i = 1; i <= rows; ++i) {
                if (passes[i] > passes[1]) replays[++replay_count] = (cycles[i] - free) / (passes[i] - passes[1])
            }
            report("replay", replays, replay_count)
            rows = 0
        }
        BEGIN { print "op word of rows median least most within_5_percent" }
        $1 == "read" && $2 > 4 && $5 == "stride" && $6 == 0 {
            others[++other_count] = $1 " " $2 " " $5 ":" $6 ":" $7 " " $3 " " $4 / $3
            next
        }
        $1 != operation || $2 != word { finish(); operation = $1; word = $2 }
        {
            ++rows; passes[rows] = $3; cycles[rows] = $4; name[rows] = $5 ":" $6 ":" $7
            if ($3 == passes[1]) free = $4
        }
        END {
            finish()
            if (other_count) print "\nop word pattern:stride:padding wavefronts cycles_each"
            for (i = 1; i <= other_count; ++i) print others[i]
        }'
