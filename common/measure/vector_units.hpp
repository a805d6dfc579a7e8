// SPDX-License-Identifier: MIT
// Runs a loop on the widest vector units that the processor has: one body, compiled once for each kind.
#pragma once

enum class VectorUnits { baseline, avx2, avx512 };

inline VectorUnits vector_units() {
#if defined(__x86_64__)
    static const VectorUnits units = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                                             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
                                         ? VectorUnits::avx512
                                     : __builtin_cpu_supports("avx2") ? VectorUnits::avx2
                                                                      : VectorUnits::baseline;
    return units;
#else
    return VectorUnits::baseline;
#endif
}

inline const char* name_of(VectorUnits units) {
#if defined(__aarch64__)
    constexpr const char* baseline = "NEON";
#elif defined(__x86_64__)
    constexpr const char* baseline = "SSE2";
#else
    constexpr const char* baseline = "baseline instructions";
#endif
    return units == VectorUnits::avx512 ? "AVX-512" : units == VectorUnits::avx2 ? "AVX2" : baseline;
}

// For Loop::run, a static function that must always be inlined, so that it uses its caller's instructions.
#define IN_EVERY_CALLER [[gnu::always_inline]] inline

#if defined(__x86_64__)
#define AVX512 "avx512f,avx512dq,avx512bw,avx512vl"
#ifdef __clang__
#define ON_AVX512 gnu::target(AVX512), clang::min_vector_width(512)
#else
#define ON_AVX512 gnu::target(AVX512 ",prefer-vector-width=512")
#endif
template <typename Loop, typename... Arguments>
[[ON_AVX512]] auto run_on_avx512(Arguments... arguments) {
    return Loop::run(arguments...);
}
template <typename Loop, typename... Arguments>
[[gnu::target("avx2")]] auto run_on_avx2(Arguments... arguments) {
    return Loop::run(arguments...);
}
#endif

template <typename Loop, typename... Arguments>
auto run_on_vector_units(Arguments... arguments) {
#if defined(__x86_64__)
    if (vector_units() == VectorUnits::avx512) return run_on_avx512<Loop>(arguments...);
    if (vector_units() == VectorUnits::avx2) return run_on_avx2<Loop>(arguments...);
#endif
    return Loop::run(arguments...);
}
