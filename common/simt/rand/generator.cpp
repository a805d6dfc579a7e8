// SPDX-License-Identifier: MIT
// cuRAND's host functions. A generator consists of many independent sequences; a table says which of them makes which
// element of an array, as the generators on a GPU do.
#include <cmath>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/simt/include/curand_kernel.h"
#include "common/simt/library/call.hpp"
#include "common/simt/rand/sobol.hpp"
#include "common/simt/runtime/handle_table.hpp"

namespace simt::rand {
namespace {

/// Where one call's numbers go, and what they are.
enum class Kind { bits, bits_64, uniform, uniform_double, normal, normal_double, poisson };

struct Request {
    Kind kind;
    void* out;
    size_t count;
    double mean = 0, deviation = 1;  ///< of normal numbers; of a Poisson distribution, its mean
    bool is_logarithm = false;       ///< log-normal

    bool is_normal() const { return kind == Kind::normal || kind == Kind::normal_double; }
    size_t bytes() const {
        const bool is_long = kind == Kind::bits_64 || kind == Kind::uniform_double || kind == Kind::normal_double;
        return count * (is_long ? 8 : 4);
    }

    void put(size_t i, unsigned value) const { static_cast<unsigned*>(out)[i] = value; }
    void put(size_t i, unsigned long long value) const { static_cast<unsigned long long*>(out)[i] = value; }
    void put(size_t i, float value) const {
        if (is_normal()) value = static_cast<float>(mean) + value * static_cast<float>(deviation);
        static_cast<float*>(out)[i] = is_logarithm ? std::exp(value) : value;
    }
    void put(size_t i, double value) const {
        if (is_normal()) value = mean + value * deviation;
        static_cast<double*>(out)[i] = is_logarithm ? std::exp(value) : value;
    }
};

/// The numbers of one kind of generator, one call after another.
class Sequences {
public:
    virtual ~Sequences() = default;
    virtual void start(unsigned long long seed, unsigned long long offset, unsigned dimensions) = 0;
    virtual void fill(const Request& request) = 0;
};

/// XORWOW and MRG32k3a: many sequences take turns. Each makes a number, or a pair of normal ones, when it is its turn.
template <typename State>
class TakingTurns final : public Sequences {
public:
    explicit TakingTurns(size_t count) : count_(count) {}

    void start(unsigned long long seed, unsigned long long offset, unsigned) override {
        states_.resize(count_);
        const unsigned long long each = offset / count_;
        turn_ = offset % count_;
        for (size_t i = 0; i < count_; ++i) {
            if (i == 0) curand_init(seed, 0, 0, &states_[0]);
            else states_[i] = states_[i - 1], to_next(&states_[i]);
        }
        for (size_t i = 0; i < count_; ++i) skipahead(each + (i < turn_), &states_[i]);
    }

    void fill(const Request& r) override {
        if (r.is_normal()) {
            for (size_t i = 0; i < r.count; i += 2) {
                if (r.kind == Kind::normal) {
                    const float2 pair = curand_normal2(&next());
                    r.put(i, pair.x), r.put(i + 1, pair.y);
                } else {
                    const double2 pair = curand_normal2_double(&next());
                    r.put(i, pair.x), r.put(i + 1, pair.y);
                }
            }
            return;
        }
        for (size_t i = 0; i < r.count; ++i) {
            State& state = next();
            switch (r.kind) {
                case Kind::bits: r.put(i, curand(&state)); break;
                case Kind::uniform: r.put(i, curand_uniform(&state)); break;
                case Kind::uniform_double: r.put(i, curand_uniform_double(&state)); break;
                default: r.put(i, curand_poisson(&state, r.mean)); break;
            }
        }
    }

private:
    static void to_next(curandStateXORWOW_t* state) { skipahead_sequence(1, state); }
    static void to_next(curandStateMRG32k3a_t* state) { skipahead_subsequence(1, state); }

    State& next() {
        State& state = states_[turn_];
        turn_ = (turn_ + 1) % count_;
        return state;
    }

