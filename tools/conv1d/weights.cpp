// SPDX-License-Identifier: MIT
#include "tools/conv1d/weights.hpp"

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

#include "common/io/number_reader.hpp"
#include "common/io/text.hpp"
#include "kernels/conv1d/border.hpp"

// "1,-2.5, 1e3"; empty if an item is not a number.
static std::vector<double> parse_weights(const std::string& list) {
    std::vector<double> weights;
    for (std::string_view item : split(list, ',')) {
        while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
        const std::optional<double> weight = parse_number(item);
        if (!weight) return {};
        weights.push_back(*weight);
    }
    return weights;
}

static std::vector<double> read_weights(const std::string& path) {
    const auto reader = NumberReader::open(path, std::nullopt);
    const Chunk chunk = reader->read(largest_width + 1).converted_to(DType::f64);
    return {chunk.as<double>(), chunk.as<double>() + chunk.count};
}

std::vector<double> given_weights(const std::string& given) {
    if (given.empty()) return {1.0 / 3, 1.0 / 3, 1.0 / 3};
    std::vector<double> weights = parse_weights(given);
    const bool typed = !weights.empty();
    const Exit exit = typed ? Exit::usage : Exit::bad_input;
    if (!typed) {
        if (given != "-" && !std::filesystem::exists(given))
            fail(Exit::usage, "--weights '{}' is neither a list of numbers, such as 1,2,1, nor a file", given);
        weights = read_weights(given);
    }
    if (weights.empty()) fail(exit, "--weights '{}' has no numbers; a filter has at least one", given);
    if (weights.size() > largest_width)
        fail(exit, "--weights '{}' has more than {} numbers; a filter has at most so many", given, largest_width);
    for (size_t i = 0; i < weights.size(); ++i)
        if (!std::isfinite(weights[i]))
            fail(exit, "--weights '{}': weight {} is {}; weights are finite", given, i + 1, weights[i]);
    return weights;
}

// Recursively, by halves (Cooley and Tukey, 1965). For lengths that are powers of two.
static std::vector<std::complex<double>> transform(const std::vector<std::complex<double>>& sequence) {
    const std::size_t length = sequence.size(), half = length / 2;
    if (length == 1) return sequence;
    std::vector<std::complex<double>> even(half), odd(half), spectrum(length);
    for (std::size_t i = 0; i < half; ++i) even[i] = sequence[2 * i], odd[i] = sequence[2 * i + 1];
    even = transform(even), odd = transform(odd);
    for (std::size_t k = 0; k < half; ++k) {
        const auto turned = std::polar(1.0, -2 * M_PI * double(k) / double(length)) * odd[k];
        spectrum[k] = even[k] + turned;
        spectrum[k + half] = even[k] - turned;
    }
    return spectrum;
}

std::vector<std::complex<double>> discrete_transform(const std::vector<double>& sequence) {
    return transform({sequence.begin(), sequence.end()});
}
