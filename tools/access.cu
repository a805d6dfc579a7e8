// SPDX-License-Identifier: MIT
// access: which words a warp touches decides the bandwidth. Reads, writes or copies words in patterns.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/cuda/passes.hpp"
#include "tools/access/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <memory>
#include <numeric>

#include "common/cli/registration.cuh"
#include "common/measure/bench.cuh"
#include "tools/access/arrays.cuh"

namespace BACKEND {
namespace {

// One row of the table, before it is measured.
struct Access {
    const AccessVariant* variant;
    PatternShape shape;
    std::string operation_name;
    AccessOperation operation;
    unsigned unroll;
    AccessPattern pattern;

    size_t allocated_bytes() const { return pattern.allocated_words(unroll) * shape.word_bytes; }
};

size_t rounded_up(size_t number, size_t multiple) { return divide_up(number, multiple) * multiple; }

// The pattern on an array of at least `words` words. For random places each lane has a power of two of words to itself,
// enough that no two lanes share a sector.
AccessPattern pattern_on(const AccessVariant& variant, PatternShape shape, size_t words, unsigned unroll,
                         std::uint64_t seed) {
    AccessPattern pattern = variant.pattern(shape);
    pattern.tiles = rounded_up(divide_up(std::max<size_t>(words, 1), pattern.tile_words), unroll);
    // Multiplying permutes the tiles only if the multiplier and their number have no common divisor.
    while (std::gcd(pattern.tiles, size_t{pattern.tile_multiplier}) > 1) pattern.tiles += unroll;
    if (pattern.random_shift == 0) return pattern;
    size_t per_lane = sector_bytes;
    while (per_lane < pattern.tiles) per_lane *= 2;
    pattern.tiles = per_lane;
    pattern.random_shift = random_shift_for(per_lane);
    pattern.salt = static_cast<unsigned>(random_bits(seed, per_lane));
    return pattern;
}

// The cross product of the options: a block of rows per word, operation, unrolling and footprint.
std::vector<Access> accesses_of(const Session& session, size_t n) {
    const auto& options = session.own<AccessOptions>();
    std::vector<Access> all;
    const auto add = [&](const AccessVariant& variant, size_t word_bytes, const std::string& operation, size_t unroll,
                         size_t footprint, size_t value) {
        const PatternShape shape{unsigned(word_bytes), unsigned(value)};
        const AccessOperation kind = operation == "read"    ? AccessOperation::read
                                     : operation == "write" ? AccessOperation::write
                                                            : AccessOperation::copy;
        const size_t words = footprint > 0 ? footprint / word_bytes : n;
        all.push_back({&variant, shape, operation, kind, unsigned(unroll),
                       pattern_on(variant, shape, words, unsigned(unroll), session.options.seed)});
    };
    const std::vector<size_t> no_option = {0};
    for (size_t word_bytes : options.words)
        for (const std::string& operation : options.operations)
            for (size_t unroll : options.unrolls)
                for (size_t footprint : options.footprints)
                    for (const AccessVariant* variant : session.selected<AccessVariant>())
                        for (size_t value : variant->option == PatternOption::offset   ? options.offsets
                                            : variant->option == PatternOption::stride ? options.strides
                                                                                       : no_option)
                            add(*variant, word_bytes, operation, unroll, footprint, value);
    return all;
}

// ", stride 8": for messages.
std::string option_text(const Access& access) {
    switch (access.variant->option) {
        case PatternOption::offset: return text(", offset {}", access.shape.value);
        case PatternOption::stride: return text(", stride {}", access.shape.value);
        default: return "";
    }
}

class AccessCase final : public Case {
public:
    AccessCase(const Session& session, const Access& access, const AccessArrays& arrays, size_t n, size_t fetch_bytes)
        : Case(*access.variant, {std::nullopt, n, words(access, n) * access.shape.word_bytes, 0}),
          session_(session),
          access_(access),
          arrays_(arrays),
          fetch_bytes_(fetch_bytes) {}