    const size_t count_;
    std::vector<State> states_;
    size_t turn_ = 0;
};

/// Philox: 65536 sequences take turns, with four numbers each time, for which they take four or eight words.
class Philox final : public Sequences {
public:
    void start(unsigned long long seed, unsigned long long offset, unsigned) override {
        key_ = {static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32)};
        position_ = offset;
        first_ = offset / 4;
        is_known_ = false;
    }

    void fill(const Request& r) override {
        for (size_t i = 0; i < r.count; ++i, ++position_) {
            const auto one = static_cast<unsigned>(position_ % 4), pair = one / 2 * 2;
            const bool is_second = one % 2 == 1;
            switch (r.kind) {
                case Kind::bits: r.put(i, word(1, one)); break;
                case Kind::uniform: r.put(i, _curand_uniform(word(1, one))); break;
                case Kind::uniform_double:
                    r.put(i, _curand_uniform_double_hq(word(2, 2 * one), word(2, 2 * one + 1)));
                    break;
                case Kind::normal: {
                    const float2 two = _curand_box_muller(word(1, pair), word(1, pair + 1));
                    r.put(i, is_second ? two.y : two.x);
                    break;
                }
                case Kind::normal_double: {
                    const unsigned at = 2 * pair;
                    const double2 two =
                        _curand_box_muller_double(word(2, at), word(2, at + 1), word(2, at + 2), word(2, at + 3));
                    r.put(i, is_second ? two.y : two.x);
                    break;
                }
                default: r.put(i, simt_poisson_quantile(_curand_uniform_double(word(1, one)), r.mean));
            }
        }
    }

private:
    // Word `index` of those of this turn, which takes `blocks` times four words.
    unsigned word(unsigned blocks, unsigned index) {
        constexpr unsigned long long sequences = 65536;
        const unsigned long long place = position_ / 4, sequence = place % sequences;
        const unsigned long long first =
            first_ / sequences + (sequence < first_ % sequences);  // its turn after the offset
        const unsigned long long block = first + (place / sequences - first) * blocks + index / 4;
        const uint4 counter = {static_cast<unsigned>(block), static_cast<unsigned>(block >> 32),
                               static_cast<unsigned>(sequence), 0};
        const bool is_known =
            is_known_ && counter.x == counter_.x && counter.y == counter_.y && counter.z == counter_.z;
        if (!is_known) words_ = curand_Philox4x32_10(counter, key_);
        counter_ = counter, is_known_ = true;
        return simt_word(words_, index % 4);
    }

    uint2 key_ = {};
    uint4 counter_ = {}, words_ = {};
    unsigned long long position_ = 0, first_ = 0;
    bool is_known_ = false;
};

/// Sobol's points: first all first coordinates, then all second ones.
template <typename State, typename Word, int bits>
class Sobol final : public Sequences {
public:
    void start(unsigned long long, unsigned long long offset, unsigned dimensions) override {
        states_.resize(dimensions);
        for (unsigned i = 0; i < dimensions; ++i) {
            const auto vectors = direction_vectors(i);
            Word shifted[bits];
            for (int k = 0; k < bits; ++k)
                shifted[k] = static_cast<Word>(vectors[static_cast<size_t>(k)] >> (64 - bits));
            curand_init(shifted, static_cast<Word>(offset), &states_[i]);
        }
    }

