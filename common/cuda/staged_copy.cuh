// Copies between pageable host memory and the device by way of pinned memory and several host threads: while the copy
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

// The least size whose copy is worth the pinning of slots and the waking of threads, for a program that copies a few
// times. (`transfer --break-even` measures it without the pinning.)
constexpr std::size_t staged_from_bytes = std::size_t{8} << 20;

struct StagedSettings {
    unsigned threads = 0;                                // that move bytes on the host; 0: of each core one, 2 to 8
    std::size_t slot_bytes = std::size_t{2} << 20;       // of which every thread has two
    std::size_t direct_below_bytes = staged_from_bytes;  // smaller copies are cudaMemcpy's
};

// Copies on the device that is the current one when it is made. Slots and threads are made for the first copy that is
// large enough, and stay; where there is no pinned memory or no thread to be had, cudaMemcpy copies. Both copies are
// ordered as cudaMemcpy is: after what the default stream has been given, and complete when they return. One copy at a
// time.
class StagedCopier {
public:
    explicit StagedCopier(const StagedSettings& settings = {});
    ~StagedCopier();
    StagedCopier(const StagedCopier&) = delete;
    StagedCopier& operator=(const StagedCopier&) = delete;

    void to_device(void* device, const void* host, std::size_t bytes);
    void to_host(void* host, const void* device, std::size_t bytes);

    // Makes slots and threads now; false if there were none to be had.
    bool prepare();
    // How many threads took part in the last copy; 0: it was cudaMemcpy's.
    unsigned threads_used() const { return threads_used_; }

private:
    struct Slot {
        PinnedBuffer<unsigned char> memory;
        Event copied{cudaEventDisableTiming};
        bool in_flight = false;
    };
    // What a thread works with.
    struct Lane {
        Lane(std::size_t slot_bytes);
        Slot slots[2];
        Stream stream;
    };
    // A copy: the threads take chunks of it until there are no more.
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
    std::vector<std::unique_ptr<Lane>> lanes_;  // the first one is the caller's; none: cudaMemcpy copies
    std::vector<std::thread> threads_;

    Copy copy_;
    std::atomic<std::size_t> next_{0};  // the first byte that nobody has taken
    std::mutex mutex_;
    std::condition_variable copy_came_, copy_ended_;
    std::size_t copies_ = 0, working_ = 0;
    bool stopping_ = false;
    std::exception_ptr failure_;
};

}  // namespace BACKEND
