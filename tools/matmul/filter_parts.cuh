// The parts that a product of files is computed in: rows of A, or some matrices of a batch. They are dealt to devices, each of
// which has all of B, or of a batch what belongs to the part.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/cuda/launch_shape.cuh"
#include "common/cuda/slots.cuh"
#include "common/io/pipeline.hpp"
#include "tools/matmul/filter_products.cuh"
#include "tools/matmul/operand.hpp"

namespace BACKEND {

// The columns [first, first + count) of a matrix of rows x columns, which may be the whole matrix: then it moves.
inline Chunk columns_of(Chunk& matrix, std::size_t rows, std::size_t columns, std::size_t first, std::size_t count) {
    if (count == columns) return std::move(matrix);
    const std::size_t size = size_of(matrix.dtype);
    Chunk part{matrix.dtype, rows * count, {}};
    part.bytes.resize(part.count * size);
    for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(&part.bytes[row * count * size], &matrix.bytes[(row * columns + first) * size], count * size);
    return part;
}

// Each device has one part at a time, which is read for it and multiplied while other devices' are, too.
class ProductParts {
public:
    ProductParts(const Session& session, DType dtype, const ProductShape& shape, const ProductForm& form, Operand& a,
                 Operand& b)
        : ProductParts(devices_of(session, dtype), session, dtype, shape, form, a, b) {}

    // The product of two matrices, some of its m rows at a time; of a transposed A, which is read as a whole, some columns.
    void multiply_rows(std::size_t m, NumberWriter& writer) {
        // Devices share few rows, too, but not so few that a kernel's tiles would be empty.
        constexpr std::size_t least = 32;
        const std::size_t share = std::max(divide_up(divide_up(m, parts_.size()), least) * least, least);
        const std::size_t most = std::min(products().rows_at_once(), has_threads() ? share : m + 1);
        share_b();
        const bool transposed = form_.transposed.a;
        Chunk whole_a = transposed ? a_.read_all() : Chunk{};
        const auto take = [&](Part& part) {
            if (!transposed) a_.take(part.a, part.count, has_threads());
        };
        const auto work = [&](Part& part) {
            Chunk a = transposed ? columns_of(whole_a, shape_.k, m, part.first, part.count) : a_.read(part.a);
            part.c = part.products.multiply(std::move(a), part.count, std::nullopt);
        };
        run(m, most, take, work, writer);
    }

    // Some products of a batch at a time.
    void multiply_batch(NumberWriter& writer) {
        const std::size_t rows_of_a = form_.transposed.a ? shape_.k : shape_.m,
                          rows_of_b = form_.transposed.b ? shape_.n : shape_.k;
        const std::size_t share = std::max<std::size_t>(divide_up(form_.products(), parts_.size()), 1);
        if (form_.shares_b) share_b();
        const auto take = [&](Part& part) {
            a_.take(part.a, part.count * rows_of_a, has_threads());
            if (!form_.shares_b) b_.take(part.b, part.count * rows_of_b, has_threads());
        };
        const auto work = [&](Part& part) {
            if (!form_.shares_b)
                part.products.set_b(std::make_shared<const Chunk>(part.products.typed(b_.read(part.b))));
            part.c = part.products.multiply(a_.read(part.a), shape_.m, part.count);
        };
        run(form_.products(), std::min(products().products_at_once(), share), take, work, writer);
    }

private:
    // What a device works on: rows, or products of a batch.
    struct Part {
        Part(const Session& session, const DeviceInfo& device, DType dtype, const ProductShape& shape,
             const ProductForm& form)
            : products(session, device, dtype, shape, form) {}
        FilterProducts products;
        std::size_t first = 0, count = 0;
        OperandRows a, b;
        Chunk c;
    };

    ProductParts(const std::vector<DeviceInfo>& devices, const Session& session, DType dtype, const ProductShape& shape,
                 const ProductForm& form, Operand& a, Operand& b)
        : shape_(shape),
          form_(form),
          a_(a),
          b_(b),
          devices_(devices, PipelineShape{static_cast<unsigned>(devices.size()), 1}),
          parts_(devices_.for_each_slot(
              [&](const DeviceInfo& device) { return std::make_unique<Part>(session, device, dtype, shape, form); })) {
        for (const auto& part : parts_)
            if (part->products.computed_type() != products().computed_type())
                fail(Exit::usage,
                     "some of these devices multiply {} in {}, others in {}: choose those of one model with --device",
                     name_of(dtype), name_of(products().computed_type()), name_of(part->products.computed_type()));
    }

    static std::vector<DeviceInfo> devices_of(const Session& session, DType dtype) {
        return FilterProducts::are_on_host(session, dtype) ? std::vector{session.device} : session.gang;
    }

    bool has_threads() const { return parts_.size() > 1; }
    FilterProducts& products() const { return parts_.front()->products; }

    void share_b() {
        const auto b = std::make_shared<const Chunk>(products().typed(b_.read_all()));
        for (const auto& part : parts_) part->products.set_b(b);
    }

    // An empty product has one part, too, which has a type.
    template <typename Take, typename Work>
    void run(std::size_t count, std::size_t most, Take take, Work work, NumberWriter& writer) {
        bool has_begun = false;
        std::size_t taken = 0;
        const auto take_next = [&](std::size_t slot) {
            if (std::exchange(has_begun, true) && taken == count) return false;
            Part& part = *parts_[slot];
            part.first = taken;
            part.count = std::min(most, count - taken);
            taken += part.count;
            take(part);
            return true;
        };
        const auto work_there = [&](std::size_t slot) {
            devices_.enter(slot);
            work(*parts_[slot]);
        };
        const auto finish = [&](std::size_t slot) {
            a_.settle(parts_[slot]->a);
            b_.settle(parts_[slot]->b);
            writer.append(std::exchange(parts_[slot]->c, {}));
        };
        run_pipeline(devices_.shape(), {take_next, work_there, finish});
    }

    const ProductShape shape_;
    const ProductForm form_;
    Operand &a_, &b_;
    const SlotDevices devices_;
    const std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace BACKEND