    void poison(cudaStream_t stream) override { arrays_.poison(stream); }
    LaunchShape launch(cudaStream_t stream) override {
        return launched_ = access_launch(access_.shape.word_bytes, access_.unroll)(
                   access_.operation,
                   {arrays_.d_source(), arrays_.d_target(), arrays_.d_folds(), access_.pattern, problem.n,
                    session_.options.block, unsigned(session_.device.multiprocessors), stream});
    }
    Verdict check() override {
        Verdict verdict = check_words();
        verdict.detail = text("{} of words of {} bytes{}: {}", access_.operation_name, access_.shape.word_bytes,
                              option_text(access_), verdict.detail);
        return verdict;
    }
    std::vector<Cell> own_cells(double median_ns) override {
        const size_t footprint_bytes = access_.pattern.words() * access_.shape.word_bytes;
        return cells_of(
            access_columns,
            AccessCells{
                access_.variant, access_.shape, access_.operation_name.c_str(), access_.unroll, footprint_bytes,
                fetch_bytes_, words(access_, problem.n), median_ns, access_.pattern,
                access_.operation == AccessOperation::write ? sector_bytes : session_.options.checks.line_bytes});
    }

private:
    // A copy moves each word twice.
    static double words(const Access& access, size_t n) {
        return double(n) * (access.operation == AccessOperation::copy ? 2 : 1);
    }

    Verdict check_words() const {
        const unsigned word_bytes = access_.shape.word_bytes;
        if (access_.operation == AccessOperation::read)
            return arrays_.check_read(access_.pattern, word_bytes, problem.n, access_.unroll, launched_);
        if (access_.operation == AccessOperation::write)
            return arrays_.check_written(access_.pattern, word_bytes, problem.n, access_.unroll, written_part);
        return arrays_.check_written(
            access_.pattern, word_bytes, problem.n, access_.unroll,
            [&](size_t place, unsigned bytes, unsigned part) { return arrays_.source_part(place, bytes, part); });
    }

    const Session& session_;
    const Access& access_;
    const AccessArrays& arrays_;
    const size_t fetch_bytes_;
    LaunchShape launched_;
};

// Applies --fetch. Returns the most bytes that the L2 cache fetches on a miss; 0 in the simulator or if unknown.
size_t limit_fetches(const Session& session) {
    const size_t wanted = session.own<AccessOptions>().fetch;
    if (session.device.simulated) {
        if (wanted > 0) fail(Exit::unavailable, "--fetch needs a GPU: the simulator has no caches; leave it out");
        return 0;
    }
    size_t limit = 0;
    if (wanted > 0 && cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, wanted) != cudaSuccess)
        fail(Exit::unavailable, "--fetch {}: this GPU does not let fetches be limited; leave it out", wanted);
    if (cudaDeviceGetLimit(&limit, cudaLimitMaxL2FetchGranularity) != cudaSuccess) limit = 0;
    static_cast<void>(cudaGetLastError());  // older GPUs have no such limit
    return limit;
}

void run(Session& session) {
    const size_t fetch_bytes = limit_fetches(session);
    Bench bench(session);
    for (size_t n : session.sizes()) {
        const std::vector<Access> accesses = accesses_of(session, n);
        size_t source_bytes = 0, target_bytes = 0;
        for (const Access& access : accesses) {
            const size_t bytes = access.allocated_bytes();
            if (access.operation != AccessOperation::write) source_bytes = std::max(source_bytes, bytes);
            if (access.operation != AccessOperation::read) target_bytes = std::max(target_bytes, bytes);
        }
        session.begin_step(text("generating {} of random words", human_bytes(double(source_bytes))));
        constexpr size_t warps_per_multiprocessor = 64;
        const AccessArrays arrays(source_bytes, target_bytes,
                                  warps_per_multiprocessor * size_t(session.device.multiprocessors),
                                  session.options.seed);
        Cases cases;
        for (const Access& access : accesses)
            cases.push_back(std::make_unique<AccessCase>(session, access, arrays, n, fetch_bytes));
        bench.run(cases);
    }
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(access_program, run)
#endif
