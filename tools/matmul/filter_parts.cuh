// SPDX-License-Identifier: MIT
// The parts in which a product of files is computed: rows of A, or some matrices of a batch. They are dealt to devices,
// each of which has all of B or, for a batch, the B of its parts.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "common/cuda/launch_shape.cuh"
#include "common/cuda/peer_access.cuh"
#include "common/cuda/slots.cuh"
#include "common/io/pipeline.hpp"
#include "tools/matmul/filter_products.cuh"
#include "tools/matmul/operand.hpp"

namespace BACKEND {

// The columns [first, first + count) of a matrix of rows x columns. If these are all of it, the matrix is moved.
inline Chunk columns_of(Chunk& matrix, std::size_t rows, std::size_t columns, std::size_t first, std::size_t count) {
    if (count == columns) return std::move(matrix);
    const std::size_t size = size_of(matrix.dtype);
    Chunk part{matrix.dtype, rows * count, {}};
    part.bytes.resize(part.count * size);
    for (std::size_t row = 0; row < rows; ++row)
        std::memcpy(&part.bytes[row * count * size], &matrix.bytes[(row * columns + first) * size], count * size);
    return part;
}

// If there are several devices, each has some parts at a time: while one is multiplied, the next is read and copied to
// the device, and the last is written.
class ProductParts {
public:
    ProductParts(const Session& session, DType dtype, const ProductShape& shape, const ProductForm& form, Operand& a,
                 Operand& b)
        : ProductParts(devices_of(session, dtype), session, dtype, shape, form, a, b) {}

    // The product of two matrices, some of its m rows at a time. (A transposed A is read as a whole, and cut by
    // columns.)
    void multiply_rows(std::size_t m, NumberWriter& writer) {
        // Devices share even a few rows, but not so few that a kernel's tiles would be nearly empty.
        constexpr std::size_t least = 32;
        const std::size_t share = std::max(divide_up(divide_up(m, devices_.size()), least) * least, least);
        const std::size_t places = places_in(products().rows_at_once() / FilterProducts::least_rows);
        const std::size_t most = std::min(products().rows_at_once(places), has_threads() ? share : m + 1);
        share_b();
        const bool transposed = form_.transposed.a;
        Chunk whole_a = transposed ? a_.read_all() : Chunk{};
        const auto take = [&](Part& part) {
            if (!transposed) a_.take(part.a, part.count, has_threads());
        };
        const auto work = [&](Part& part) {
            Chunk a = transposed ? columns_of(whole_a, shape_.k, m, part.first, part.count) : a_.read(part.a);
            part.c = part.products.multiply(part.place, std::move(a), part.count);
        };
        run({m, most, false, places}, take, work, writer);
    }

    // Some products of a batch at a time.
    void multiply_batch(NumberWriter& writer) {
        const std::size_t rows_of_a = form_.transposed.a ? shape_.k : shape_.m,
                          rows_of_b = form_.transposed.b ? shape_.n : shape_.k;
        const std::size_t share = std::max<std::size_t>(divide_up(form_.products(), devices_.size()), 1);
        const std::size_t places = places_in(products().products_at_once());
        const std::size_t most = std::min(products().products_at_once(places), share);
        if (form_.shares_b) share_b();
        const auto take = [&](Part& part) {
            a_.take(part.a, part.count * rows_of_a, has_threads());
            if (!form_.shares_b) b_.take(part.b, part.count * rows_of_b, has_threads());
        };
        const auto work = [&](Part& part) {
            Chunk own_b = form_.shares_b ? Chunk{} : b_.read(part.b);
            part.c = part.products.multiply(part.place, a_.read(part.a), part.count, std::move(own_b));
        };
        run({form_.products(), most, true, places}, take, work, writer);
    }

private:
    // What a device works on: rows, or products of a batch.
    struct Part {
        Part(FilterProducts& products_, std::size_t place_) : products(products_), place(place_) {}
        FilterProducts& products;
        std::size_t place, first = 0, count = 0;
        OperandRows a, b;
        Chunk c;
    };
    // How the product is cut: `count` rows or products into parts of at most `most`; a device has `places` parts at a
    // time.
    struct Cutting {
        std::size_t count, most;
        bool is_batch;
        std::size_t places;
    };

