// SPDX-License-Identifier: MIT
// Command lines: sizes, globs, and the options of the programs and of simcc.
#include <algorithm>
#include <any>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "common/cli/options.hpp"
#include "common/cli/sizes.hpp"
#include "common/io/text.hpp"
#include "common/simt/driver/options.hpp"
#include "tests/fuzz/target.hpp"

namespace {

// No other failure than a usage error, which may repeat any words: they are the user's own.
template <typename Action>
bool succeeds(Action action) {
    try {
        action();
        return true;
    } catch (const Failure& failure) {
        if (failure.exit() != Exit::usage) broken("a wrong command line is a usage error", failure.what());
        if (*failure.what() == '\0') broken("a usage error says what is wrong");
    }
    return false;
}

std::vector<std::string> lines_of(std::string_view input) {
    std::vector<std::string> lines = split(input, '\n');
    for (std::string& line : lines) line = line.substr(0, line.find('\0'));  // as any argument ends
    return lines;
}

// Which prefixes of the name the pattern so far matches, a character of the pattern at a time.
bool matches_by_table(std::string_view pattern, std::string_view name) {
    std::vector<bool> reached(name.size() + 1);
    reached[0] = true;
    for (const char c : pattern) {
        std::vector<bool> next(name.size() + 1);
        for (std::size_t i = 0; i <= name.size(); ++i)
            next[i] = c == '*' ? reached[i] || (i > 0 && next[i - 1])
                               : i > 0 && reached[i - 1] && (c == '?' || c == name[i - 1]);
        reached = next;
    }
    return reached[name.size()];
}

struct OwnOptions {
    int own = 7;
    bool flag = false;

    void add_options(OptionTable& table) {
        table.whole("--own", "N", "a number", own, 1, 9);
        table.flag("--flag", "a flag", flag);
    }
};

Program sample_program() {
    Program program;
    program.name = "sample";
    program.summary = "Does nothing.";
    program.operands = "[FILE]...";
    program.most_operands = 2;
    program.dtypes = {DType::f32, DType::f64, DType::i32};
    static constexpr Variant variants[] = {{.name = "first", .idea = "the first"},
                                           {.name = "second", .idea = "the second"}};
    program.variants = variants_of(variants);
    program.options = own_options<OwnOptions>;
    return program;
}

}  // namespace

void fuzz_sizes(std::string_view input) {
    const std::string list(input);
    std::vector<std::size_t> sizes;
    if (!succeeds([&] { sizes = parse_sizes(list); })) return;
    if (sizes.size() > 10'000 + static_cast<std::size_t>(std::count(list.begin(), list.end(), ',')))
        broken("a list of sizes is bounded", list);
    if (sizes.empty() != list.empty()) broken("a list of sizes is empty when nothing was said", list);
    if (sizes.empty()) return;
    if (*std::max_element(sizes.begin(), sizes.end()) > largest_size) broken("a size is at most the largest", list);
    std::string again;
    for (const std::size_t size : sizes) again += (again.empty() ? "" : ",") + std::to_string(size);
    if (parse_sizes(again) != sizes) broken("sizes written out are the same sizes", list);
}

void fuzz_globs(std::string_view input) {
    const std::size_t end = std::min(input.find('\n'), input.size());
    const std::string_view pattern = input.substr(0, end), name = input.substr(std::min(end + 1, input.size()));
    if (matches_glob(pattern, name) != matches_by_table(pattern, name)) broken("a glob matches what it should", input);
    const std::vector<std::string> candidates = {std::string(pattern), "shared-tree", "cpu"};
    const std::string nearest = nearest_name(name, candidates);
    if (!nearest.empty() && std::find(candidates.begin(), candidates.end(), nearest) == candidates.end())
        broken("the nearest name is one of the names", nearest);
    if (name == pattern && nearest != name) broken("a name is nearest to itself", nearest);
}

void fuzz_options(std::string_view input) {
    static const Program program = sample_program();
    std::vector<std::string> words = lines_of(input);
    words.insert(words.begin(), program.name);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    Options options;
    bool is_run = false;
    if (!succeeds(
            [&] { is_run = parse_options(program, static_cast<int>(words.size()), arguments.data(), options); }) ||
        !is_run)
        return;
    const auto in_range = [](const PerBackend<int>& number, int smallest) {
        return number.on_gpu >= smallest && number.in_simulator >= smallest;
    };
    const auto& own = std::any_cast<const OwnOptions&>(options.own);
    if (options.block < 1 || options.block > 1024 || !in_range(options.samples, 1) || !in_range(options.warmup, 0) ||
        !(options.timeout_s > 0 && options.timeout_s <= 1e6) ||
        !(options.max_ci_percent >= 0 && options.max_ci_percent <= 100) || !(options.tolerance <= 1) ||
        options.operands.size() > program.most_operands || own.own < 1 || own.own > 9 ||
        (options.sizes.given && (options.sizes.on_gpu.empty() || options.sizes.in_simulator.empty())))
        broken("options that are accepted are in their ranges", input);
}

void fuzz_simcc_options(std::string_view input) {
    try {
        simcc::parse_options(lines_of(input));
    } catch (const simcc::UsageError& error) {
        if (*error.what() == '\0') broken("a usage error says what is wrong", input);
    }
}