    void fill(const Request& r) override {
        const size_t each = r.count / states_.size();
        for (size_t dimension = 0; dimension < states_.size(); ++dimension) {
            State& state = states_[dimension];
            for (size_t i = dimension * each; i < (dimension + 1) * each; ++i) {
                switch (r.kind) {
                    case Kind::bits:
                    case Kind::bits_64: r.put(i, curand(&state)); break;
                    case Kind::uniform: r.put(i, curand_uniform(&state)); break;
                    case Kind::uniform_double: r.put(i, curand_uniform_double(&state)); break;
                    case Kind::normal: r.put(i, curand_normal(&state)); break;
                    case Kind::normal_double: r.put(i, curand_normal_double(&state)); break;
                    case Kind::poisson: r.put(i, curand_poisson(&state, r.mean)); break;
                }
            }
        }
    }

private:
    std::vector<State> states_;
};

std::unique_ptr<Sequences> sequences_of(curandRngType_t type, curandOrdering_t order) {
    switch (type) {
        case CURAND_RNG_PSEUDO_DEFAULT:
        case CURAND_RNG_PSEUDO_XORWOW: return std::make_unique<TakingTurns<curandStateXORWOW_t>>(4096);
        case CURAND_RNG_PSEUDO_MRG32K3A:
            return std::make_unique<TakingTurns<curandStateMRG32k3a_t>>(order == CURAND_ORDERING_PSEUDO_LEGACY ? 4096
                                                                                                               : 81920);
        case CURAND_RNG_PSEUDO_PHILOX4_32_10: return std::make_unique<Philox>();
        case CURAND_RNG_QUASI_DEFAULT:
        case CURAND_RNG_QUASI_SOBOL32: return std::make_unique<Sobol<curandStateSobol32_t, unsigned, 32>>();
        case CURAND_RNG_QUASI_SOBOL64: return std::make_unique<Sobol<curandStateSobol64_t, unsigned long long, 64>>();
        default: return nullptr;
    }
}

struct Generator {
    std::unique_ptr<Sequences> sequences;
    curandRngType_t type = CURAND_RNG_PSEUDO_DEFAULT;
    bool is_for_host = false;
    std::shared_ptr<Stream> stream;

    std::mutex mutex;  ///< guards the members below, and the sequences
    unsigned long long seed = 0, offset = 0;
    unsigned dimensions = 1;
    bool has_started = false;

    bool is_quasi() const { return type >= CURAND_RNG_QUASI_DEFAULT; }
    bool makes_64_bits() const { return type == CURAND_RNG_QUASI_SOBOL64; }

