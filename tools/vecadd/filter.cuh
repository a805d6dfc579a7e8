// SPDX-License-Identifier: MIT
// vecadd as a filter: adds two inputs element by element, and writes the sums in the first one's format as it reads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/cuda/slots.cuh"
#include "common/gang/devices.cuh"
#include "common/gang/shared_input.hpp"
#include "common/io/number_reader.hpp"
#include "common/io/number_writer.hpp"
#include "tools/vecadd/host_pieces.hpp"
#include "tools/vecadd/shared_sum.hpp"
#include "tools/vecadd/table.cuh"

namespace BACKEND {

// The narrowest of our types that holds both: i64 for integers of different width, f64 for all other pairs.
inline DType common_type(DType a, DType b) {
    if (a == b) return a;
    const bool integers = (a == DType::i32 || a == DType::i64) && (b == DType::i32 || b == DType::i64);
    return integers ? DType::i64 : DType::f64;
}

[[noreturn]] inline void refuse_lengths(const std::vector<std::string>& operands, bool first_is_shorter,
                                        size_t shorter) {
    fail(Exit::bad_input, "{} ends after {} elements, {} goes on: the vectors must have the same length",
         operands[first_is_shorter ? 0 : 1], shorter, operands[first_is_shorter ? 1 : 0]);
}

// Adds the pieces of two inputs, and writes the sums as they come. If there are several processes, each adds some
// consecutive pieces, and writes them to a file that they share.
class VecaddFilter {
public:
    VecaddFilter(Session& session, NumberReader& a, NumberReader& b, NumberWriter& writer)
        : session_(session), a_(a), b_(b), writer_(writer), on_host_(session.computes_on_host()) {
        const Team& team = *session.options.team;
        if (team.processes() > 1) share_file(team);
        if (on_host_) {
            if (a.is_slower_than_a_core() || b.is_slower_than_a_core()) shape_.threads = 1;
            for (unsigned i = 0; i < shape_.slots(); ++i) slots_.push_back(std::make_unique<PairOfSlots>());
        } else {
            const SlotDevices devices(session.gang, bytes_of_pair(), false);
            shape_ = devices.shape();
            slots_ =
                devices.for_each_slot([](const DeviceInfo& device) { return std::make_unique<PairOfSlots>(device); });
        }
    }

    void run() {
        run_pipeline(shape_, {[this](size_t slot) { return take(slot); }, [this](size_t slot) { work(*slots_[slot]); },
                              [this](size_t slot) { finish(slot); }});
        pending_.complete_all();
        if (shared_) return shared_->finish();
        // (An empty sum has a type, too.)
        if (added_ == 0) writer_.append(Piece{dtype_of_sum(a_.layout().dtype, b_.layout().dtype), 0, nullptr});
    }

private:
    // Both inputs' pieces with the same indices, and their sum.
    struct PairOfSlots {
        PairOfSlots() : sum_room(pageable_memory) {}
        explicit PairOfSlots(const DeviceInfo& device_)
            : device(device_),
              device_a(std::make_unique<DeviceSlot>()),
              device_b(std::make_unique<DeviceSlot>()),
              stream(std::make_unique<Stream>()),
              sum_room(pinned_memory) {}
        Slot& a() { return device_a ? device_a->host : host_a; }
        Slot& b() { return device_b ? device_b->host : host_b; }

        Slot host_a, host_b;
        DeviceInfo device;
        std::unique_ptr<DeviceSlot> device_a, device_b;
        std::unique_ptr<Stream> stream;
        DeviceBuffer<std::byte> d_sum;
        SlotBuffer sum_room;
        Piece sum;
        std::string text;  // of the sum
        size_t first = 0;  // elements before the inputs' pieces
    };

    DType dtype_of_sum(DType a, DType b) const { return session_.options.dtype.value_or(common_type(a, b)); }

    static constexpr size_t pair_elements = device_piece_elements / 2;

