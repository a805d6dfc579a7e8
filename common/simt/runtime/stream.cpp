// SPDX-License-Identifier: MIT
#include "common/simt/runtime/stream.hpp"

#include <chrono>
#include <utility>

#include "common/simt/exec/machine.hpp"
#include "common/simt/exec/spin.hpp"
#include "common/simt/runtime/device.hpp"

namespace simt {
namespace {

thread_local bool inside = false;  // whether a host function is running

uint64_t next_stream_id() {
    static std::atomic<uint64_t> id{0};
    return ++id;
}

}  // namespace

bool Ticket::done() const { return !stream || stream->done(sequence); }

void Ticket::wait() const {
    if (stream) stream->wait(sequence);
}

bool Ticket::host_sees_done() const {
    if (!done()) return false;
    events().host_waited(note);
    return true;
}

void Ticket::host_waits() const {
    wait();
    events().host_waited(note);
}

Work host_function(std::function<void()> function) {
    return [function = std::move(function)] {
        events().host_function_began();
        inside = true;
        function();
        inside = false;
        return 0;
    };
}

bool inside_host_function() { return inside; }

Stream::Stream(Device& device, Kind kind, unsigned flags, int priority)
    : device_(device), kind_(kind), flags_(flags), priority_(priority), id_(next_stream_id()) {}

bool Stream::blocking() const {
    constexpr unsigned non_blocking = 1;  // cudaStreamNonBlocking
    return kind_ != Kind::legacy_default && !(flags_ & non_blocking);
}

Ticket Stream::submit(Work work, std::vector<Ticket> after, Start start, const std::vector<ClientNote>& ordered_after) {
    std::unique_lock lock = locked_soon(mutex_);
    const bool idle = queue_.empty() && !running_ && after.empty();
    const ClientNote note = events().operation_submitted(id_, last_sequence() + 1, last_note_, ordered_after);
    queue_.push_back({std::move(work), std::move(after), note});
    last_note_ = note;
    const uint64_t sequence = submitted_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (start == Start::at_once_if_idle && idle) {
        run_queue(lock, sequence);
    } else if (!is_waited_for(start) && !running_) {
        wake_thread();
    }
    return {shared_from_this(), sequence, note};
}

void Stream::wake_thread() {
    if (has_thread_) {
        work_came_.notify_one();
        return;
    }
    has_thread_ = true;
    // Detached: a process may end while a kernel runs, and must not wait for it.
    start_thread([self = shared_from_this()] { self->thread_main(); }).detach();
}

void Stream::thread_main() {
    std::unique_lock lock = locked_soon(mutex_);
    while (true) {
        // A program that launches one small kernel after the other soon has the next.
        const uint64_t last = last_sequence();
        lock.unlock();
        spin_until([&] { return last_sequence() != last; });
        lock_soon(lock);
        work_came_.wait(lock, [this] { return (!queue_.empty() && !running_) || (closed_ && queue_.empty()); });
        if (queue_.empty()) break;
        run_queue(lock, last_sequence());
    }
    has_thread_ = false;
}

// Runs tasks until the one with this sequence number has ended; false if another thread is running tasks.
bool Stream::run_queue(std::unique_lock<std::mutex>& lock, uint64_t until) {
    if (running_) return false;
    running_ = true;
    while (!queue_.empty() && !done(until)) {
        {
            Task task = std::move(queue_.front());
            queue_.pop_front();
            lock.unlock();
            run(task);
        }  // the task's captures are destroyed here, outside the lock: they may own streams
        lock_soon(lock);
        completed_.fetch_add(1, std::memory_order_release);
        task_ended_.notify_all();
    }
    running_ = false;
    if (!queue_.empty()) wake_thread();
    return true;
}

void Stream::run(Task& task) {
    for (const Ticket& ticket : task.after) ticket.wait();
    if (device_.broken()) return;  // as on a GPU: nothing runs after an illegal access
    events().operation_began(task.note);
    if (const int error = task.work()) device_.fail(error);
    events().operation_ended();
}

void Stream::wait(uint64_t sequence) {
    if (done(sequence)) return;
    std::unique_lock lock = locked_soon(mutex_);
    while (!done(sequence)) {
        if (run_queue(lock, sequence)) continue;
        lock.unlock();
        const bool ended = spin_until([&] { return done(sequence); });
        lock_soon(lock);
        if (!ended) task_ended_.wait(lock, [&] { return done(sequence) || !running_; });
    }
}

ClientNote Stream::last_note() const {
    if (!events().orders_operations) return nullptr;
    const std::lock_guard lock(mutex_);
    return last_note_;
}

void Stream::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    if (has_thread_) work_came_.notify_one();
}

std::shared_ptr<Capture> Stream::capture() const {
    const std::lock_guard lock(mutex_);
    return capture_;
}

void Stream::set_capture(std::shared_ptr<Capture> capture) {
    const std::lock_guard lock(mutex_);
    capture_ = std::move(capture);
}

bool Stream::closed() const {
    const std::lock_guard lock(mutex_);
    return closed_;
}

void Stream::discard() {
    std::deque<Task> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(queue_);
    completed_.fetch_add(dropped.size(), std::memory_order_release);
    task_ended_.notify_all();
}

// ---- events

Work stamp(std::shared_ptr<Recording> recording) {
    return [recording] {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        recording->nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
        return 0;
    };
}

}  // namespace simt
