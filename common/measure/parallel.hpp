// SPDX-License-Identifier: MIT
// Host work spread over all cores that the process may use, in contiguous shares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

// Larger generated inputs stay zero: where only a sample of blocks runs, to predict times, no result counts. By default
// none is so large.
std::size_t most_bytes_to_fill();
void fill_at_most(std::size_t bytes);  // before any work

// How many threads are worth starting for n elements.
std::size_t worker_count(std::size_t n);

// Where share i begins when n elements are split into `shares` whose sizes differ by at most one.
inline std::size_t share_begin(std::size_t n, std::size_t shares, std::size_t i) {
    return n / shares * i + std::min(i, n % shares);
}

// Calls work(i, begin, end) for every share i of [0, n), each in its own thread, all at once. If some throw, all others
// still end, and then the first exception is thrown again.
void run_shares(std::size_t n, std::size_t shares,
                const std::function<void(std::size_t i, std::size_t begin, std::size_t end)>& work);

// Calls work(begin, end) for disjoint shares that cover [0, n), all at once.
template <typename Work>
void parallel_for(std::size_t n, Work work) {
    run_shares(n, worker_count(n), [&](std::size_t, std::size_t begin, std::size_t end) { work(begin, end); });
}

// Combines work(begin, end) of every share, in the order of the shares: repeatable for a given number of cores.
template <typename Result, typename Work, typename Combine>
Result parallel_reduce(std::size_t n, Result identity, Work work, Combine combine) {
    std::vector<Result> partials(worker_count(n), identity);
    run_shares(n, partials.size(),
               [&](std::size_t i, std::size_t begin, std::size_t end) { partials[i] = work(begin, end); });
    Result result = identity;
    for (const Result& partial : partials) result = combine(result, partial);
    return result;
}
