// The weights of a convolution: typed, read from a file, or drawn at random.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "common/cli/session.hpp"
#include "common/io/numbers.hpp"
#include "common/measure/random.hpp"
#include "tools/conv1d/options.hpp"

namespace BACKEND {

// The lecture's filter: an output is the average of an input and its neighbours.
inline std::vector<double> average_of_three() { return {1.0 / 3, 1.0 / 3, 1.0 / 3}; }

// "1,-2.5,1e3"; nothing if an item is no number.
inline std::vector<double> parse_weights(const std::string& list) {
    std::vector<double> weights;
    for (const std::string& item : split(list, ',')) {
        char* end = nullptr;
        weights.push_back(std::strtod(item.c_str(), &end));
        if (item.empty() || *end != '\0') return {};
    }
    return weights;
}

inline std::vector<double> read_weights(const std::string& path) {
    const auto reader = NumberReader::open(path, std::nullopt);
    const Chunk chunk = reader->read(largest_width + 1).converted_to(DType::f64);
    return {chunk.as<double>(), chunk.as<double>() + chunk.count};
}

// The weights of --weights, or the average of three.
inline std::vector<double> given_weights(const Session& session) {
    const ConvolutionOptions& own = session.own<ConvolutionOptions>();
    if (own.weights.empty()) return average_of_three();
    std::vector<double> weights = parse_weights(own.weights);
    const bool typed = !weights.empty();
    const Exit exit = typed ? Exit::usage : Exit::bad_input;
    if (!typed) {
        if (own.weights != "-" && !std::filesystem::exists(own.weights))
            fail(Exit::usage, "--weights '{}' is neither a list of numbers, such as 1,2,1, nor a file", own.weights);
        if (own.weights == "-" && !session.options.operands.empty() && session.options.operands.front() == "-")
            fail(Exit::usage, "only one of the signal and the weights can be standard input");
        weights = read_weights(own.weights);
    }
    if (weights.empty()) fail(exit, "--weights '{}' has no numbers; a filter has at least one", own.weights);
    if (weights.size() > largest_width)
        fail(exit, "--weights '{}' has more than {} numbers; a filter has at most so many", own.weights, largest_width);
    for (size_t i = 0; i < weights.size(); ++i)
        if (!std::isfinite(weights[i]))
            fail(exit, "--weights '{}': weight {} is {}; weights are finite", own.weights, i + 1, weights[i]);
    return weights;
}

inline std::vector<double> random_weights(size_t width, std::uint64_t seed) {
    std::vector<double> weights(width);
    for (size_t i = 0; i < width; ++i) weights[i] = uniform<double>(seed + 1, i);
    return weights;
}

// What slides over the signal: the weights in T, the last one first.
template <typename T>
std::vector<T> taps_of(const std::vector<double>& weights) {
    std::vector<T> taps;
    for (size_t i = weights.size(); i-- > 0;) {
        taps.push_back(T(weights[i]));
        if (!std::isfinite(taps.back()))
            fail(Exit::bad_input, "weight {}, {}, does not fit into {}; use -t f64", i + 1, weights[i],
                 name_of(dtype_of<T>));
    }
    return taps;
}

}  // namespace BACKEND
