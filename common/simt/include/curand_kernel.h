// SPDX-License-Identifier: MIT
// cuRAND's device functions: generators whose state a thread keeps, and distributions. The integers and uniform numbers
// are a GPU's bit for bit; normal ones may differ in the last bits, as logarithms and sines do. common/simt/rand jumps
// ahead.
//
// Sources: Marsaglia, Xorshift RNGs, 2003 (XORWOW); L'Ecuyer, Good Parameters and Implementations for Combined Multiple
// Recursive Random Number Generators, 1999 (MRG32k3a); Salmon et al., Parallel Random Numbers: As Easy as 1, 2, 3, 2011
// (Philox); Joe and Kuo, Constructing Sobol' Sequences with Better Two-Dimensional Projections, 2008.
#pragma once
#define CURAND_KERNEL_H_  // programs test for it

#include <math.h>

#include "cuda_runtime.h"
#include "curand.h"

#ifndef QUALIFIERS
#define QUALIFIERS static inline __device__
#endif

// ---- jumps (compiled apart: their tables are not the program's memory)

// Advances by n * 2^log2_steps steps.
extern "C" void simt_curand_skip_xorwow(unsigned int v[5], unsigned long long n, int log2_steps);
extern "C" void simt_curand_skip_mrg32k3a(unsigned int s1[3], unsigned int s2[3], unsigned long long n, int log2_steps);

// ---- states: the generator, and the second number of a pair of normal ones

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;  // how many of the output are used
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
struct curandStateSobol32 {
    unsigned int i, x, c;
    unsigned int direction_vectors[32];
};
struct curandStateSobol64 {
    unsigned long long i, x, c;
    unsigned long long direction_vectors[64];
};
struct curandStateScrambledSobol32 : curandStateSobol32 {};
struct curandStateScrambledSobol64 : curandStateSobol64 {};

typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;
typedef struct curandStateSobol32 curandStateSobol32_t;
typedef struct curandStateSobol64 curandStateSobol64_t;
typedef struct curandStateScrambledSobol32 curandStateScrambledSobol32_t;
typedef struct curandStateScrambledSobol64 curandStateScrambledSobol64_t;

// ---- XORWOW: five words that are shifted, and a counter

SIMT_INLINE unsigned int curand(curandStateXORWOW_t* state) {
    const unsigned int t = state->v[0] ^ (state->v[0] >> 2);
    for (int i = 0; i < 4; ++i) state->v[i] = state->v[i + 1];
    state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
    state->d += 362437u;
    return state->v[4] + state->d;
}

inline void skipahead(unsigned long long n, curandStateXORWOW_t* state) {
    unsigned int v[5];
    for (int i = 0; i < 5; ++i) v[i] = state->v[i];
    simt_curand_skip_xorwow(v, n, 0);
    for (int i = 0; i < 5; ++i) state->v[i] = v[i];
    state->d += 362437u * static_cast<unsigned int>(n);
}
inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* state) {
    unsigned int v[5];
    for (int i = 0; i < 5; ++i) v[i] = state->v[i];
    simt_curand_skip_xorwow(v, n, 67);  // (the counter has come around)
    for (int i = 0; i < 5; ++i) state->v[i] = v[i];
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateXORWOW_t* state) {
    const unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
    const unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
    state->d = 6615241u + high + low;
    state->v[0] = 123456789u + low;
    state->v[1] = 362436069u ^ low;
    state->v[2] = 521288629u + high;
    state->v[3] = 88675123u ^ high;
    state->v[4] = 5783321u + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

// ---- MRG32k3a: the difference of two recurrences, from 1 to 4294967087

SIMT_INLINE unsigned int simt_mrg32k3a(curandStateMRG32k3a_t* state) {
    const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
    const unsigned long long p1 = (1403580ull * state->s1[1] + 810728ull * (m1 - state->s1[0])) % m1;
    const unsigned long long p2 = (527612ull * state->s2[2] + 1370589ull * (m2 - state->s2[0])) % m2;
    state->s1[0] = state->s1[1], state->s1[1] = state->s1[2], state->s1[2] = static_cast<unsigned int>(p1);
    state->s2[0] = state->s2[1], state->s2[1] = state->s2[2], state->s2[2] = static_cast<unsigned int>(p2);
    return static_cast<unsigned int>(p1 > p2 ? p1 - p2 : p1 + m1 - p2);
}
// (Stretched to 32 bits.)
SIMT_INLINE unsigned int curand(curandStateMRG32k3a_t* state) {
    return static_cast<unsigned int>(simt_mrg32k3a(state) * 1.000000048662);
}

inline void simt_mrg32k3a_skip(unsigned long long n, int log2_steps, curandStateMRG32k3a_t* state) {
    unsigned int s1[3], s2[3];
    for (int i = 0; i < 3; ++i) s1[i] = state->s1[i], s2[i] = state->s2[i];
    simt_curand_skip_mrg32k3a(s1, s2, n, log2_steps);
    for (int i = 0; i < 3; ++i) state->s1[i] = s1[i], state->s2[i] = s2[i];
}
inline void skipahead(unsigned long long n, curandStateMRG32k3a_t* state) { simt_mrg32k3a_skip(n, 0, state); }
inline void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t* state) {
    simt_mrg32k3a_skip(n, 76, state);
}
inline void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t* state) {
    simt_mrg32k3a_skip(n, 127, state);
}

inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateMRG32k3a_t* state) {
    const unsigned long long m1 = 4294967087ull, m2 = 4294944443ull;
    const unsigned long long low = seed ? static_cast<unsigned int>(seed) ^ 0x55555555u : 1;
    const unsigned long long high = seed ? static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau : 1;
    for (int i = 0; i < 3; ++i) {
        state->s1[i] = static_cast<unsigned int>((i == 1 ? high : low) * 12345 % m1);
        state->s2[i] = static_cast<unsigned int>((i == 1 ? low : high) * 12345 % m2);
    }
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

// ---- Philox4x32-10: a counter, mixed with the seed in ten rounds

SIMT_INLINE uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
    for (int round = 0; round < 10; ++round) {
        const unsigned long long a = 0xd2511f53ull * counter.x, b = 0xcd9e8d57ull * counter.z;
        const uint4 next = {static_cast<unsigned int>(b >> 32) ^ counter.y ^ key.x, static_cast<unsigned int>(b),
                            static_cast<unsigned int>(a >> 32) ^ counter.w ^ key.y, static_cast<unsigned int>(a)};
        counter = next;
        key.x += 0x9e3779b9u, key.y += 0xbb67ae85u;
    }
    return counter;
}

SIMT_INLINE void simt_philox_advance(curandStatePhilox4_32_10_t* state, unsigned long long n) {
    const unsigned long long low = state->ctr.x | static_cast<unsigned long long>(state->ctr.y) << 32, sum = low + n;
    state->ctr.x = static_cast<unsigned int>(sum), state->ctr.y = static_cast<unsigned int>(sum >> 32);
    if (sum < low && ++state->ctr.z == 0) ++state->ctr.w;
}
inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    state->STATE += static_cast<unsigned int>(n & 3);
    n /= 4;
    if (state->STATE > 3) ++n, state->STATE -= 4;
    simt_philox_advance(state, n);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* state) {
    const unsigned long long high = (state->ctr.z | static_cast<unsigned long long>(state->ctr.w) << 32) + n;
    state->ctr.z = static_cast<unsigned int>(high), state->ctr.w = static_cast<unsigned int>(high >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10_t* state) {
    state->ctr = uint4{0, 0, 0, 0};
    state->key = uint2{static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32)};
    state->STATE = 0;
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

SIMT_INLINE unsigned int simt_word(uint4 words, unsigned int i) {
    return i == 0 ? words.x : i == 1 ? words.y : i == 2 ? words.z : words.w;
}
SIMT_INLINE unsigned int curand(curandStatePhilox4_32_10_t* state) {
    const unsigned int word = simt_word(state->output, state->STATE++);
    if (state->STATE == 4) {
        state->STATE = 0;
        simt_philox_advance(state, 1);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
    }
    return word;
}
SIMT_INLINE uint4 curand4(curandStatePhilox4_32_10_t* state) {
    const uint4 before = state->output;
    simt_philox_advance(state, 1);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
    const unsigned int used = state->STATE;
    const auto word = [&](unsigned int i) { return i < 4 ? simt_word(before, i) : simt_word(state->output, i - 4); };
    return uint4{word(used), word(used + 1), word(used + 2), word(used + 3)};
}

// ---- Sobol: the next number differs by one direction vector

template <typename Word>
SIMT_INLINE void simt_sobol_to(Word i, Word* x, Word start, const Word* vectors, int bits) {
    const Word gray = i ^ (i >> 1);
    *x = start;
    for (int k = 0; k < bits; ++k) {
        if (gray >> k & 1) *x ^= vectors[k];
    }
}
template <typename Word, typename State>
SIMT_INLINE void simt_sobol_init(const Word* vectors, Word scramble, Word offset, State* state, int bits) {
    state->i = offset;
    state->c = scramble;
    for (int k = 0; k < bits; ++k) state->direction_vectors[k] = vectors[k];
    simt_sobol_to<Word>(offset, &state->x, scramble, state->direction_vectors, bits);
}
SIMT_INLINE unsigned int simt_sobol_next(curandStateSobol32* state) {
    const unsigned int x = state->x;
    const int zeros = __builtin_ctz(~state->i | 0x80000000u);
    state->x ^= state->direction_vectors[zeros], ++state->i;
    return x;
}
SIMT_INLINE unsigned long long simt_sobol_next(curandStateSobol64* state) {
    const unsigned long long x = state->x;
    const int zeros = __builtin_ctzll(~state->i | 0x8000000000000000ull);
    state->x ^= state->direction_vectors[zeros], ++state->i;
    return x;
}

inline void curand_init(curandDirectionVectors32_t vectors, unsigned int offset, curandStateSobol32_t* state) {
    simt_sobol_init<unsigned int>(vectors, 0, offset, state, 32);
}
inline void curand_init(curandDirectionVectors32_t vectors, unsigned int scramble, unsigned int offset,
                        curandStateScrambledSobol32_t* state) {
    simt_sobol_init<unsigned int>(vectors, scramble, offset, state, 32);
}
inline void curand_init(curandDirectionVectors64_t vectors, unsigned long long offset, curandStateSobol64_t* state) {
    simt_sobol_init<unsigned long long>(vectors, 0, offset, state, 64);
}
inline void curand_init(curandDirectionVectors64_t vectors, unsigned long long scramble, unsigned long long offset,
                        curandStateScrambledSobol64_t* state) {
    simt_sobol_init<unsigned long long>(vectors, scramble, offset, state, 64);
}
#define SIMT_SOBOL(Word, State, bits)                                                       \
    SIMT_INLINE Word curand(State* state) { return simt_sobol_next(state); }                \
    inline void skipahead(Word n, State* state) {                                           \
        state->i += n;                                                                      \
        simt_sobol_to<Word>(state->i, &state->x, state->c, state->direction_vectors, bits); \
    }
SIMT_SOBOL(unsigned int, curandStateSobol32_t, 32)
SIMT_SOBOL(unsigned int, curandStateScrambledSobol32_t, 32)
SIMT_SOBOL(unsigned long long, curandStateSobol64_t, 64)
SIMT_SOBOL(unsigned long long, curandStateScrambledSobol64_t, 64)
#undef SIMT_SOBOL

// ---- uniform numbers: more than 0, up to 1

SIMT_INLINE float _curand_uniform(unsigned int x) {
    return static_cast<float>(x) * 2.3283064e-10f + 2.3283064e-10f / 2;
}
SIMT_INLINE float _curand_uniform(unsigned long long x) { return _curand_uniform(static_cast<unsigned int>(x >> 32)); }
SIMT_INLINE double _curand_uniform_double(unsigned int x) { return x * 0x1p-32 + 0x1p-32; }
SIMT_INLINE double _curand_uniform_double(unsigned long long x) {
    return static_cast<double>(x >> 11) * 0x1p-53 + 0x1p-54;
}
SIMT_INLINE double _curand_uniform_double_hq(unsigned int x, unsigned int y) {
    return static_cast<double>(x ^ static_cast<unsigned long long>(y) << 21) * 0x1p-53 + 0x1p-54;
}
SIMT_INLINE float curand_uniform(curandStateMRG32k3a_t* state) {
    return static_cast<float>(simt_mrg32k3a(state) * 2.3283065498378288e-10);
}
SIMT_INLINE double curand_uniform_double(curandStateMRG32k3a_t* state) {
    return simt_mrg32k3a(state) * 2.3283065498378288e-10;
}
#define SIMT_UNIFORM(State) \
    SIMT_INLINE float curand_uniform(State* state) { return _curand_uniform(curand(state)); }
#define SIMT_UNIFORM_OF_ONE(State) \
    SIMT_INLINE double curand_uniform_double(State* state) { return _curand_uniform_double(curand(state)); }
#define SIMT_UNIFORM_OF_TWO(State)                               \
    SIMT_INLINE double curand_uniform_double(State* state) {     \
        const unsigned int x = curand(state), y = curand(state); \
        return _curand_uniform_double_hq(x, y);                  \
    }
SIMT_UNIFORM(curandStateXORWOW_t)
SIMT_UNIFORM_OF_TWO(curandStateXORWOW_t) SIMT_UNIFORM(curandStatePhilox4_32_10_t)
    SIMT_UNIFORM_OF_ONE(curandStatePhilox4_32_10_t) SIMT_UNIFORM(curandStateSobol32_t)
        SIMT_UNIFORM_OF_ONE(curandStateSobol32_t) SIMT_UNIFORM(curandStateScrambledSobol32_t)
            SIMT_UNIFORM_OF_ONE(curandStateScrambledSobol32_t) SIMT_UNIFORM(curandStateSobol64_t)
                SIMT_UNIFORM_OF_ONE(curandStateSobol64_t) SIMT_UNIFORM(curandStateScrambledSobol64_t)
                    SIMT_UNIFORM_OF_ONE(curandStateScrambledSobol64_t)
#undef SIMT_UNIFORM
#undef SIMT_UNIFORM_OF_ONE
#undef SIMT_UNIFORM_OF_TWO

                        SIMT_INLINE float4 curand_uniform4(curandStatePhilox4_32_10_t* state) {
    const uint4 x = curand4(state);
    return float4{_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w)};
}
SIMT_INLINE double2 curand_uniform2_double(curandStatePhilox4_32_10_t* state) {
    const uint4 x = curand4(state);
    return double2{_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w)};
}
SIMT_INLINE double4 curand_uniform4_double(curandStatePhilox4_32_10_t* state) {
    const double2 a = curand_uniform2_double(state), b = curand_uniform2_double(state);
    return double4{a.x, a.y, b.x, b.y};
}

