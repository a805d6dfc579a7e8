// SPDX-License-Identifier: MIT
// For machines without libFuzzer: runs a target on every seed, then for a while on mutations of them.
//     driver TARGET SECONDS FIRST_SEED FILE...
// Mutation number i depends on FIRST_SEED and i alone. The input in hand lies in the file that FUZZ_INPUT names
// (default fuzz-input), so that after a crash it is there. SECONDS 0 only replays.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.hpp"

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

std::string read_file(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        std::fprintf(stderr, "fuzz: %s cannot be read\n", path);
        std::exit(2);
    }
    return {std::istreambuf_iterator<char>(file), {}};
}

// Bytes that readers take for something.
constexpr std::string_view significant = "\n\t ,:()[]{}<>'\"\\/*#%=+-.0123456789eExXkMGTi;";

// One change of a kind that finds much: bytes flipped, removed, doubled, put in, or taken from another seed.
void mutate(std::string& input, const std::vector<std::string>& seeds, Random& random) {
    const std::size_t at = below(random, input.size() + 1), length = below(random, 1 + below(random, 64));
    switch (below(random, 8)) {
        case 0:
            if (at < input.size()) input[at] ^= static_cast<char>(1 << below(random, 8));
            break;
        case 1:
            if (at < input.size()) input[at] = static_cast<char>(random());
            break;
        case 2: input.erase(at, length); break;
        case 3: input.insert(at, 1, significant[below(random, significant.size())]); break;
        case 4: input.insert(at, input.substr(below(random, input.size() + 1), length)); break;
        case 5:
            if (at < input.size()) input[at] = significant[below(random, significant.size())];
            break;
        case 6: input.insert(at, std::to_string(random() >> below(random, 64))); break;
        default: {
            const std::string& other = seeds[below(random, seeds.size())];
            input.insert(at, other.substr(below(random, other.size() + 1), 4 * length));
        }
    }
}

void run_logged(const Target& target, const std::string& input, const char* log) {
    std::ofstream(log, std::ios::binary) << input;
    target.run(input);
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 5) {
        std::fputs("Usage: driver TARGET SECONDS FIRST_SEED FILE...\n", stderr);
        return 2;
    }
    const Target& target = find_target(arguments[1]);
    const double seconds = std::atof(arguments[2]);
    const std::uint64_t first_seed = std::strtoull(arguments[3], nullptr, 10);
    const char* const log = std::getenv("FUZZ_INPUT") ? std::getenv("FUZZ_INPUT") : "fuzz-input";
    constexpr std::size_t largest_input = 1 << 16;
    if (!std::freopen("/dev/null", "w", stdout)) return 2;  // what --help prints

    std::vector<std::string> seeds;
    for (int i = 4; i < count; ++i) {
        seeds.push_back(read_file(arguments[i]));
        run_logged(target, seeds.back(), log);
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    std::uint64_t runs = 0;
    for (; passed() < seconds; ++runs) {
        Random random(first_seed + runs);
        std::string input = seeds[below(random, seeds.size())];
        for (std::size_t changes = 1 + below(random, 8); changes > 0; --changes) mutate(input, seeds, random);
        input.resize(std::min(input.size(), largest_input));
        run_logged(target, input, log);
    }
    std::remove(log);
    std::fprintf(stderr, "%s: %zu seeds, %llu mutations\n", target.name, seeds.size(),
                 static_cast<unsigned long long>(runs));
}
