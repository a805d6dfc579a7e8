// SPDX-License-Identifier: MIT
// The tables of conv1d: what each variant is, and how it is launched for an element type.
#pragma once

#include "common/cli/program.hpp"
#include "common/gang/join.hpp"
#include "common/measure/variant_table.cuh"
#include "kernels/conv1d/copy.cuh"
#include "kernels/conv1d/fastest.cuh"
#include "kernels/conv1d/textbook.cuh"
#include "tools/conv1d/host.cuh"
#include "tools/conv1d/options.hpp"

namespace BACKEND {

template <typename T>
using ConvolveOnDevice = LaunchShape(const ConvolutionArguments<T>&);
template <typename T>
using PrepareOnDevice = void(const ConvolutionArguments<T>&);
template <typename T>
using ConvolveOnHost = void(const HostConvolution<T>&);
template <template <typename> class Signature>
using ForConvolutionTypes = FunctionSet<Signature, float, double>;

enum class Method { sum, copy, overlap_save, cufft };

struct ConvolutionVariant : Variant {
    ForConvolutionTypes<ConvolveOnDevice> launch = {};  // none for transforms, which have a state of their own
    ForConvolutionTypes<PrepareOnDevice> prepare = {};  // ahead of each launch, not timed; may be none
    ForConvolutionTypes<ConvolveOnHost> on_host = {};   // of those that need the host
    Method method = Method::sum;
};

// A variant that finds its taps in constant memory.
template <typename Launch>
ConvolutionVariant with_constant_taps(const char* name, const char* idea, Launch launch, const char* ladder = "") {
    return {{name, idea, Needs::nothing, ladder}, launch, ON_ARGUMENTS(put_taps_into_constant_memory)};
}

inline const ConvolutionVariant convolution_variants[] = {
    {{"cpu", "one core", Needs::host}, {}, {}, ON_ARGUMENTS(convolve_on_one_core)},
    {{"cpu-parallel", "all cores, a share each", Needs::host}, {}, {}, ON_ARGUMENTS(convolve_on_all_cores)},
    {{"copy", "the bound: reads and writes as much, and computes nothing"},
     ON_ARGUMENTS(launch_conv1d_copy),
     {},
     {},
     Method::copy},
    {{"global", "a thread per output, every input from global memory", Needs::nothing, "lecture"},
     ON_ARGUMENTS(launch_conv1d_global)},
    {{"shared", "a block loads a tile with its halo into shared memory once", Needs::nothing, "lecture"},
     ON_ARGUMENTS(launch_conv1d_shared)},
    with_constant_taps("constant", "the weights come from constant memory: one word for all lanes of a warp",
                       ON_ARGUMENTS(launch_conv1d_constant), "lecture"),
    with_constant_taps("shuffle", "lanes read each other's registers: no shared memory, no barrier",
                       ON_ARGUMENTS(launch_conv1d_shuffle)),
    with_constant_taps("register-tile",
                       "several outputs per thread: the tile slides through registers, 16 bytes a load",
                       ON_ARGUMENTS(launch_conv1d_register_tile)),
    with_constant_taps("async-tile", "tiles are copied without passing through registers, the next one ahead of time",
                       ON_ARGUMENTS(launch_conv1d_async_tile)),
    with_constant_taps("fastest",
                       "the fastest sum, by width, type and alignment: vectors without a tile, or one of the tiles",
                       ON_ARGUMENTS(launch_conv1d_fastest)),
    {{"overlap-save", "wide filters by transforms that stay on the multiprocessor: two segments per block"},
     {},
     {},
     {},
     Method::overlap_save},
    {{"cufft", "the peer for wide filters: overlap-save by cuFFT", Needs::gpu, "", true}, {}, {}, {}, Method::cufft},
};

// What the program's own columns say about a measurement.
struct ConvolutionCells {
    unsigned width;
    Border border;
    size_t offset;
};

inline const ColumnOf<ConvolutionCells> convolution_columns[] = {
    {{"p_width", "width", 1, 0, 5}, [](const ConvolutionCells& of) -> Cell { return whole(of.width); }},
    {{"p_border"}, [](const ConvolutionCells& of) -> Cell { return name_of(of.border); }},
    {{"p_offset"}, [](const ConvolutionCells& of) -> Cell { return whole(of.offset); }},
};

inline const Program convolution_program = {
    .name = "conv1d",
    .summary =
        "Convolves a signal with a filter: a benchmark of ways to do it, or a filter over FILE (- for standard input).",
    .operands = "[FILE]",
    .examples = {"conv1d --width 3,33 -k copy,fastest", "seq 5 | conv1d --weights 1,2,1 -"},
    .most_operands = 1,
    .dtypes = {DType::f32, DType::f64},
    .sizes = "16Mi",
    .variants = variants_of(convolution_variants),
    .lectures = &lectures,
    .options = own_options<ConvolutionOptions>,
    .columns = columns_of(convolution_columns),
    .shows_steps = true,
    .gangs = Gangs::on_request,
    .join = join_process_team,
};

}  // namespace BACKEND