// ---- normal numbers: in pairs by Box and Muller, or by the inverse of their distribution for Sobol's

SIMT_INLINE float2 simt_normal_pair(float radius, float angle) {
    const float length = sqrtf(-2.0f * logf(radius));
    return float2{sinf(angle) * length, cosf(angle) * length};
}
SIMT_INLINE double2 simt_normal_pair(double radius, double half_turns) {
    const double length = sqrt(-2.0 * log(radius)), angle = half_turns * 3.1415926535897932;
    return double2{sin(angle) * length, cos(angle) * length};
}
SIMT_INLINE float2 _curand_box_muller(unsigned int x, unsigned int y) {
    const float full_turn = 2.3283064e-10f * 6.2831855f;
    return simt_normal_pair(_curand_uniform(x), static_cast<float>(y) * full_turn + full_turn / 2);
}
SIMT_INLINE double2 _curand_box_muller_double(unsigned int x0, unsigned int x1, unsigned int y0, unsigned int y1) {
    return simt_normal_pair(_curand_uniform_double_hq(x0, x1), 2 * _curand_uniform_double_hq(y0, y1));
}

template <typename State>
SIMT_INLINE float2 simt_normal2(State* state) {
    const unsigned int x = curand(state), y = curand(state);
    return _curand_box_muller(x, y);
}
SIMT_INLINE float2 simt_normal2(curandStateMRG32k3a_t* state) {
    const float x = curand_uniform(state), y = curand_uniform(state);
    return simt_normal_pair(x, y * 6.2831855f);
}
template <typename State>
SIMT_INLINE double2 simt_normal2_double(State* state) {
    const unsigned int x0 = curand(state), x1 = curand(state), y0 = curand(state), y1 = curand(state);
    return _curand_box_muller_double(x0, x1, y0, y1);
}
SIMT_INLINE double2 simt_normal2_double(curandStateMRG32k3a_t* state) {
    const double x = curand_uniform_double(state), y = curand_uniform_double(state);
    return simt_normal_pair(x, 2 * y);
}

