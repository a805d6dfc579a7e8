// What a filter adds its input up to, and how the input's pieces come to it: on the host or on the device, in a stream of
// which only a few slots are in memory.
#pragma once

#include <functional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/slots.cuh"
#include "common/io/numbers.hpp"
#include "common/io/pipeline.hpp"

namespace BACKEND {

// An accumulator takes pieces: consecutive elements of the input, all of one type, which is i32, i64, f32 or f64. A piece
// is reduced by itself, and what comes of it is added to the total in a second step, which runs in the order of the
// input and one at a time. Only the second step may change the accumulator, and a result that follows from the pieces
// and their order alone is the same with any number of threads. Pieces have 1 MiB on the host and 2^20 elements on the
// device, but the last one; pieces of text have as many numbers as 256 KiB of it. They are i64 until the first number that is
// none, and after it may be i64 again where all of a piece's numbers are.
class Accumulator {
public:
    using Add = std::function<void()>;

    virtual ~Accumulator() = default;

    // Reduces a piece by the calling thread, at the same time as others do, and returns the second step.
    virtual Add reduce_on_host(const Piece& piece) = 0;
    // Whether one core reduces faster than a pipe delivers: other threads would then only be in its way.
    virtual bool keeps_up_with_pipes() const { return true; }

    // Adds, as a part of the second step, what rounding to f64 took from whole numbers of a piece. By default f64 is all
    // that is asked for.
    virtual void add_lost(std::int64_t lost) { static_cast<void>(lost); }

    // Slots are numbers from 0 to `count` - 1: what an accumulator keeps for each of them, such as its results on the
    // device, is used by one piece at a time.
    virtual void use_slots(std::size_t count) = 0;
    // Makes of the piece on the host what the device is to get, at the same time as others do. By default that is the piece.
    // The slot's last piece may not have been added yet: the second step keeps for itself what it needs to know of it.
    virtual void prepare(std::size_t slot, Slot& host) { static_cast<void>(slot), static_cast<void>(host); }
    // Enqueues the reduction of a piece on the device: one at a time, in the order of the input. The second step is called
    // when all that was enqueued is complete, and before the slot's next piece.
    virtual Add reduce_on_device(std::size_t slot, const Piece& d_piece, cudaStream_t stream) = 0;
};

// Empty pieces tell nothing, and -t chooses a type for all.
inline bool has_numbers(const Session& session, Slot& slot) {
    if (session.options.dtype) slot.lost = 0;
    if (slot.piece.count > 0) slot.convert_piece(session.options.dtype.value_or(slot.piece.dtype));
    return slot.piece.count > 0;
}

inline void accumulate_on_host(const Session& session, NumberReader& reader, Accumulator& accumulator) {
    const size_t piece_elements = host_piece_bytes / size_of(reader.layout().dtype);
    PipelineShape shape;
    if (reader.is_slower_than_a_core() && accumulator.keeps_up_with_pipes()) shape.threads = 1;
    std::vector<Slot> slots(shape.slots());
    std::vector<Accumulator::Add> adds(shape.slots());
    const auto take = [&](size_t slot) { return reader.take(slots[slot], piece_elements, Cut::anywhere); };
    const auto work = [&](size_t slot) {
        reader.read(slots[slot]);
        adds[slot] = has_numbers(session, slots[slot]) ? accumulator.reduce_on_host(slots[slot].piece) : nullptr;
    };
    const auto finish = [&](size_t slot) {
        reader.settle(slots[slot]);
        if (!adds[slot]) return;
        adds[slot]();
        accumulator.add_lost(slots[slot].lost);
    };
    run_pipeline(shape, {take, work, finish});
}

// Threads fill pinned slots; each slot's copy and kernel follow each other in its stream, and overlap with others'.
class DeviceAccumulation {
public:
    DeviceAccumulation(const Session& session, NumberReader& reader, Accumulator& accumulator)
        : session_(session),
          reader_(reader),
          accumulator_(accumulator),
          slots_(shape_.slots()),
          streams_(shape_.slots()) {
        accumulator.use_slots(shape_.slots());
    }

    void run() {
        run_pipeline(shape_, {[this](size_t slot) { return take(slot); }, [this](size_t slot) { work(slot); },
                              [this](size_t slot) { finish(slot); }});
        pending_.complete_all();
    }

private:
    bool take(size_t slot) {
        CHECK(cudaSetDevice(session_.device.ordinal));
        slots_[slot].wait_for_upload();
        return reader_.take(slots_[slot].host, device_piece_elements, Cut::anywhere);
    }

    void work(size_t slot) {
        reader_.read(slots_[slot].host);
        if (has_numbers(session_, slots_[slot].host)) accumulator_.prepare(slot, slots_[slot].host);
    }

    void finish(size_t slot) {
        DeviceSlot& one = slots_[slot];
        reader_.settle(one.host);
        if (one.host.piece.count == 0) return;
        pending_.complete(slot);
        one.upload(streams_[slot]);
        const Accumulator::Add add = accumulator_.reduce_on_device(slot, one.d_piece, streams_[slot]);
        pending_.push(slot, streams_[slot], [this, add, lost = one.host.lost] {
            add();
            accumulator_.add_lost(lost);
        });
    }

    const Session& session_;
    NumberReader& reader_;
    Accumulator& accumulator_;
    const PipelineShape shape_ = device_pipeline();
    std::vector<DeviceSlot> slots_;
    std::vector<Stream> streams_;
    PendingResults pending_;
};

inline void accumulate(const Session& session, NumberReader& reader, Accumulator& accumulator) {
    if (session.computes_on_host()) accumulate_on_host(session, reader, accumulator);
    else DeviceAccumulation(session, reader, accumulator).run();
}

}  // namespace BACKEND
