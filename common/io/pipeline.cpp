// SPDX-License-Identifier: MIT
#include "common/io/pipeline.hpp"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace {

class RunningPipeline {
public:
    explicit RunningPipeline(const PipelineStages& stages) : stages_(stages) {}

    // The loop of one thread, which uses slots first to first + count - 1.
    void run(std::size_t first, std::size_t count) {
        for (std::size_t k = 0;; k = (k + 1) % count) {
            const std::size_t slot = first + k;
            std::exception_ptr failure;
            std::size_t part = 0;
            if (!take(slot, part, failure)) return;
            if (!failure) attempt(failure, [&] { stages_.work(slot); });
            if (!finish(slot, part, failure)) return;
        }
    }

    void rethrow_failure() const {
        if (failure_) std::rethrow_exception(failure_);
    }

private:
    template <typename Stage>
    static void attempt(std::exception_ptr& failure, Stage stage) {
        try {
            stage();
        } catch (...) {
            failure = std::current_exception();
        }
    }

    // A part that cannot be taken fails in its turn, and is the last.
    bool take(std::size_t slot, std::size_t& part, std::exception_ptr& failure) {
        const std::lock_guard lock(taking_);
        if (is_at_end_) return false;
        attempt(failure, [&] { is_at_end_ = !stages_.take(slot); });
        if (!failure && is_at_end_) return false;
        is_at_end_ |= failure != nullptr;
        part = taken_++;
        return true;
    }

    bool finish(std::size_t slot, std::size_t part, std::exception_ptr& failure) {
        std::unique_lock lock(finishing_);
        finished_one_.wait(lock, [&] { return finished_ == part || failure_; });
        if (failure_) return false;
        if (!failure) attempt(failure, [&] { stages_.finish(slot); });
        ++finished_;
        failure_ = failure;
        finished_one_.notify_all();
        return !failure;
    }

    const PipelineStages& stages_;
    std::mutex taking_;
    std::size_t taken_ = 0;
    bool is_at_end_ = false;
    std::mutex finishing_;
    std::condition_variable finished_one_;
    std::size_t finished_ = 0;
    std::exception_ptr failure_;
};

}  // namespace

void run_pipeline(const PipelineShape& shape, const PipelineStages& stages) {
    RunningPipeline pipeline(stages);
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < shape.threads; ++i) {
        try {
            others.emplace_back([&, i] { pipeline.run(i * shape.slots_per_thread, shape.slots_per_thread); });
        } catch (const std::system_error&) {
            break;
        }
    }
    pipeline.run(0, shape.slots_per_thread);
    for (std::thread& thread : others) thread.join();
    pipeline.rethrow_failure();
}