// A call returns the second number of a pair if the call before it, of the same distribution, has left one.
#define SIMT_OF_PAIR(State, Real, name, flag, kind, extra, parameters, pair_of, value_of) \
    SIMT_INLINE Real name parameters {                                                    \
        if (state->flag == kind) {                                                        \
            state->flag = 0;                                                              \
            return state->extra;                                                          \
        }                                                                                 \
        const auto pair = pair_of(state);                                                 \
        state->flag = kind;                                                               \
        state->extra = value_of(pair.y);                                                  \
        return value_of(pair.x);                                                          \
    }
#define SIMT_LOGARITHM(x) expf(mean + stddev * (x))
#define SIMT_LOGARITHM_DOUBLE(x) exp(mean + stddev * (x))
#define SIMT_NORMAL_OF_PAIRS(State)                                                                                \
    SIMT_INLINE float2 curand_normal2(State* state) { return simt_normal2(state); }                                \
    SIMT_INLINE double2 curand_normal2_double(State* state) { return simt_normal2_double(state); }                 \
    SIMT_OF_PAIR(State, float, curand_normal, boxmuller_flag, 1, boxmuller_extra, (State * state), simt_normal2, ) \
    SIMT_OF_PAIR(State, double, curand_normal_double, boxmuller_flag_double, 1, boxmuller_extra_double,            \
                 (State * state), simt_normal2_double, )                                                           \
    SIMT_OF_PAIR(State, float, curand_log_normal, boxmuller_flag, 2, boxmuller_extra,                              \
                 (State * state, float mean, float stddev), simt_normal2, SIMT_LOGARITHM)                          \
    SIMT_OF_PAIR(State, double, curand_log_normal_double, boxmuller_flag_double, 2, boxmuller_extra_double,        \
                 (State * state, double mean, double stddev), simt_normal2_double, SIMT_LOGARITHM_DOUBLE)          \
    SIMT_INLINE float2 curand_log_normal2(State* state, float mean, float stddev) {                                \
        const float2 pair = simt_normal2(state);                                                                   \
        return float2{SIMT_LOGARITHM(pair.x), SIMT_LOGARITHM(pair.y)};                                             \
    }                                                                                                              \
    SIMT_INLINE double2 curand_log_normal2_double(State* state, double mean, double stddev) {                      \
        const double2 pair = simt_normal2_double(state);                                                           \
        return double2{SIMT_LOGARITHM_DOUBLE(pair.x), SIMT_LOGARITHM_DOUBLE(pair.y)};                              \
    }