    void fill(const Request& request) {
        const std::lock_guard lock(mutex);
        if (!has_started) sequences->start(seed, offset, dimensions);
        has_started = true;
        sequences->fill(request);
    }
};

HandleTable<Generator>& generators() {
    static auto& table = *new HandleTable<Generator>;
    return table;
}

template <typename Body>
curandStatus_t with_generator(const char* name, curandGenerator_t handle, Body body) {
    return library::library_function(name, CURAND_STATUS_INITIALIZATION_FAILED, [&] {
        const auto generator = generators().find(handle);
        return generator ? body(*generator, generator) : CURAND_STATUS_NOT_INITIALIZED;
    });
}

curandStatus_t create(const char* name, curandGenerator_t* handle, curandRngType_t type, bool is_for_host) {
    return library::library_function(name, CURAND_STATUS_INITIALIZATION_FAILED, [&] {
        auto generator = std::make_shared<Generator>();
        generator->sequences = sequences_of(type, CURAND_ORDERING_PSEUDO_DEFAULT);
        if (!generator->sequences) {
            const char* const known = type == CURAND_RNG_PSEUDO_MTGP32             ? "MTGP32"
                                      : type == CURAND_RNG_PSEUDO_MT19937          ? "MT19937"
                                      : type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 ? "scrambled SOBOL32"
                                      : type == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64 ? "scrambled SOBOL64"
                                                                                   : nullptr;
            if (known) {
                library::say_once(std::string(name) + ": the simulator does not have the generator " + known +
                                  "; it has XORWOW, MRG32K3A, PHILOX4_32_10, SOBOL32 and SOBOL64");
            }
            return CURAND_STATUS_TYPE_ERROR;
        }
        generator->type = type;
        generator->is_for_host = is_for_host;
        generator->stream = find_stream(nullptr);
        *handle = static_cast<curandGenerator_t>(generators().add(std::move(generator)));
        return CURAND_STATUS_SUCCESS;
    });
}

// Changes what the next call starts with, when the stream has come there.
template <typename Change>
curandStatus_t restart(const char* name, curandGenerator_t handle, bool is_for_quasi, bool is_for_pseudo,
                       Change change) {
    return with_generator(name, handle, [&](Generator& generator, const std::shared_ptr<Generator>&) {
        if (generator.is_quasi() ? !is_for_quasi : !is_for_pseudo) return CURAND_STATUS_TYPE_ERROR;
        generator.stream->last_ticket().wait();
        const std::lock_guard lock(generator.mutex);
        change(generator);
        generator.has_started = false;
        return CURAND_STATUS_SUCCESS;
    });
}

curandStatus_t generate(const char* name, curandGenerator_t handle, const Request& request) {
    return with_generator(name, handle, [&](Generator& generator, const std::shared_ptr<Generator>& shared) {
        const bool is_64 = request.kind == Kind::bits_64;
        if ((is_64 || request.kind == Kind::bits) && is_64 != generator.makes_64_bits())
            return CURAND_STATUS_TYPE_ERROR;
        const bool needs_pairs = request.is_normal() && generator.type != CURAND_RNG_PSEUDO_PHILOX4_32_10;
        const size_t unit = generator.is_quasi() ? generator.dimensions : needs_pairs ? 2 : 1;
        if (request.count % unit != 0) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
        if (request.kind == Kind::poisson && !(request.mean > 0)) return CURAND_STATUS_OUT_OF_RANGE;
        if (request.count == 0) return CURAND_STATUS_SUCCESS;
        if (generator.is_for_host) {
            generator.fill(request);
            return CURAND_STATUS_SUCCESS;
        }
        const cudaError_t error = library::submit(
            generator.stream, {name,
                               [=] {
                                   return std::vector<library::Buffer>{
                                       {"outputPtr", request.out, request.bytes(), 1, 0, library::Use::writes}};
                               },
                               [=] { shared->fill(request); }});
        return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
    });
}

// The vectors of all dimensions as rows of `bits` words.
template <typename Word, int bits>
curandStatus_t get_vectors(Word (*vectors[])[bits], bool is_known) {
    if (!is_known) {
        library::say_once("curandGetDirectionVectors: the simulator does not have scrambled direction vectors");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    static Word(*const table)[bits] = [] {
        auto* const rows = new Word[most_dimensions()][bits];
        for (unsigned dimension = 0; dimension < most_dimensions(); ++dimension) {
            const auto from = direction_vectors(dimension);
            for (size_t k = 0; k < bits; ++k) rows[dimension][k] = static_cast<Word>(from[k] >> (64 - bits));
        }
        return rows;
    }();
    *vectors = table;
    return CURAND_STATUS_SUCCESS;
}

}  // namespace
}  // namespace simt::rand

using namespace simt::rand;

curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type) {
    return create("curandCreateGenerator", generator, type, false);
}
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type) {
    return create("curandCreateGeneratorHost", generator, type, true);
}
curandStatus_t curandDestroyGenerator(curandGenerator_t handle) {
    return with_generator("curandDestroyGenerator", handle, [&](Generator&, const std::shared_ptr<Generator>&) {
        generators().remove(handle);
        return CURAND_STATUS_SUCCESS;
    });
}
curandStatus_t curandGetVersion(int* version) {
    *version = CURAND_VERSION;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandGetProperty(libraryPropertyType type, int* value) {
    if (type < MAJOR_VERSION || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
    *value = type == MAJOR_VERSION ? CURAND_VER_MAJOR : type == MINOR_VERSION ? CURAND_VER_MINOR : CURAND_VER_PATCH;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t handle, cudaStream_t stream) {
    return with_generator("curandSetStream", handle, [&](Generator& generator, const std::shared_ptr<Generator>&) {
        auto found = simt::find_stream(stream);
        if (!found) return CURAND_STATUS_INTERNAL_ERROR;
        generator.stream = std::move(found);
        return CURAND_STATUS_SUCCESS;
    });
}
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t handle, unsigned long long seed) {
    return restart("curandSetPseudoRandomGeneratorSeed", handle, false, true,
                   [=](Generator& generator) { generator.seed = seed; });
}
curandStatus_t curandSetGeneratorOffset(curandGenerator_t handle, unsigned long long offset) {
    return restart("curandSetGeneratorOffset", handle, true, true,
                   [=](Generator& generator) { generator.offset = offset; });
}
curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t handle, unsigned dimensions) {
    if (dimensions == 0 || dimensions > 20000) return CURAND_STATUS_OUT_OF_RANGE;
    if (dimensions > most_dimensions()) {
        simt::library::say_once("curandSetQuasiRandomGeneratorDimensions: the simulator has Sobol sequences of up to " +
                                std::to_string(most_dimensions()) + " dimensions");
        return CURAND_STATUS_OUT_OF_RANGE;
    }
    return restart("curandSetQuasiRandomGeneratorDimensions", handle, true, false,
                   [=](Generator& generator) { generator.dimensions = dimensions; });
}
curandStatus_t curandSetGeneratorOrdering(curandGenerator_t handle, curandOrdering_t order) {
    if (order == CURAND_ORDERING_PSEUDO_SEEDED) {
        simt::library::say_once(
            "curandSetGeneratorOrdering: the simulator does not have CURAND_ORDERING_PSEUDO_SEEDED");
        return CURAND_STATUS_TYPE_ERROR;
    }
    const bool is_quasi = order == CURAND_ORDERING_QUASI_DEFAULT;
    const bool is_known = is_quasi || (order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC);
    if (!is_known) return CURAND_STATUS_OUT_OF_RANGE;
    return restart("curandSetGeneratorOrdering", handle, is_quasi, !is_quasi,
                   [=](Generator& generator) { generator.sequences = sequences_of(generator.type, order); });
}
curandStatus_t curandGenerateSeeds(curandGenerator_t handle) {
    return with_generator("curandGenerateSeeds", handle,
                          [](Generator&, const std::shared_ptr<Generator>&) { return CURAND_STATUS_SUCCESS; });
}

curandStatus_t curandGenerate(curandGenerator_t handle, unsigned* out, size_t count) {
    return generate("curandGenerate", handle, {Kind::bits, out, count});
}
curandStatus_t curandGenerateLongLong(curandGenerator_t handle, unsigned long long* out, size_t count) {
    return generate("curandGenerateLongLong", handle, {Kind::bits_64, out, count});
}
curandStatus_t curandGenerateUniform(curandGenerator_t handle, float* out, size_t count) {
    return generate("curandGenerateUniform", handle, {Kind::uniform, out, count});
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t handle, double* out, size_t count) {
    return generate("curandGenerateUniformDouble", handle, {Kind::uniform_double, out, count});
}
curandStatus_t curandGenerateNormal(curandGenerator_t handle, float* out, size_t count, float mean, float stddev) {
    return generate("curandGenerateNormal", handle, {Kind::normal, out, count, mean, stddev});
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t handle, double* out, size_t count, double mean,
                                          double stddev) {
    return generate("curandGenerateNormalDouble", handle, {Kind::normal_double, out, count, mean, stddev});
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t handle, float* out, size_t count, float mean, float stddev) {
    return generate("curandGenerateLogNormal", handle, {Kind::normal, out, count, mean, stddev, true});
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t handle, double* out, size_t count, double mean,
                                             double stddev) {
    return generate("curandGenerateLogNormalDouble", handle, {Kind::normal_double, out, count, mean, stddev, true});
}
curandStatus_t curandGeneratePoisson(curandGenerator_t handle, unsigned* out, size_t count, double lambda) {
    return generate("curandGeneratePoisson", handle, {Kind::poisson, out, count, lambda});
}
curandStatus_t curandGetDirectionVectors32(curandDirectionVectors32_t* vectors[], curandDirectionVectorSet_t set) {
    return get_vectors<unsigned, 32>(vectors, set == CURAND_DIRECTION_VECTORS_32_JOEKUO6);
}
curandStatus_t curandGetDirectionVectors64(curandDirectionVectors64_t* vectors[], curandDirectionVectorSet_t set) {
    return get_vectors<unsigned long long, 64>(vectors, set == CURAND_DIRECTION_VECTORS_64_JOEKUO6);
}