    ProductParts(const std::vector<DeviceInfo>& devices, const Session& session, DType dtype, const ProductShape& shape,
                 const ProductForm& form, Operand& a, Operand& b)
        : shape_(shape), form_(form), a_(a), b_(b), devices_(devices) {
        const SlotDevices contexts(devices, PipelineShape{1, 1});  // all contexts are made at the same time
        for (const DeviceInfo& device : devices) {
            const OnDevice there(device.ordinal);
            products_.push_back(std::make_unique<FilterProducts>(session, device, dtype, shape, form));
            if (products_.back()->computed_type() != products().computed_type())
                fail(Exit::usage,
                     "some of these devices multiply {} in {}, others in {}: choose those of one model with --device",
                     name_of(dtype), name_of(products().computed_type()), name_of(products_.back()->computed_type()));
        }
    }

    static std::vector<DeviceInfo> devices_of(const Session& session, DType dtype) {
        return FilterProducts::are_on_host(session, dtype) ? std::vector{session.device} : session.gang;
    }

    bool has_threads() const { return devices_.size() > 1; }
    FilterProducts& products() const { return *products_.front(); }

    // Three places if memory holds that many parts of a useful size: one part is read, one multiplied and one written.
    std::size_t places_in(std::size_t least_parts) const {
        return has_threads() ? std::clamp<std::size_t>(least_parts, 1, 3) : 1;
    }

    void share_b() {
        const auto b = std::make_shared<const Chunk>(products().typed(b_.read_all()));
        for (const auto& one : products_) one->set_b(b);
    }

    // Even an empty product has one part, which has a type.
    template <typename Take, typename Work>
    void run(Cutting cut, Take take, Work work, NumberWriter& writer) {
        // (If there are few parts, no device gets a second one before every device has one.)
        const std::size_t of_device = divide_up(divide_up(cut.count, cut.most), devices_.size());
        cut.places = std::clamp<std::size_t>(of_device, 1, cut.places);
        std::vector<std::size_t> counts = {std::min(cut.count, cut.most)};
        if (cut.count % cut.most > 0) counts.push_back(cut.count % cut.most);
        for (const auto& one : products_) one->plan(counts, cut.is_batch, cut.places);
        const SlotDevices slots(devices_, PipelineShape{static_cast<unsigned>(devices_.size() * cut.places), 1});
        std::vector<Part> parts;
        for (std::size_t slot = 0; slot < slots.shape().slots(); ++slot)
            parts.emplace_back(*products_[slot % devices_.size()], slot / devices_.size());
        bool has_begun = false;
        std::size_t taken = 0;
        const auto take_next = [&](std::size_t slot) {
            if (std::exchange(has_begun, true) && taken == cut.count) return false;
            Part& part = parts[slot];
            part.first = taken;
            part.count = std::min(cut.most, cut.count - taken);
            taken += part.count;
            take(part);
            return true;
        };
        const auto work_there = [&](std::size_t slot) {
            slots.enter(slot);
            work(parts[slot]);
        };
        const auto finish = [&](std::size_t slot) {
            a_.settle(parts[slot].a);
            b_.settle(parts[slot].b);
            writer.append(std::exchange(parts[slot].c, {}));
        };
        run_pipeline(slots.shape(), {take_next, work_there, finish});
    }

    const ProductShape shape_;
    const ProductForm form_;
    Operand &a_, &b_;
    const std::vector<DeviceInfo> devices_;
    std::vector<std::unique_ptr<FilterProducts>> products_;
};

}  // namespace BACKEND