SIMT_NORMAL_OF_PAIRS(curandStateXORWOW_t)
SIMT_NORMAL_OF_PAIRS(curandStateMRG32k3a_t)
SIMT_NORMAL_OF_PAIRS(curandStatePhilox4_32_10_t)
#undef SIMT_NORMAL_OF_PAIRS
#undef SIMT_OF_PAIR

// (Of the nearer tail, where there is no loss of digits.)
SIMT_INLINE float _curand_normal_icdf(unsigned int x) {
    const bool is_upper = x > 0x80000000u;
    const float p = _curand_uniform(is_upper ? 0xffffffffu - x : x);
    return (is_upper ? 1.4142135f : -1.4142135f) * erfcinvf(2 * p);
}
SIMT_INLINE float _curand_normal_icdf(unsigned long long x) {
    return _curand_normal_icdf(static_cast<unsigned int>(x >> 32));
}
SIMT_INLINE double _curand_normal_icdf_double(unsigned int x) {
    const bool is_upper = x > 0x80000000u;
    const double p = (is_upper ? 0xffffffffu - x : x) * 0x1p-32 + 0x1p-33;
    return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2 * p);
}
SIMT_INLINE double _curand_normal_icdf_double(unsigned long long x) {
    const bool is_upper = x > 0x8000000000000000ull;
    const double p = static_cast<double>((is_upper ? ~0ull - x : x) >> 11) * 0x1p-53 + 0x1p-54;
    return (is_upper ? 1.4142135623730951 : -1.4142135623730951) * erfcinv(2 * p);
}
#define SIMT_NORMAL_OF_ONE(State)                                                                               \
    SIMT_INLINE float curand_normal(State* state) { return _curand_normal_icdf(curand(state)); }                \
    SIMT_INLINE double curand_normal_double(State* state) { return _curand_normal_icdf_double(curand(state)); } \
    SIMT_INLINE float curand_log_normal(State* state, float mean, float stddev) {                               \
        return SIMT_LOGARITHM(curand_normal(state));                                                            \
    }                                                                                                           \
    SIMT_INLINE double curand_log_normal_double(State* state, double mean, double stddev) {                     \
        return SIMT_LOGARITHM_DOUBLE(curand_normal_double(state));                                              \
    }
