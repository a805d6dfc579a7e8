// SPDX-License-Identifier: MIT
#include "common/cuda/staged_copy.cuh"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <new>
#include <system_error>

#include "common/io/machine.hpp"

namespace BACKEND {

// Smaller chunks cost more in calls than they gain from being spread over threads.
constexpr std::size_t smallest_chunk_bytes = std::size_t{256} << 10;

// Beyond eight threads the bus is the limit; even on one core, two overlap a wait and a copy.
static unsigned wanted_threads(const StagedSettings& settings) {
    return settings.threads > 0 ? settings.threads : std::clamp(usable_cores(), 2u, 8u);
}

#ifdef __SIMCC__
static std::size_t own_threads() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// For a moment after a thread was joined, the system still counts it against the process limit.
static void wait_until_gone(std::size_t threads_before) {
    for (int i = 0; i < 1000 && own_threads() > threads_before; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// The simulator runs each stream and the parts of a launch in its own threads, and ends the program if it cannot start
// one: leave enough for it. Throws std::system_error if `count` threads cannot be started.
static void expect_threads(std::size_t count) {
    const std::size_t before = own_threads();
    std::vector<std::thread> threads;
    std::mutex until_all_are_there;
    std::exception_ptr failure;
    {
        const std::lock_guard hold(until_all_are_there);
        try {
            for (std::size_t i = 0; i < count; ++i)
                threads.emplace_back([&] { const std::lock_guard wait(until_all_are_there); });
        } catch (const std::system_error&) {
            failure = std::current_exception();
        }
    }
    for (std::thread& thread : threads) thread.join();
    wait_until_gone(before);
    if (failure) std::rethrow_exception(failure);
}
// One for each of our streams, two per core for launches, and a few that watch and signal.
static std::size_t threads_of_simulator(std::size_t lanes) { return lanes + 2 * usable_cores() + 4; }
#else
static void expect_threads(std::size_t) {}
static std::size_t threads_of_simulator(std::size_t) { return 0; }
#endif

// (Blocking streams: their work is ordered after the default stream's, as cudaMemcpy's is.)
StagedCopier::Lane::Lane(std::size_t slot_bytes) : stream(cudaStreamDefault) {
    for (Slot& slot : slots) slot.memory = PinnedBuffer<unsigned char>(slot_bytes);
}

StagedCopier::StagedCopier(const StagedSettings& settings) : settings_(settings) { CHECK(cudaGetDevice(&device_)); }

StagedCopier::~StagedCopier() { stop_threads(); }

bool StagedCopier::prepare() {
    if (prepared_) return !lanes_.empty();
    prepared_ = true;
    try {
        make_lanes_and_threads();
    } catch (const Failure&) {  // no pinned memory: pageable memory will do
        lanes_.clear();
        static_cast<void>(cudaGetLastError());
    } catch (const std::bad_alloc&) {
        lanes_.clear();
    } catch (const std::system_error&) {
        stop_threads();
        lanes_.clear();
    }
    return !lanes_.empty();
}

void StagedCopier::make_lanes_and_threads() {
    const unsigned count = wanted_threads(settings_);
    expect_threads(count + threads_of_simulator(count));
    for (unsigned i = 0; i < count; ++i) lanes_.push_back(std::make_unique<Lane>(settings_.slot_bytes));
    for (unsigned i = 1; i < count; ++i) threads_.emplace_back([this, i] { serve(i); });
}

void StagedCopier::stop_threads() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    copy_came_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
}

bool StagedCopier::stages(std::size_t bytes) {
    threads_used_ = 0;
    return bytes > 0 && bytes >= settings_.direct_below_bytes && prepare();
}

void StagedCopier::to_device(void* device, const void* host, std::size_t bytes) {
    if (!stages(bytes)) {
        copy_to_device(device, host, bytes);
        return;
    }
    auto* const source = const_cast<unsigned char*>(static_cast<const unsigned char*>(host));
    run({static_cast<unsigned char*>(device), source, bytes, 0, true});
}

void StagedCopier::to_host(void* host, const void* device, std::size_t bytes) {
    if (!stages(bytes)) {
        CHECK(cudaMemcpy(host, device, bytes, cudaMemcpyDeviceToHost));
        return;
    }
    auto* const source = const_cast<unsigned char*>(static_cast<const unsigned char*>(device));
    run({source, static_cast<unsigned char*>(host), bytes, 0, false});
}

// Even in a small copy, every thread gets two chunks, so that filling and copying overlap. Chunks are whole pages.
void StagedCopier::run(const Copy& copy) {
    constexpr std::size_t page_bytes = 4096;
    const std::size_t shared_out = (copy.bytes / (2 * lanes_.size()) / page_bytes + 1) * page_bytes;
    {
        const std::lock_guard lock(mutex_);
        copy_ = copy;
        copy_.chunk_bytes = std::min(std::max(shared_out, smallest_chunk_bytes), settings_.slot_bytes);
        next_ = 0;
        failure_ = nullptr;
        working_ = threads_.size();
        ++copies_;
    }
    copy_came_.notify_all();
    work_in(*lanes_.front());
    std::unique_lock lock(mutex_);
    copy_ended_.wait(lock, [this] { return working_ == 0; });
    threads_used_ = static_cast<unsigned>(lanes_.size());
    if (failure_) std::rethrow_exception(failure_);
}

void StagedCopier::serve(std::size_t lane) {
    std::size_t copies_done = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            copy_came_.wait(lock, [&] { return stopping_ || copies_ > copies_done; });
            if (stopping_) return;
            copies_done = copies_;
        }
        work_in(*lanes_[lane]);
        const std::lock_guard lock(mutex_);
        if (--working_ == 0) copy_ended_.notify_all();
    }
}

