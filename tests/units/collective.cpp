// SPDX-License-Identifier: MIT
// Compares collective's operations and references with results computed by hand. Prints each broken promise and exits
// 1; tests/collective.bats compiles and runs it.
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "common/gang/operations.hpp"
#include "tools/collective/reference.hpp"

static int broken = 0;

static void promise(bool kept, const std::string& what) {
    if (!kept) std::printf("broken: %s\n", what.c_str()), ++broken;
}

using Numbers = std::vector<long long>;

// The result of rank `me` from the inputs of all ranks, each with `ranks` shares of `share` elements. (A sum of integers.)
static Numbers by_hand(const CollectiveShape& shape, const std::vector<Numbers>& inputs, std::size_t me) {
    const std::size_t share = shape.share();
    Numbers sums(inputs[0].size()), result;
    for (const Numbers& input : inputs)
        for (std::size_t i = 0; i < input.size(); ++i) sums[i] += input[i];
    const auto append = [&](const Numbers& from, std::size_t first, std::size_t count) {
        result.insert(result.end(), from.begin() + long(first), from.begin() + long(first + count));
    };
    switch (shape.operation) {
        case Collective::all_reduce:
        case Collective::reduce: append(sums, 0, shape.n); break;
        case Collective::reduce_scatter: append(sums, me * share, share); break;
        case Collective::all_gather:
            for (const Numbers& input : inputs) append(input, 0, share);
            break;
        case Collective::broadcast: append(inputs[shape.root], 0, shape.n); break;
        case Collective::all_to_all:
            for (const Numbers& input : inputs) append(input, me * share, share);
            break;
        case Collective::ring: append(inputs[me == 0 ? shape.ranks - 1 : me - 1], 0, shape.n); break;
    }
    return result;
}

static void every_operation_is_what_it_is_by_hand() {
    const Reference<std::int64_t> reference(42, Reduction::sum, -1);
    for (int operation = 0; operation <= int(Collective::ring); ++operation)
        for (std::size_t ranks : {1, 2, 3, 5})
            for (std::size_t n : {1, 2, 7, 30}) {
                const CollectiveShape shape = {Collective(operation), n, ranks, ranks - 1};
                std::vector<Numbers> inputs(ranks);
                for (std::size_t r = 0; r < ranks; ++r)
                    for (std::size_t i = 0; i < shape.total(); ++i) inputs[r].push_back(reference.input(r, i));
                for (std::size_t me = 0; me < ranks; ++me) {
                    const Numbers wanted = by_hand(shape, inputs, me);
                    std::vector<std::int64_t> got(wanted.begin(), wanted.end());
                    const std::string where = text("operation {}, {} ranks, n = {}, rank {}", operation, ranks, n, me);
                    promise(got.size() == shape.received(), where + ": as many elements");
                    promise(reference.compare(shape, me, got.data(), 0, got.size()).right, where + ": the same");
                    got.back() += 1;
                    const Verdict wrong = reference.compare(shape, me, got.data(), 0, got.size());
                    promise(!wrong.right, where + ": a wrong last element");
                    const std::string place = text("element {}:", got.size() - 1);
                    promise(wrong.detail.rfind(place, 0) == 0, where + ": " + wrong.detail);
                }
            }
}

// Adding in the element's own type rounds each time; losing or doubling a rank's input gives a larger error.
template <typename T>
static void rounding_passes_and_a_lost_rank_does_not(const char* name) {
    for (const Reduction reduction : {Reduction::sum, Reduction::average}) {
        const Reference<T> reference(42, reduction, -1);
        for (std::size_t ranks : {2, 3, 5, 8}) {
            const CollectiveShape shape = {Collective::all_reduce, 1000, ranks};
            std::vector<T> rounded(shape.n), lost(shape.n);
            std::size_t passed = 0;
            for (std::size_t i = 0; i < shape.n; ++i) {
                const float divisor = reduction == Reduction::average ? float(ranks) : 1;
                T total = T(float(reference.input(0, i)) / divisor);
                for (std::size_t r = 1; r < ranks; ++r) {
                    if (r + 1 == ranks) lost[i] = total;
                    total = T(float(total) + float(T(float(reference.input(r, i)) / divisor)));
                }
                rounded[i] = total;
                passed += reference.compare(shape, 0, &lost[i], i, 1).right;
            }
            promise(reference.compare(shape, 1, rounded.data(), 0, shape.n).right,
                    text("{}, {} ranks: rounded sums pass", name, ranks));
            promise(passed < shape.n / 4,
                    text("{}, {} ranks: {} of 1000 sums without the last rank pass", name, ranks, passed));
        }
    }
}

static void bandwidths_are_those_of_nccl_tests() {
    const auto factor = [](Collective operation, std::size_t ranks) {
        return CollectiveShape{operation, 100, ranks}.bus_factor();
    };
    promise(factor(Collective::all_reduce, 2) == 1 && factor(Collective::all_reduce, 4) == 1.5, "all-reduce");
    for (const Collective one : {Collective::reduce_scatter, Collective::all_gather, Collective::all_to_all})
        promise(factor(one, 2) == 0.5 && factor(one, 8) == 0.875, "shares");
    for (const Collective one : {Collective::broadcast, Collective::reduce, Collective::ring})
        promise(factor(one, 2) == 1 && factor(one, 8) == 1 && factor(one, 1) == 0, "whole buffers");
    const CollectiveShape uneven = {Collective::all_to_all, 7, 3};
    promise(uneven.share() == 3 && uneven.total() == 9 && uneven.own_share(2) == 6, "shares are rounded up");
    promise((CollectiveShape{Collective::all_gather, 0, 3}.total() == 0), "nothing remains nothing");
}

int main() {
    every_operation_is_what_it_is_by_hand();
    rounding_passes_and_a_lost_rank_does_not<Half>("f16");
    rounding_passes_and_a_lost_rank_does_not<BFloat16>("bf16");
    rounding_passes_and_a_lost_rank_does_not<float>("f32");
    bandwidths_are_those_of_nccl_tests();
    return broken > 0;
}
