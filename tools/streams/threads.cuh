// SPDX-License-Identifier: MIT
// Host threads that exist before they are needed, so that their creation is not part of what is timed.
#pragma once

#include <cuda_runtime.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "common/cuda/check.cuh"

namespace BACKEND {

class HostThreads {
public:
    // They use the device that is current here.
    explicit HostThreads(size_t count) {
        int device = 0;
        CHECK(cudaGetDevice(&device));
        try {
            for (size_t i = 0; i < count; ++i) threads_.emplace_back([this, i, device] { serve(i, device); });
        } catch (...) {
            end();  // the system has no more threads for this process
            throw;
        }
    }
    ~HostThreads() { end(); }
    HostThreads(const HostThreads&) = delete;
    HostThreads& operator=(const HostThreads&) = delete;

    // Calls work(i) in thread i, in all at the same time; returns, or throws the first failure, when all have ended.
    void run(const std::function<void(size_t)>& work) {
        std::unique_lock<std::mutex> lock(mutex_);
        work_ = &work;
        failure_ = nullptr;
        running_ = threads_.size();
        ++round_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return running_ == 0; });
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    void end() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            ending_ = true;
        }
        changed_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

    void serve(size_t i, int device) {
        std::unique_lock<std::mutex> lock(mutex_);
        for (size_t served = 0;; ++served) {
            changed_.wait(lock, [&] { return ending_ || round_ > served; });
            if (ending_) return;
            lock.unlock();
            std::exception_ptr failure;
            try {
                CHECK(cudaSetDevice(device));
                (*work_)(i);
            } catch (...) {
                failure = std::current_exception();
            }
            lock.lock();
            if (failure && !failure_) failure_ = failure;
            if (--running_ == 0) changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const std::function<void(size_t)>* work_ = nullptr;
    std::exception_ptr failure_;
    size_t round_ = 0, running_ = 0;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace BACKEND
