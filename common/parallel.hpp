// Host work spread over all cores in contiguous shares.
#pragma once

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

// How many threads are worth starting for n elements.
inline std::size_t worker_count(std::size_t n) {
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    return std::clamp<std::size_t>(n / 32768, 1, cores);
}

// Calls work(begin, end) for disjoint shares that cover [0, n), at the same time.
template <typename Work>
void parallel_for(std::size_t n, Work work) {
    const std::size_t workers = worker_count(n);
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(work, n / workers * i, i + 1 == workers ? n : n / workers * (i + 1));
    work(std::size_t{0}, workers == 1 ? n : n / workers);
    for (std::thread& thread : threads) thread.join();
}

// Combines work(begin, end) of every share, in the order of the shares: repeatable for a given number of cores.
template <typename Result, typename Work, typename Combine>
Result parallel_reduce(std::size_t n, Result identity, Work work, Combine combine) {
    const std::size_t workers = worker_count(n);
    std::vector<Result> partials(workers, identity);
    const auto one = [&](std::size_t i) { partials[i] = work(n / workers * i, i + 1 == workers ? n : n / workers * (i + 1)); };
    std::vector<std::thread> threads;
    for (std::size_t i = 1; i < workers; ++i) threads.emplace_back(one, i);
    one(0);
    for (std::thread& thread : threads) thread.join();
    Result result = identity;
    for (const Result& partial : partials) result = combine(result, partial);
    return result;
}
