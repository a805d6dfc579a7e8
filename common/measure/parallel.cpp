// SPDX-License-Identifier: MIT
#include "common/measure/parallel.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "common/io/machine.hpp"

static std::size_t most_bytes = ~std::size_t{0};
std::size_t most_bytes_to_fill() { return most_bytes; }
void fill_at_most(std::size_t bytes) { most_bytes = bytes; }

std::size_t worker_count(std::size_t n) { return std::clamp<std::size_t>(n / 32768, 1, usable_cores()); }

// std::jthread, which libc++ 19 lacks.
struct JoinedThread : std::thread {
    using std::thread::thread;
    JoinedThread(JoinedThread&&) = default;
    ~JoinedThread() {
        if (joinable()) join();
    }
};

void run_shares(std::size_t n, std::size_t shares,
                const std::function<void(std::size_t, std::size_t, std::size_t)>& work) {
    std::mutex mutex;
    std::exception_ptr failure;  // the first one, of any share
    const auto one = [&](std::size_t i) {
        try {
            work(i, share_begin(n, shares, i), share_begin(n, shares, i + 1));
        } catch (...) {
            const std::lock_guard lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    {
        std::vector<JoinedThread> threads;
        threads.reserve(shares);
        for (std::size_t i = 1; i < shares; ++i) {
            try {
                threads.emplace_back(one, i);
            } catch (const std::system_error&) {
                one(i);  // the system has no more threads for this process
            }
        }
        one(0);
    }  // all shares are done
    if (failure) std::rethrow_exception(failure);
}
