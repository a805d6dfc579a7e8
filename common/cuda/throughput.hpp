// SPDX-License-Identifier: MIT
// What a multiprocessor can do per clock cycle, by compute capability: the basis of every peak rate.
//
// Sources, all NVIDIA's. Without tensor cores: CUDA C++ Programming Guide, "Arithmetic Instructions", table "Throughput of
// Native Arithmetic Instructions" (results per clock cycle per multiprocessor), and for 8.7 the section on its compute
// capability; f32 of 1.x, 2.x and where else the table has no column: helper_cuda.h of the CUDA samples; f64 of 1.3 and
// 2.x: the peak rates of the Tesla C1060 and M2050 and the GeForce GTX 460. Tensor cores, dense: the white papers of the architectures, whose tables of peak rates are multiprocessors x
// boost clock x 2 x these numbers: "Tesla V100 GPU Architecture", "Turing GPU Architecture", "A100 Tensor Core GPU
// Architecture", "Ampere GA102 GPU Architecture", "Ada GPU Architecture", "H100 Tensor Core GPU Architecture", "RTX Blackwell
// GPU Architecture", and for 10.0 the data sheet of HGX B200. tests/units/verify.cpp compares them with the published rates.
#pragma once

#include <optional>
#include <string_view>

#include "common/io/dtype.hpp"

// Multiply-adds per clock cycle and multiprocessor, each two operations. 0: no such units; unknown_rate: not published.
constexpr int unknown_rate = -1;
struct Throughput {
    int compute_capability;  // 90 for 9.0
    int f16, f32, f64;       // without tensor cores
    // Dense; f16, bf16 and the 8-bit floats with sums in f32, i8 in i32.
    int tensor_f16, tensor_bf16, tensor_tf32, tensor_f64, tensor_i8, tensor_f8;
};

// One of its rates.
using ThroughputRate = int Throughput::*;

// A row without tensor cores: the device has none, or their rates are not published.
constexpr Throughput untensored(int compute_capability, int f16, int f32, int f64, int tensor = 0) {
    return {compute_capability, f16, f32, f64, tensor, tensor, tensor, tensor, tensor, tensor};
}

constexpr Throughput throughputs[] = {
    untensored(10, 0, 8, 0),
    untensored(11, 0, 8, 0),
    untensored(12, 0, 8, 0),
    untensored(13, 0, 8, 1),
    untensored(20, 0, 32, 16),
    untensored(21, 0, 48, 4),
    untensored(30, 0, 192, 8),
    untensored(32, 0, 192, 8),
    untensored(35, 0, 192, 64),
    untensored(37, 0, 192, 64),
    untensored(50, 0, 128, 4),
    untensored(52, 0, 128, 4),
    untensored(53, 256, 128, 4),
    untensored(60, 128, 64, 32),
    untensored(61, 2, 128, 4),
    untensored(62, 256, 128, 4),
    {70, 128, 64, 32, 512, 0, 0, 0, 0, 0},
    untensored(72, 128, 64, 32, unknown_rate),
    {75, 128, 64, 2, 512, 0, 0, 0, 1024, 0},
    {80, 256, 64, 32, 1024, 1024, 512, 64, 2048, 0},
    {86, 128, 128, 2, 512, 512, 256, 0, 1024, 0},
    untensored(87, unknown_rate, 128, 2, unknown_rate),
    {89, 128, 128, 2, 512, 512, 256, 0, 1024, 1024},
    {90, 256, 128, 64, 2048, 2048, 1024, 128, 4096, 4096},
    {100, 256, 128, 64, 4096, 4096, 2048, 64, 8192, 8192},
    untensored(101, unknown_rate, 128, unknown_rate, unknown_rate),
    untensored(103, unknown_rate, 128, unknown_rate, unknown_rate),
    untensored(110, unknown_rate, 128, unknown_rate, unknown_rate),
    {120, 128, 128, 2, 512, 512, 256, 0, 1024, 1024},
    untensored(121, unknown_rate, 128, unknown_rate, unknown_rate),
};

// The throughput of a device, by its capability and the driver's name for it. std::nullopt if it is not in the table.
//
// The name matters where one chip is sold twice. The tensor cores of GeForce cards accumulate in f32 at half the rate
// of the professional cards with the same chip (but in f16 and integers at the same rate): the white papers list 53.8
// TFLOP/s for the GeForce RTX 2080 Ti and 130.5 for the Quadro RTX 6000, 71 for the GeForce RTX 3090 and 154.8 for the
// RTX A6000. Turing's GTX cards have no tensor cores. The data sheet of the L40 halves all tensor core rates, that of
// the L40S none.
inline std::optional<Throughput> throughput_of(int compute_capability, std::string_view device_name) {
    for (Throughput row : throughputs) {
        if (row.compute_capability != compute_capability) continue;
        const auto is_called = [&](std::string_view part) { return device_name.find(part) != device_name.npos; };
        const bool is_l40 = device_name == "NVIDIA L40";
        const int halves_of_floats = is_called("GeForce GTX") ? 0 : is_called("GeForce") || is_l40 ? 1 : 2;
        const int halves_of_integers = is_called("GeForce GTX") ? 0 : is_l40 ? 1 : 2;
        for (const ThroughputRate rate :
             {&Throughput::tensor_f16, &Throughput::tensor_bf16, &Throughput::tensor_tf32, &Throughput::tensor_f8})
            if (row.*rate != unknown_rate) row.*rate = row.*rate * halves_of_floats / 2;
        if (row.tensor_i8 != unknown_rate) row.tensor_i8 = row.tensor_i8 * halves_of_integers / 2;
        return row;
    }
    return std::nullopt;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
// The rate of the fastest units for a type, with sums in f32 or wider (for i8 in integers).
inline int fastest_multiply_adds(const Throughput& throughput, DType dtype) {
    switch (dtype) {
        case DType::f32: return throughput.f32;
        case DType::f64: return throughput.tensor_f64 > 0 ? throughput.tensor_f64 : throughput.f64;
        case DType::f16: return throughput.tensor_f16;
        case DType::bf16: return throughput.tensor_bf16;
        case DType::tf32: return throughput.tensor_tf32;
        case DType::i8: return throughput.tensor_i8;
        case DType::e4m3:
        case DType::e5m2: return throughput.tensor_f8;
        case DType::i32:
        case DType::i64: return 0;  // not in the table
    }
    __builtin_unreachable();
}
#pragma GCC diagnostic pop

// Operations per second at a given clock: a multiply-add counts as two. 0 for an unknown rate.
constexpr double peak_rate(int multiply_adds, int multiprocessors, double clock_hz) {
    return multiply_adds == unknown_rate ? 0 : 2.0 * multiply_adds * multiprocessors * clock_hz;
}
