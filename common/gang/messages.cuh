// SPDX-License-Identifier: MIT
// Messages between the ranks of a gang, which NCCL sends while the devices compute.
#pragma once

#include <memory>
#include <vector>

#include "common/gang/devices.cuh"

namespace BACKEND {

// A second stream for each rank, for its messages. It and the stream of the rank's work wait for each other only where
// they are told to. All messages share one communicator, so they start in the order in which they are enqueued.
class Messages {
public:
    // Throws Failure(unavailable) if NCCL is missing.
    explicit Messages(Gang& gang) : gang_(gang), communicators_(gang.communicators()), sides_(gang.size()) {
        gang.on_each([&](size_t rank) { sides_[rank] = std::make_unique<Side>(); });
    }

    // The rank's stream of messages.
    cudaStream_t stream(size_t rank) const { return sides_[rank]->stream; }

    // Messages enqueued from now on wait for the work that the rank has enqueued so far; and vice versa.
    void wait_for_work(size_t rank) const { wait(sides_[rank]->worked, gang_.stream(rank), stream(rank)); }
    void let_work_wait(size_t rank) const { wait(sides_[rank]->arrived, stream(rank), gang_.stream(rank)); }

    // Calls enqueue(rank) for each of this process's ranks. The messages that it sends and receives are one operation.
    // Those from one rank to another arrive in the order in which they are sent.
    template <typename Enqueue>
    void exchange(Enqueue enqueue) const {
        gang_.nccl().group([&] { gang_.on_each(enqueue); });
    }
    // For use in exchange(). A message of 0 elements is not sent; sender and receiver both know that.
    template <typename T>
    void send(size_t rank, const T* d_elements, size_t count, size_t to) const {
        if (count == 0) return;
        const Nccl& nccl = gang_.nccl();
        nccl.expect(nccl.send(d_elements, count * sizeof(T), ncclInt8, int(to), communicators_[rank], stream(rank)),
                    "ncclSend", communicators_[rank]);
    }
    template <typename T>
    void receive(size_t rank, T* d_elements, size_t count, size_t from) const {
        if (count == 0) return;
        const Nccl& nccl = gang_.nccl();
        nccl.expect(
            nccl.receive(d_elements, count * sizeof(T), ncclInt8, int(from), communicators_[rank], stream(rank)),
            "ncclRecv", communicators_[rank]);
    }

private:
    struct Side {
        Stream stream = message_stream();
        Event worked = Event(cudaEventDisableTiming), arrived = Event(cudaEventDisableTiming);
    };

    static void wait(const Event& event, cudaStream_t earlier, cudaStream_t later) {
        event.record(earlier);
        CHECK(cudaStreamWaitEvent(later, event, 0));
    }

    Gang& gang_;
    const Communicators& communicators_;
    std::vector<std::unique_ptr<Side>> sides_;
};

}  // namespace BACKEND
