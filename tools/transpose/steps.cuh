// SPDX-License-Identifier: MIT
// transpose --steps: which thread reads and writes what, for a matrix of one block.
#pragma once

#include <cstdint>
#include <vector>

#include "common/cli/session.hpp"
#include "common/cuda/buffers.cuh"
#include "common/measure/accesses.hpp"
#include "tools/transpose/table.cuh"

namespace BACKEND {

template <typename Word>
void show_accesses(Session& session, const TransposeVariant& variant, const MatrixShape& shape, Table& table) {
    const DeviceBuffer<Word> d_input(shape.elements()), d_output(shape.elements());
    TransposeArguments<Word> arguments;
    arguments.d_input = d_input.data();
    arguments.d_output = d_output.data();
    arguments.rows = shape.rows;
    arguments.columns = shape.columns;
    arguments.block_size = session.options.block;
    if (shape.elements() > 0) {
        CHECK(cudaMemset(d_input.data(), 0, d_input.bytes()));
        CHECK(cudaMemset(d_output.data(), 0, d_output.bytes()));
    }
    CHECK(cudaDeviceSynchronize());
    simt::check::take_traces();
    const LaunchShape launched = variant.on_device<Word>()(arguments);
    CHECK(cudaDeviceSynchronize());
    const std::vector<simt::check::TracedBlock> blocks = simt::check::take_traces();
    if (blocks.size() != 1)
        fail(Exit::usage,
             "--steps shows one block, and {} needs {} for a matrix of {}: give it a smaller one, such as -n 4",
             variant.name, blocks.size(), shape.name());
    AccessedLaunch launch{variant.name, sizeof(Word), launched.block.x, {}};
    const auto address_of_data = [](const Word* data) { return reinterpret_cast<std::uintptr_t>(data); };
    launch.arrays = {{"input", address_of_data(d_input.data()), d_input.size(), shape.columns},
                     {"output", address_of_data(d_output.data()), d_output.size(), shape.rows}};
    if (session.format() == Format::human) return draw_accesses(launch, blocks.front(), session.output);
    add_access_rows(launch, blocks.front(), table);
    table.flush();
}

inline void show_steps(Session& session) {
    const auto& shapes = session.own<TransposeOptions>().shapes;
    std::vector<const TransposeVariant*> variants;
    for (const TransposeVariant* variant : session.selected<TransposeVariant>()) {
        if (variant->needs == Needs::nothing) variants.push_back(variant);
        else if (session.names(variant->name))
            fail(Exit::usage, "{} has no steps to show: it is the host's", variant->name);
    }
    Table table(session.output, session.format(), session.options.header, access_columns());
    bool is_first = true;
    for (const MatrixShape& shape : shapes.given ? shapes.on(session.device) : std::vector<MatrixShape>{{4, 4}})
        for (const TransposeVariant* variant : variants) {
            if (session.format() == Format::human && !is_first) session.output.write("\n");
            is_first = false;
            switch (size_of(session.dtype())) {
                case 1: show_accesses<std::uint8_t>(session, *variant, shape, table); break;
                case 2: show_accesses<std::uint16_t>(session, *variant, shape, table); break;
                case 4: show_accesses<std::uint32_t>(session, *variant, shape, table); break;
                default: show_accesses<std::uint64_t>(session, *variant, shape, table);
            }
        }
}

}  // namespace BACKEND