    // Bytes of the inputs' pieces, as they are read and as they are added, and of their sum and its text.
    size_t bytes_of_pair() const {
        const DType a = a_.layout().dtype, b = b_.layout().dtype, sum = dtype_of_sum(a, b);
        const auto bytes_of = [=](DType dtype) { return size_of(dtype) + (dtype == sum ? 0 : size_of(sum)); };
        return pair_elements * (bytes_of(a) + bytes_of(b) + size_of(sum) + writer_.text_bytes());
    }

    void share_file(const Team& team) {
        const size_t count = static_cast<size_t>(a_.count());
        own_pieces_ = share_of(divide_up(count, most_elements()), team.process(), team.processes());
        NumberLayout layout = a_.layout();
        layout.dtype = dtype_of_sum(layout.dtype, b_.layout().dtype);
        shared_.emplace(session_, layout, count);
    }

    size_t most_elements() const {
        const size_t widest = std::max(size_of(a_.layout().dtype), size_of(b_.layout().dtype));
        return on_host_ ? host_piece_bytes / widest : pair_elements;
    }

    // (Skips what other processes take of a file.)
    bool take(size_t slot) {
        while (take_next(slot))
            if (++pieces_ > own_pieces_.begin && pieces_ - own_pieces_.begin <= own_pieces_.size) return true;
        return false;
    }

    bool take_next(size_t slot) {
        PairOfSlots& pair = *slots_[slot];
        if (!on_host_) {
            CHECK(cudaSetDevice(pair.device.ordinal));
            pair.device_a->wait_for_upload();
            pair.device_b->wait_for_upload();
        }
        const size_t most = most_elements_;
        const size_t a = a_.take(pair.a(), most, Cut::exactly) ? pair.a().count : 0;
        const size_t b = b_.take(pair.b(), most, Cut::exactly) ? pair.b().count : 0;
        pair.first = added_;
        added_ += std::min(a, b);
        if (a != b) refuse_lengths(session_.options.operands, a < b, added_);
        return a > 0;
    }

    void work(PairOfSlots& pair) {
        a_.read(pair.a());
        b_.read(pair.b());
        const DType dtype = dtype_of_sum(pair.a().piece.dtype, pair.b().piece.dtype);
        pair.a().convert_piece(dtype);
        pair.b().convert_piece(dtype);
        const size_t count = pair.a().piece.count;
        if (on_host_) pair.sum = {dtype, count, pair.sum_room.reserve(count * size_of(dtype))};
        with_dtype(dtype, [&](auto zero) {
            using T = decltype(zero);
            const T* const a = pair.a().piece.template as<T>();
            const T* const b = pair.b().piece.template as<T>();
            const size_t wrong =
                on_host_ ? add_pieces(a, b, pair.sum.template as<T>(), count) : find_overflow(a, b, count);
            if (wrong < count)
                fail(Exit::bad_input, "element {}: {} + {} does not fit into {}; choose another --dtype",
                     pair.first + wrong + 1, a[wrong], b[wrong], name_of(dtype));
        });
        if (on_host_) format(pair);
    }

    // On a device, the slot keeps the sum of its previous piece until it is written.
    void finish(size_t slot) {
        PairOfSlots& pair = *slots_[slot];
        a_.settle(pair.a());
        b_.settle(pair.b());
        if (on_host_) return write(pair, pair.first);
        pending_.complete(slot);
        add_on_device(pair);
        // (By then the slot may have taken its next piece.)
        pending_.push(slot, *pair.stream, [this, &pair, first = pair.first] { write_from_device(pair, first); });
    }