SIMT_NORMAL_OF_ONE(curandStateSobol32_t)
SIMT_NORMAL_OF_ONE(curandStateScrambledSobol32_t)
SIMT_NORMAL_OF_ONE(curandStateSobol64_t)
SIMT_NORMAL_OF_ONE(curandStateScrambledSobol64_t)
#undef SIMT_NORMAL_OF_ONE
#undef SIMT_LOGARITHM
#undef SIMT_LOGARITHM_DOUBLE

SIMT_INLINE float4 curand_normal4(curandStatePhilox4_32_10_t* state) {
    const uint4 x = curand4(state);
    const float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
    return float4{a.x, a.y, b.x, b.y};
}
SIMT_INLINE double4 curand_normal4_double(curandStatePhilox4_32_10_t* state) {
    const uint4 x = curand4(state), y = curand4(state);
    const double2 a = _curand_box_muller_double(x.x, x.y, x.z, x.w);
    const double2 b = _curand_box_muller_double(y.x, y.y, y.z, y.w);
    return double4{a.x, a.y, b.x, b.y};
}
SIMT_INLINE float4 curand_log_normal4(curandStatePhilox4_32_10_t* state, float mean, float stddev) {
    const float4 x = curand_normal4(state);
    return float4{expf(mean + stddev * x.x), expf(mean + stddev * x.y), expf(mean + stddev * x.z),
                  expf(mean + stddev * x.w)};
}
SIMT_INLINE double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* state, double mean, double stddev) {
    const double4 x = curand_normal4_double(state);
    return double4{exp(mean + stddev * x.x), exp(mean + stddev * x.y), exp(mean + stddev * x.z),
                   exp(mean + stddev * x.w)};
}

// ---- Poisson numbers: how many events come before the product of uniform numbers is too small (Knuth), or if they are
// many, the least number whose distribution is above a uniform one. Those of Sobol's are always the latter.

inline unsigned int simt_poisson_quantile(double uniform, double lambda) {
    // The sum of the terms around the mean, from where the tail is negligible.
    const double spread = 12 * sqrt(lambda) + 40;
    double k = floor(lambda - spread);
    if (k < 0) k = 0;
    double term = exp(k * log(lambda) - lambda - lgamma(k + 1)), sum = term;
    const double last = lambda + spread;
    while (sum < uniform && k < last) {
        k += 1;
        term *= lambda / k;
        sum += term;
    }
    return static_cast<unsigned int>(k);
}
template <typename State>
inline unsigned int simt_poisson(State* state, double lambda) {
    if (lambda > 4000) {
        const double k = sqrt(lambda) * curand_normal_double(state) + lambda + 0.5;
        return k > 0 ? static_cast<unsigned int>(k) : 0;
    }
    if (lambda >= 64) return simt_poisson_quantile(curand_uniform_double(state), lambda);
    const float least = expf(static_cast<float>(lambda));
    unsigned int k = 0;
    for (float product = least;; ++k) {
        product *= curand_uniform(state);
        if (product <= 1.0f) return k;
    }
}
template <typename State>
inline unsigned int simt_poisson_of_one(State* state, double lambda) {
    if (lambda > 4000) {
        const double k = sqrt(lambda) * curand_normal_double(state) + lambda + 0.5;
        return k > 0 ? static_cast<unsigned int>(k) : 0;
    }
    return simt_poisson_quantile(curand_uniform_double(state), lambda);
}
#define SIMT_POISSON(State, function) \
    inline unsigned int curand_poisson(State* state, double lambda) { return function(state, lambda); }
SIMT_POISSON(curandStateXORWOW_t, simt_poisson)
SIMT_POISSON(curandStateMRG32k3a_t, simt_poisson)
SIMT_POISSON(curandStatePhilox4_32_10_t, simt_poisson)
SIMT_POISSON(curandStateSobol32_t, simt_poisson_of_one)
SIMT_POISSON(curandStateScrambledSobol32_t, simt_poisson_of_one)
SIMT_POISSON(curandStateSobol64_t, simt_poisson_of_one)
SIMT_POISSON(curandStateScrambledSobol64_t, simt_poisson_of_one)
#undef SIMT_POISSON
inline uint4 curand_poisson4(curandStatePhilox4_32_10_t* state, double lambda) {
    const unsigned int a = curand_poisson(state, lambda), b = curand_poisson(state, lambda);
    const unsigned int c = curand_poisson(state, lambda), d = curand_poisson(state, lambda);
    return uint4{a, b, c, d};
}
