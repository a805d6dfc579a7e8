// SPDX-License-Identifier: MIT
// Streams: queues of work that run in order, each on its own host thread.
//
// The thread starts with the first work that is not waited for at once. A thread that waits for a stream runs the queue
// itself if no other thread does, instead of sleeping: then a launch followed by a synchronization needs no thread
// switch. Tickets express the order between streams: a task may name tasks that must end before it starts.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "common/simt/runtime/events.hpp"

namespace simt {

class Device;
class Stream;
struct Capture;

/// One task of a stream: done when the stream has completed this many tasks.
struct Ticket {
    std::shared_ptr<Stream> stream;
    uint64_t sequence = 0;
    ClientNote note;  ///< of the operation

    bool done() const;
    void wait() const;
    /// The same, but also record that the host knows: whatever it does from now on comes after the task.
    bool host_sees_done() const;
    void host_waits() const;
};

/// What a stream runs. Returns a cudaError_t value; anything but 0 breaks the device.
using Work = std::function<int()>;

/// Who runs a task.
enum class Start {
    on_thread,        ///< the stream's thread, or the first thread that waits for it
    by_waiting,       ///< the caller, which must wait for it right away
    by_staging,       ///< the same, but the program may not conclude that the task has ended
    at_once_if_idle,  ///< the caller if the queue is empty, else as on_thread: for tasks shorter than a wake-up
};

inline bool is_waited_for(Start start) { return start == Start::by_waiting || start == Start::by_staging; }

class Stream : public std::enable_shared_from_this<Stream> {
public:
    enum class Kind { legacy_default, per_thread_default, created };

    Stream(Device& device, Kind kind, unsigned flags, int priority);
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;

    /// Appends work that starts when all of `after` have ended. The program has ordered it after the operations with
    /// the notes `ordered_after`, many of which may have ended already.
    Ticket submit(Work work, std::vector<Ticket> after, Start start, const std::vector<ClientNote>& ordered_after = {});

    bool done(uint64_t sequence) const { return completed_.load(std::memory_order_acquire) >= sequence; }
    void wait(uint64_t sequence);
    uint64_t last_sequence() const { return submitted_.load(std::memory_order_acquire); }
    Ticket last_ticket() { return {shared_from_this(), last_sequence(), last_note()}; }
    ClientNote last_note() const;

    /// No more work will come; the thread ends when the queue is empty.
    void close();
    bool closed() const;

    /// Drops work that has not started, at the end of the process: CUDA does not wait for it either.
    void discard();

    /// Whether the stream is ordered against the legacy default stream: not if created with cudaStreamNonBlocking.
    bool blocking() const;

    Device& device() const { return device_; }
    Kind kind() const { return kind_; }
    unsigned flags() const { return flags_; }
    int priority() const { return priority_; }
    uint64_t id() const { return id_; }

    /// Set while the stream records into a graph.
    std::shared_ptr<Capture> capture() const;
    void set_capture(std::shared_ptr<Capture> capture);
    bool capturing() const { return capture() != nullptr; }

private:
    struct Task {
        Work work;
        std::vector<Ticket> after;
        ClientNote note;
    };

    bool run_queue(std::unique_lock<std::mutex>& lock, uint64_t until);
    void run(Task& task);
    void wake_thread();
    void thread_main();

    Device& device_;
    const Kind kind_;
    const unsigned flags_;
    const int priority_;
    const uint64_t id_;

    mutable std::mutex mutex_;
    std::condition_variable work_came_, task_ended_;
    std::deque<Task> queue_;
    bool running_ = false;  // some thread is taking tasks from the queue
    bool has_thread_ = false;
    bool closed_ = false;
    std::shared_ptr<Capture> capture_;
    ClientNote last_note_;
    std::atomic<uint64_t> submitted_{0}, completed_{0};
};

/// Work that runs a function of the program. The function must not call the runtime API: inside_host_function() is true
/// on the thread while it runs.
Work host_function(std::function<void()> function);
bool inside_host_function();

// ---- events: the times at which a stream reaches them, by the host's clock

struct GraphNode;

/// One recording of an event. Recording again makes a new one; waits for the old one are unaffected.
struct Recording {
    Ticket ticket;
    std::atomic<int64_t> nanoseconds{0};  ///< of the steady clock, when the stream reached it
};

/// What the processes that share an event know of it: numbers of records, of which the last one counts.
struct SharedEvent {
    std::atomic<uint64_t> recorded{0}, reached{0};
};

struct Event {
    explicit Event(unsigned flags_, int device_) : flags(flags_), device(device_) {}

    const unsigned flags;
    const int device;

    std::mutex mutex;                      ///< guards the members below
    std::shared_ptr<Recording> recording;  ///< null until recorded
    std::shared_ptr<Capture> capture;      ///< set when the last recording was captured into a graph
    std::vector<GraphNode*> captured_after;

    std::shared_ptr<SharedEvent> shared;  ///< set before other threads know the event, or never
    uint64_t own_record = 0;              ///< the number of the last record by this process

    bool captured() {
        const std::lock_guard lock(mutex);
        return capture != nullptr;
    }
};

/// Work that stores the current time in a recording.
Work stamp(std::shared_ptr<Recording> recording);

}  // namespace simt
