// SPDX-License-Identifier: MIT
// The memory of one device of a grid: its tile of C, and the blocks of A and B that it holds or receives.
#pragma once

#include <algorithm>

#include "common/cuda/buffers.cuh"
#include "tools/matmul/gang/tiling.hpp"
#include "tools/matmul/gang/worker.cuh"
#include "tools/matmul/host_part.hpp"

namespace BACKEND {

// What a device sends to an all-gather, and where it receives what all devices send.
struct Gathering {
    const unsigned char* d_send;
    unsigned char* d_received;
    size_t bytes;  // that each sends; 0: there is nothing to do
};

// The device must be the current one in all calls.
class DeviceTile {
public:
    DeviceTile(const Tiling& tiling, const ProductShape& shape, size_t element_bytes)
        : tiling_(tiling),
          shape_(shape),
          element_bytes_(element_bytes),
          a_part_bytes_(tiling.part_rows * shape.k * element_bytes),
          b_panel_bytes_(shape.k * tiling.panel_columns * element_bytes),
          c_panel_bytes_(divide_up(tiling.tile.rows.size * tiling.panel_columns * element_bytes, 256) * 256) {
        const size_t grid_rows = tiling.place.grid_rows;
        const size_t a_bytes = a_part_bytes_, b_bytes = tiling.rounds * b_panel_bytes_,
                     c_bytes = tiling.rounds * grid_rows * c_panel_bytes_,
                     gathered_bytes = gathers_a() ? tiling.place.grid_columns * a_part_bytes_ : 0,
                     received_bytes = gathers_b() ? std::min<size_t>(2, tiling.rounds) * grid_rows * b_panel_bytes_ : 0;
        expect_room(
            text("{}x{}x{}", tiling.tile.rows.size, tiling.tile.columns.size, shape.k),
            double(a_bytes) + double(b_bytes) + double(c_bytes) + double(gathered_bytes) + double(received_bytes));
        a_ = Bytes(a_bytes), b_ = Bytes(b_bytes), c_ = Bytes(c_bytes);
        gathered_ = Bytes(gathered_bytes), received_ = Bytes(received_bytes);
        // (Parts and panels that are shorter than the longest ones are sent with what follows them.)
        for (const Bytes* bytes : {&a_, &b_}) fill_device(bytes->data(), 0, bytes->bytes());
    }

    // Uploads its part of A, and the rows of its panels that are in a block of B.
    void upload_a(const HostBlock& a) const {
        const IndexRange part = tiling_.part_of_a();
        if (part.size == 0 || shape_.k == 0) return;
        copy_to_device(a_.data(), a.at(tiling_.tile.rows.begin + part.begin, 0), part.size * row_of_a());
    }
    void upload_b(const HostBlock& b) const {
        tiling_.for_panels([&](const Panel& panel) {
            if (panel.row != tiling_.place.row) return;
            const size_t width = panel.columns.size * element_bytes_, row = b.place.rows.begin;
            CHECK(cudaMemcpy2D(d_own_panel(panel.round) + row * width, width,
                               b.at(row, tiling_.tile.columns.begin + panel.columns.begin), b.row_bytes(), width,
                               b.place.rows.size, cudaMemcpyHostToDevice));
        });
        CHECK(cudaStreamSynchronize(nullptr));  // as copy_to_device() does
    }

    void download(void* c) const {
        const auto& [rows, columns] = tiling_.tile;
        const size_t row_bytes = columns.size * element_bytes_, count = rows.size;
        if (count == 0) return;
        tiling_.for_panels([&](const Panel& panel) {
            const size_t width = panel.columns.size * element_bytes_;
            CHECK(cudaMemcpy2D(static_cast<unsigned char*>(c) + panel.columns.begin * element_bytes_, row_bytes,
                               d_c(panel), width, width, count, cudaMemcpyDeviceToHost));
        });
    }

    // Overwrites C and what it is to receive with NaN.
    void poison(cudaStream_t stream) const {
        for (const Bytes* bytes : {&c_, &gathered_, &received_})
            if (bytes->size() > 0) CHECK(cudaMemsetAsync(bytes->data(), 0xff, bytes->bytes(), stream));
    }

    Gathering gathering_of_a() const {
        if (!gathers_a()) return {};
        return {a_.data(), gathered_.data(), a_part_bytes_};
    }
    Gathering gathering_of_b(size_t round) const {
        if (!gathers_b() || round >= tiling_.rounds) return {};
        return {d_own_panel(round), d_received(round), b_panel_bytes_};
    }

    // The product for these rows of the panel of C, from the operands that are there in a stage of Tiling::for_blocks.
    LocalProduct product(size_t stage, const IndexRange& rows, const Panel& panel) const {
        const size_t width = panel.columns.size;
        const bool is_own = panel.row == tiling_.place.row;
        return {{rows.size, width, shape_.k},
                stage == 0 || !gathers_a() ? a_.data() : gathered_.data() + rows.begin * row_of_a(),
                is_own ? d_own_panel(panel.round) : d_received(panel.round) + panel.row * b_panel_bytes_,
                d_c(panel) + rows.begin * width * element_bytes_};
    }

private:
    using Bytes = DeviceBuffer<unsigned char>;

    bool gathers_a() const { return tiling_.place.grid_columns > 1; }
    bool gathers_b() const { return tiling_.place.grid_rows > 1; }
    size_t row_of_a() const { return shape_.k * element_bytes_; }
    unsigned char* d_own_panel(size_t round) const { return b_.data() + round * b_panel_bytes_; }
    unsigned char* d_received(size_t round) const {
        return received_.data() + round % 2 * tiling_.place.grid_rows * b_panel_bytes_;
    }
    unsigned char* d_c(const Panel& panel) const {
        return c_.data() + (panel.round * tiling_.place.grid_rows + panel.row) * c_panel_bytes_;
    }

    const Tiling tiling_;
    const ProductShape shape_;  // of all of C
    const size_t element_bytes_, a_part_bytes_, b_panel_bytes_, c_panel_bytes_;
    // Panels of B and C are separate contiguous matrices, which begin equally far apart.
    Bytes a_, b_;     // its part of A, and its panels of B, by round
    Bytes c_;         // panels by round, then by the row of the grid that holds them in B
    Bytes gathered_;  // the parts of A of all devices of the row of the grid
    Bytes received_;  // the panels of B of all devices of the column, for two rounds in turns
};

}  // namespace BACKEND
