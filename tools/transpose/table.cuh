// SPDX-License-Identifier: MIT
// The tables of transpose: what each variant is, and how it is launched for words of each width.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "common/cli/program.hpp"
#include "common/cli/sizes.hpp"
#include "common/gang/join.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/transpose/fastest.cuh"
#include "kernels/transpose/in_place.cuh"
#include "kernels/transpose/textbook.cuh"
#include "tools/transpose/host.hpp"
#ifndef __SIMCC__
#include "kernels/transpose/geam.cuh"
#endif

constexpr Choice<bool> orders[] = {{"c", false}, {"fortran", true}};

struct TransposeOptions {
    PerBackend<std::vector<MatrixShape>> shapes = {{{8192, 8192}}, {{256, 256}}};  // of a benchmark
    std::size_t offset = 0;
    std::size_t pieces = 0;  // of a device's rows, as they are sent; 0: by their size
    std::optional<MatrixShape> file_shape;
    bool fortran_order = false;  // of the filter's result

    void add_options(OptionTable& table) {
        const auto side = [](const std::vector<MatrixShape>& squares) { return std::to_string(squares.front().rows); };
        table.read("-n,--size", "LIST", "shapes: N, ROWSxCOLUMNS, or N in a range A:B:xF or A:B:+S",
                   default_text(shapes, side), shapes, parse_matrix_shapes);
        table
            .whole("--offset", "N", "begin both matrices N elements past an aligned address", offset, 0, largest_offset)
            .for_benchmarks();
        table
            .whole("--pieces", "N", "--gang: send each device's rows in N pieces; 0: as their size suggests", pieces, 0,
                   1024)
            .for_benchmarks();
        table.read("--shape", "ROWSxCOLUMNS", "the shape of raw data, or of text that is not a row per line", "",
                   file_shape, [](const std::string& word) {
                       const std::vector<MatrixShape> one = parse_matrix_shapes(word);
                       if (one.size() != 1) fail(Exit::usage, "--shape '{}' is not ROWSxCOLUMNS", word);
                       return one.front();
                   });
        table.choice("--order", "ORDER", "of a .npy result's elements: row after row or column after column",
                     fortran_order, orders);
    }
};

namespace BACKEND {

// The words that elements are moved as: of 1, 2, 4, 8 and 16 bytes.
template <template <typename> class Signature>
using ForWords = FunctionSet<Signature, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t, uint4>;

template <typename Word>
using TransposeOnDevice = LaunchShape(const TransposeArguments<Word>&);
template <typename Word>
using TransposeOnHost = void(const HostMatrix<Word>&);
enum class Result { transpose, transpose_in_place, copy };

// The peer's launch; empty for words that cuBLAS has no function for, or if it is not installed.
template <typename Word>
std::function<TransposeOnDevice<Word>> find_geam() {
#ifndef __SIMCC__
    if constexpr (sizeof(Word) == sizeof(float) || sizeof(Word) == sizeof(double)) {
        using T = std::conditional_t<sizeof(Word) == sizeof(float), float, double>;
        const auto geam = std::make_shared<Geam<T>>();
        if (*geam)
            return
                [geam](const TransposeArguments<Word>& arguments) { return launch_transpose_geam(*geam, arguments); };
    }
#endif
    return nullptr;
}

struct TransposeVariant : Variant {
    ForWords<TransposeOnDevice> launch = {};
    Result result = Result::transpose;
    ForWords<TransposeOnHost> on_host = {};  // of those that need the host

    template <typename Word>
    std::function<TransposeOnDevice<Word>> on_device() const {
        if (peer) return find_geam<Word>();
        return launch.get<Word>();
    }
};

// If rows do not begin at vectors, words are moved one at a time.
template <typename Word>
LaunchShape launch_transpose_vectorized(const TransposeArguments<Word>& arguments) {
    if (can_use_vectors(arguments)) return launch_transpose_vectors(arguments);
    return launch_transpose_swizzled(arguments);
}

inline const TransposeVariant transpose_variants[] = {
    {{"cpu", "one core, in squares that fit the L1 cache", Needs::host},
     {},
     Result::transpose,
     ON_ARGUMENTS(transpose_on_one_core)},
    {{"cpu-parallel", "all cores, a share of the output each", Needs::host},
     {},
     Result::transpose,
     ON_ARGUMENTS(transpose_on_all_cores)},
    {{"copy", "the bound: moves the same bytes and transposes nothing", Needs::nothing, "bound", false, true},
     ON_ARGUMENTS(launch_copy),
     Result::copy},
    {{"naive-read", "a thread per element: warps read rows and write columns, a sector for each element",
      Needs::nothing, "transpose"},
     ON_ARGUMENTS(launch_transpose_naive_read)},
    {{"naive-write", "warps read columns, which caches help with, and write rows", Needs::nothing, "transpose"},
     ON_ARGUMENTS(launch_transpose_naive_write)},
    {{"tile", "through a tile in shared memory: rows on both sides, but its columns share a bank", Needs::nothing,
      "transpose"},
     ON_ARGUMENTS(launch_transpose_tile<0>)},
    {{"padded", "a word of padding per row of the tile: no bank conflicts", Needs::nothing, "transpose"},
     ON_ARGUMENTS(launch_transpose_tile<1>)},
    {{"swizzled", "no conflicts without padding: the words of a row change places", Needs::nothing, "transpose"},
     ON_ARGUMENTS(launch_transpose_swizzled)},
    {{"vectorized", "16 bytes per access: small squares are transposed in registers", Needs::nothing, "transpose"},
     ON_ARGUMENTS(launch_transpose_vectorized)},
    {{"fastest", "chosen by shape and alignment; blocks write long rows, and whole sectors", Needs::nothing,
      "transpose"},
     ON_ARGUMENTS(launch_transpose_fastest)},
    {{"in-place", "a square matrix in place: tiles are swapped with their mirror images", Needs::nothing, "in-place"},
     ON_ARGUMENTS(launch_transpose_in_place),
     Result::transpose_in_place},
    {{"geam", "the peer: cuBLAS, where it is installed; f32 and f64", Needs::gpu, "", true}},
};

inline const ColumnOf<MatrixShape> transpose_columns[] = {
    {{"p_rows", "rows", 1, 0, 6}, [](const MatrixShape& of) -> Cell { return whole(of.rows); }},
    {{"p_columns", "columns", 1, 0, 7}, [](const MatrixShape& of) -> Cell { return whole(of.columns); }},
};

inline const Program transpose_program = {
    .name = "transpose",
    .summary = "Transposes a matrix: a benchmark of the ways to do it, or a filter over FILE (- for standard input).",
    .operands = "[FILE]",
    .examples = {"transpose -n 256 --ladder", "printf '1 2 3\\n4 5 6\\n' | transpose -"},
    .most_operands = 1,
    .dtypes = {DType::f32, DType::f64, DType::f16, DType::i8},
    .sizes = "64Mi",
    .variants = variants_of(transpose_variants),
    .lectures = &lectures,
    .options = own_options<TransposeOptions>,
    .columns = columns_of(transpose_columns),
    .shows_steps = true,
    .gangs = Gangs::on_request,
    .join = join_process_team,
};

}  // namespace BACKEND
