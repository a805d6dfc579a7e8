// SPDX-License-Identifier: MIT
// What transfer's break-evens and comparisons promise. Prints each broken promise and exits 1;
// tests/transfer.bats compiles and runs it.
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "tools/transfer/break_even.hpp"
#include "tools/transfer/pattern.hpp"

static int broken = 0;

static void promise(bool kept, const char* what, const std::string& saw = "") {
    if (!kept) std::printf("broken: %s: %s\n", what, saw.c_str()), ++broken;
}

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

// A way that takes `start` nanoseconds and moves `rate` bytes per nanosecond, at five sizes from 64 KiB to 16 MiB.
static std::map<std::size_t, CopyCost> costs_of(double start, double rate, double allocate_per_byte = 0) {
    std::map<std::size_t, CopyCost> costs;
    for (std::size_t bytes = 64 * KiB; bytes <= 16 * MiB; bytes *= 4)
        costs[bytes] = {start + double(bytes) / rate, double(bytes) * allocate_per_byte};
    return costs;
}

static void sizes_from_which_a_way_pays() {
    CopyCosts costs;
    costs["pageable-h2d"] = costs_of(0, 10);
    costs["staged-h2d"] = costs_of(75'000, 40);  // equal at 1000000 bytes
    costs["pinned-h2d"] = costs_of(0, 50, 0.2);  // 0.02 + 0.2 ns a byte against 0.1: pays after three copies
    std::vector<BreakEven> found = find_break_evens(costs);
    promise(found.size() == 2, "one for each pair that was measured", std::to_string(found.size()));
    promise(found[0].from_bytes == MiB && found[0].largest_bytes == 16 * MiB, "the first size that is faster",
            std::to_string(found[0].from_bytes));
    promise(found[0].sentence() == "staged-h2d is faster than pageable-h2d from 1.0 MiB on: 3.39 times at 16.0 MiB.",
            "its sentence", found[0].sentence());
    promise(found[1].from_bytes == 0 && found[1].copies == 3, "copies that pay an allocation",
            std::to_string(found[1].copies));
    promise(found[1].sentence() ==
                "pinned-h2d pays its allocation after 3 copies of 16.0 MiB, and is then 5.00 times pageable-h2d.",
            "its sentence", found[1].sentence());
    // Cheap to allocate: every copy pays.
    costs["pinned-h2d"] = costs_of(0, 50, 0.01);
    found = find_break_evens(costs);
    promise(found[1].from_bytes == 64 * KiB && found[1].copies == 1, "an allocation that pays at once",
            found[1].sentence());
    promise(found[1].sentence() ==
                "pinned-h2d, allocation included, is faster than pageable-h2d from 64.0 KiB on: 3.33 "
                "times at 16.0 MiB.",
            "its sentence", found[1].sentence());
    // Faster at one size, but not at a larger one: the larger ones count.
    costs["staged-h2d"][64 * KiB].ns = 1;
    promise(find_break_evens(costs)[0].from_bytes == MiB, "a lucky small size does not count");
    costs["staged-h2d"][16 * MiB].ns = 1e12;
    found = find_break_evens(costs);
    promise(found[0].from_bytes == 0, "slower at the largest size is not faster", found[0].sentence());
    promise(found[0].sentence() == "staged-h2d is not faster than pageable-h2d at 16.0 MiB: 0.00 times.",
            "its sentence", found[0].sentence());
    // Nothing to compare.
    costs.erase("pageable-h2d");
    promise(find_break_evens(costs).empty(), "without the other there is none");
    promise(find_break_evens({{"staged-d2h", {{MiB, {1, 0}}}}, {"pageable-d2h", {{MiB, {2, 0}}}}}).empty(),
            "one size shows no break-even");
    promise(
        find_break_evens({{"staged-d2h", {{0, {1, 0}}, {MiB, {1, 0}}}}, {"pageable-d2h", {{0, {2, 0}}, {MiB, {2, 0}}}}})
            .empty(),
        "and no bytes are no size");
}

static void every_byte_is_compared() {
    for (std::size_t n : {0, 1, 7, 8, 9, 1000, 300'001}) {
        const Pattern pattern{42, 0}, flipped{42, ~std::uint64_t{0}}, other{43, 0};
        std::vector<unsigned char> bytes(n + 1, 0xee);
        pattern.write(bytes.data(), n);
        promise(bytes[n] == 0xee, "nothing is written beyond the end", std::to_string(n));
        promise(pattern.compare(bytes.data(), n).right, "what was written is right", std::to_string(n));
        promise(n == 0 || !other.compare(bytes.data(), n).right, "another seed's bytes are wrong", std::to_string(n));
        for (std::size_t place : {std::size_t{0}, n / 2, n - 1}) {
            if (place >= n) continue;
            bytes[place] ^= 1;
            const Verdict verdict = pattern.compare(bytes.data(), n);
            promise(!verdict.right && verdict.detail.find("byte " + std::to_string(place) + ": got ") == 0,
                    "one wrong bit anywhere is found", verdict.detail);
            bytes[place] ^= 1;
        }
        bool differ = true;
        std::vector<unsigned char> of_device(n + 1);
        flipped.write(of_device.data(), n);
        for (std::size_t i = 0; i < n; ++i) differ &= (bytes[i] ^ of_device[i]) == 0xff;
        promise(differ, "the device's bytes differ from the host's everywhere", std::to_string(n));
    }
}

int main() {
    sizes_from_which_a_way_pays();
    every_byte_is_compared();
    return broken > 0;
}