    void add_on_device(PairOfSlots& pair) {
        const cudaStream_t stream = *pair.stream;
        const auto& variant = session_.filter_variant<VecaddVariant>("vector4");
        const Piece& a = pair.a().piece;
        const size_t bytes = a.count * size_of(a.dtype);
        if (pair.d_sum.size() < bytes) pair.d_sum = DeviceBuffer<std::byte>(bytes);
        pair.sum = {a.dtype, a.count, pair.sum_room.reserve(bytes)};
        pair.device_a->upload(stream);
        pair.device_b->upload(stream);
        with_dtype(pair.sum.dtype, [&](auto zero) {
            using T = decltype(zero);
            const auto launch = variant.launch.template get<T>();
            if (!launch)
                fail(Exit::unavailable, "{}: this build's toolkit lacks it; choose another kernel", variant.name);
            launch({pair.device_a->d_piece.as<T>(), pair.device_b->d_piece.as<T>(),
                    reinterpret_cast<T*>(pair.d_sum.data()), pair.sum.count, session_.options.block,
                    unsigned(pair.device.multiprocessors), stream});
        });
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpyAsync(pair.sum.bytes, pair.d_sum.data(), bytes, cudaMemcpyDeviceToHost, stream));
    }

    void write_from_device(PairOfSlots& pair, size_t first) {
        format(pair);
        write(pair, first);
    }

    void format(PairOfSlots& pair) const {
        if (!shared_) writer_.format(pair.sum, pair.text);
    }
    void write(PairOfSlots& pair, size_t first) {
        if (shared_) shared_->append(pair.sum, first);
        else writer_.append(pair.sum, pair.text);
    }

    Session& session_;
    NumberReader &a_, &b_;
    NumberWriter& writer_;
    const bool on_host_;
    const size_t most_elements_ = most_elements();  // of a piece
    Share own_pieces_ = {0, ~size_t{0}};
    std::optional<SharedSum> shared_;
    PipelineShape shape_;
    std::vector<std::unique_ptr<PairOfSlots>> slots_;
    PendingResults pending_;
    size_t added_ = 0, pieces_ = 0;  // elements and pieces that have been taken or passed over
};

inline void run_vecadd_filter(Session& session) {
    const std::vector<std::string>& operands = session.options.operands;
    if (operands.size() != 2) fail(Exit::usage, "two operands are needed, A and B; {} was given", operands.size());
    Team& team = *session.options.team;
    const bool is_shared = team.processes() > 1;
    if (is_shared) expect_file(operands[0]), expect_file(operands[1]);
    StepCount& count = session.begin_step(text("reading {} and {}", operands[0], operands[1]), StepUnit::bytes);
    auto reader_a = NumberReader::open(operands[0], session.options.input_format, &count);
    auto reader_b = NumberReader::open(operands[1], session.options.input_format, &count);
    if (is_shared) {
        expect_sharable(team, operands, *reader_a, *reader_b);
        count.total = count.total / team.processes();
    }
    // Two arrays in Fortran order are added as they are, into a third in that order.
    const bool keeps_order = reader_a->layout().fortran_order && reader_b->layout().fortran_order;
    if (!keeps_order || session.options.format) {
        reader_a = in_row_order(std::move(reader_a));
        reader_b = in_row_order(std::move(reader_b));
    }
    const NumberLayout &layout_a = reader_a->layout(), &layout_b = reader_b->layout();
    if (!layout_a.shape.empty() && !layout_b.shape.empty() && layout_a.shape != layout_b.shape)
        fail(Exit::bad_input, "{} has shape {} and {} has shape {}: they must be the same", operands[0], layout_a.shape,
             operands[1], layout_b.shape);

    const long long count_a = reader_a->count(), count_b = reader_b->count();
    if (count_a >= 0 && count_b >= 0 && count_a != count_b)
        refuse_lengths(operands, count_a < count_b, static_cast<size_t>(std::min(count_a, count_b)));
    session.say_where_filters_compute();
    NumberWriter writer(layout_a, session.options.format ? "vecadd" : "", &session.output);
    VecaddFilter(session, *reader_a, *reader_b, writer).run();
    if (!is_shared) session.write(writer);
}

}  // namespace BACKEND
