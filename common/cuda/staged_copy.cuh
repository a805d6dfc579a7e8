// SPDX-License-Identifier: MIT
// Copies between pageable host memory and the device through pinned memory, by several host threads: while the copy
// engine works on some pinned slots, threads fill or empty the others. (cudaMemcpy does the same with one thread.)
#pragma once

#include <cuda_runtime.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "common/cuda/buffers.cuh"

namespace BACKEND {

// The smallest copy that is worth pinning slots and waking threads, for a program that makes a few copies.
// (`transfer --break-even` measures it without the pinning.)
constexpr std::size_t staged_from_bytes = std::size_t{8} << 20;

struct StagedSettings {
    unsigned threads = 0;                                // that move bytes on the host; 0: one per core, from 2 to 8
    std::size_t slot_bytes = std::size_t{2} << 20;       // each thread has two slots
    std::size_t direct_below_bytes = staged_from_bytes;  // cudaMemcpy makes smaller copies
};

// Copies to and from the device that is current at construction. The first copy that is large enough creates slots and
// threads, which stay; if pinned memory or threads are not available, cudaMemcpy copies. Both copies are ordered like
// cudaMemcpy: after earlier work in the default stream, and complete when they return. One copy at a time.
class StagedCopier {
public:
    explicit StagedCopier(const StagedSettings& settings = {});
    ~StagedCopier();
    StagedCopier(const StagedCopier&) = delete;
    StagedCopier& operator=(const StagedCopier&) = delete;

    void to_device(void* device, const void* host, std::size_t bytes);
    void to_host(void* host, const void* device, std::size_t bytes);

    // Creates slots and threads now; false if it could not.
    bool prepare();
    // How many threads took part in the last copy; 0 if cudaMemcpy made it.
    unsigned threads_used() const { return threads_used_; }

private:
    struct Slot {
        PinnedBuffer<unsigned char> memory;
        Event copied{cudaEventDisableTiming};
        bool in_flight = false;
    };
    // The slots and the stream of one thread.
    struct Lane {
        Lane(std::size_t slot_bytes);
        Slot slots[2];
        Stream stream;
    };
    // The threads take chunks of a copy until none are left.
    struct Copy {
        unsigned char* device = nullptr;
        unsigned char* host = nullptr;
        std::size_t bytes = 0, chunk_bytes = 0;
        bool upload = false;
    };
    struct Chunk {
        std::size_t begin = 0, bytes = 0;
    };

    bool stages(std::size_t bytes);
    void make_lanes_and_threads();
    void stop_threads();
    void run(const Copy& copy);
    void serve(std::size_t lane);
    void work_in(Lane& lane);
    Chunk next_chunk();
    void upload_in(Lane& lane);
    void download_in(Lane& lane);

    const StagedSettings settings_;
    int device_ = 0;
    bool prepared_ = false;
    unsigned threads_used_ = 0;
    std::vector<std::unique_ptr<Lane>> lanes_;  // the first one is the caller's; if there are none, cudaMemcpy copies
    std::vector<std::thread> threads_;

    Copy copy_;
    std::atomic<std::size_t> next_{0};  // the first byte that no thread has taken
    std::mutex mutex_;
    std::condition_variable copy_came_, copy_ended_;
    std::size_t copies_ = 0, working_ = 0;
    bool stopping_ = false;
    std::exception_ptr failure_;
};

}  // namespace BACKEND