// The first failure ends the copy in all threads; run() throws it to the caller.
void StagedCopier::work_in(Lane& lane) {
    try {
        CHECK(cudaSetDevice(device_));
        if (copy_.upload) upload_in(lane);
        else download_in(lane);
    } catch (...) {
        next_ = copy_.bytes;
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
    }
}

StagedCopier::Chunk StagedCopier::next_chunk() {
    if (next_ >= copy_.bytes) return {};
    const std::size_t begin = next_.fetch_add(copy_.chunk_bytes);
    if (begin >= copy_.bytes) return {};
    return {begin, std::min(copy_.chunk_bytes, copy_.bytes - begin)};
}

// A slot is refilled once the copy engine has read it.
void StagedCopier::upload_in(Lane& lane) {
    for (std::size_t k = 0;; ++k) {
        const Chunk chunk = next_chunk();
        if (chunk.bytes == 0) break;
        Slot& slot = lane.slots[k % 2];
        if (slot.in_flight) slot.copied.synchronize();
        std::memcpy(slot.memory.data(), copy_.host + chunk.begin, chunk.bytes);
        CHECK(cudaMemcpyAsync(copy_.device + chunk.begin, slot.memory.data(), chunk.bytes, cudaMemcpyHostToDevice,
                              lane.stream));
        slot.copied.record(lane.stream);
        slot.in_flight = true;
    }
    lane.stream.synchronize();
    for (Slot& slot : lane.slots) slot.in_flight = false;
}

// While the copy engine fills one slot, the thread empties the other.
void StagedCopier::download_in(Lane& lane) {
    Chunk before;
    for (std::size_t k = 0;; ++k) {
        const Chunk chunk = next_chunk();
        if (chunk.bytes > 0) {
            const Slot& slot = lane.slots[k % 2];
            CHECK(cudaMemcpyAsync(slot.memory.data(), copy_.device + chunk.begin, chunk.bytes, cudaMemcpyDeviceToHost,
                                  lane.stream));
            slot.copied.record(lane.stream);
        }
        if (before.bytes > 0) {
            const Slot& slot = lane.slots[(k + 1) % 2];
            slot.copied.synchronize();
            std::memcpy(copy_.host + before.begin, slot.memory.data(), before.bytes);
        }
        if (chunk.bytes == 0) break;
        before = chunk;
    }
}

}  // namespace BACKEND
