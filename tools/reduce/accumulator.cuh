// SPDX-License-Identifier: MIT
// The accumulator that a filter adds its input to, and how the input's pieces come to it: on the host or on the device,
// in a stream of which only a few slots are in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/slots.cuh"
#include "common/io/number_reader.hpp"
#include "common/io/pipeline.hpp"

namespace BACKEND {

// An accumulator takes pieces: consecutive elements of the input, all of one type, which is i32, i64, f32 or f64. A
// piece is reduced by itself, and its result is added to the total in a second step. Second steps run one at a time, in
// the order of the input. Only they may change the accumulator, so that a result that follows from the pieces and their
// order alone is the same with any number of threads. Except for the last one, pieces have 1 MiB on the host and 2^20
// elements on the device; pieces of text are the numbers of 256 KiB of it, or of 512 KiB. Pieces of text are i64 until
// the first number that is not an integer; after that, a piece may be i64 again if all its numbers are.
class Accumulator {
public:
    using Add = std::function<void()>;

    virtual ~Accumulator() = default;

    // Reduces a piece on the calling thread, concurrently with others, and returns the second step.
    virtual Add reduce_on_host(const Piece& piece) = 0;
    // Whether one core reduces faster than a pipe delivers: other threads would then only be in its way.
    virtual bool keeps_up_with_pipes() const { return true; }

    // Adds, as a part of the second step, what integers of a piece lost when they were rounded to f64. By default f64
    // is all that is asked for.
    virtual void add_lost(std::int64_t lost) { static_cast<void>(lost); }

    // Makes what an accumulator keeps for each slot, such as its results on the slot's device. One piece uses it at a
    // time.
    virtual void use_slots(const SlotDevices& devices) = 0;
    // Turns the piece on the host into what the device is to get, concurrently with others. By default that is the
    // piece. The slot's previous piece may not have been added yet: its second step must keep its own copy of what it
    // needs.
    virtual void prepare(std::size_t slot, Slot& host) { static_cast<void>(slot), static_cast<void>(host); }
    // The bytes that it may take for each element, besides those of the piece.
    virtual std::size_t prepared_bytes(DType dtype) const { return static_cast<void>(dtype), 0; }
    // Enqueues the reduction of a piece on the slot's device, which is the current one: one at a time, in the order of
    // the input. The second step is called, with the same current device, when all that was enqueued is complete, and
    // before the slot's next piece.
    virtual Add reduce_on_device(std::size_t slot, const Piece& d_piece, cudaStream_t stream) = 0;
};

// Converts the piece if -t chooses a type for all. Returns false for an empty piece, which tells nothing.
// Failure(bad_input): as f64, beside numbers with fractions, integers lost digits that -t i64 asks for.
inline bool has_numbers(const Session& session, Slot& slot) {
    if (session.options.dtype == DType::i64 && slot.lost != 0)
        fail(Exit::bad_input,
             "-t i64: beside numbers with fractions, integers are read as f64, and some beyond 2^53 are not exact; "
             "leave "
             "the fractions out, or use -t f64");
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

// Threads fill pinned slots, each for one of the devices. A slot's copy and kernel are in its own stream, and overlap
// with those of other slots.
class DeviceAccumulation {
public:
    DeviceAccumulation(const Session& session, NumberReader& reader, Accumulator& accumulator)
        : session_(session),
          reader_(reader),
          accumulator_(accumulator),
          devices_(session.gang, bytes_of_slot(), reader.layout().format == NumberFormat::text),
          slots_(devices_.for_each_slot([](const DeviceInfo&) { return DeviceSlot(); })),
          streams_(devices_.for_each_slot([](const DeviceInfo&) { return Stream(); })) {
        accumulator.use_slots(devices_);
    }

    void run() {
        run_pipeline(devices_.shape(), {[this](size_t slot) { return take(slot); }, [this](size_t slot) { work(slot); },
                                        [this](size_t slot) { finish(slot); }});
        pending_.complete_all();
    }

private:
    // Bytes of the largest piece as it is read, as converted by -t, and as it is prepared.
    size_t bytes_of_slot() const {
        const NumberLayout& layout = reader_.layout();
        const DType dtype = session_.options.dtype.value_or(layout.dtype);
        const size_t elements = layout.format == NumberFormat::text ? most_text_elements : device_piece_elements;
        const size_t converted = dtype == layout.dtype ? 0 : size_of(dtype);
        return elements * (size_of(layout.dtype) + converted + accumulator_.prepared_bytes(dtype));
    }

    bool take(size_t slot) {
        devices_.enter(slot);
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
    const SlotDevices devices_;
    std::vector<DeviceSlot> slots_;
    std::vector<Stream> streams_;
    PendingResults pending_;
};

inline void accumulate(const Session& session, NumberReader& reader, Accumulator& accumulator) {
    if (session.computes_on_host()) accumulate_on_host(session, reader, accumulator);
    else DeviceAccumulation(session, reader, accumulator).run();
}

}  // namespace BACKEND
