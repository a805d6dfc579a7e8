// SPDX-License-Identifier: MIT
#include "tools/memcheckdemo/sources.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <sstream>
#include <utility>

#include "common/io/process.hpp"
#include "common/io/text.hpp"

namespace {

constexpr std::pair<const char*, const char*> files[] = {
#include "build/plants.inc"
};

constexpr const char* check_begins = "// ---- an input for each seed, and the right result";

// main() of an exported program, and of the one that grades it.
constexpr const char* main_of_program = R"(
int main(int count, char** arguments) {
    const unsigned seed = count > 1 ? static_cast<unsigned>(std::atoi(arguments[1])) : 1;
    const std::vector<int> in = input(seed), right = expected(in);
    std::vector<int> out(right.size(), -1);
    const cudaError_t error = run(in, out);
    if (error != cudaSuccess) {
        std::printf("seed %u: %s\n", seed, cudaGetErrorString(error));
        return 3;
    }
    for (std::size_t i = 0; i < right.size(); ++i) {
        if (out[i] == right[i]) continue;
        std::printf("seed %u: element %zu is %d, should be %d\n", seed, i, out[i], right[i]);
        return 1;
    }
    std::printf("seed %u: right\n", seed);
    return 0;
}
)";

// Takes inputs and writes results: see workshop.hpp.
constexpr const char* main_of_grading = R"(
cudaError_t run(const std::vector<int>& in, std::vector<int>& out);

namespace grading {

__global__ void PROOF(const int* never_written, int* out) { *out = *never_written; }

bool get(void* to, std::size_t bytes) {
    ssize_t got = 1;
    for (std::size_t at = 0; at < bytes && got > 0; at += static_cast<std::size_t>(got))
        got = read(0, static_cast<char*>(to) + at, bytes - at);
    return got > 0;
}

void put(int results, const void* from, std::size_t bytes) {
    ssize_t done = 1;
    for (std::size_t at = 0; at < bytes && done > 0; at += static_cast<std::size_t>(done))
        done = write(results, static_cast<const char*>(from) + at, bytes - at);
}

void prove() {
    int *from = nullptr, *to = nullptr;
    cudaMalloc(&from, sizeof(int));
    cudaMalloc(&to, sizeof(int));
    PROOF<<<1, 1>>>(from, to);
    cudaDeviceSynchronize();
    cudaFree(from);
    cudaFree(to);
}

}  // namespace grading

int main() {
    // What run() prints is not a result.
    const int results = dup(1);
    dup2(2, 1);
    bool silent = false;
    for (int size = 0; grading::get(&size, sizeof size);) {
        if (size == -1) grading::prove();
        if (size == -2) silent = true;
        if (size < 0) continue;
        std::vector<int> in(size);
        int count = 0;
        if (size > 0) grading::get(in.data(), in.size() * sizeof(int));
        grading::get(&count, sizeof count);
        std::vector<int> out(count, -1);
        const int error = static_cast<int>(run(in, out));
        std::fflush(stdout);
        const int head[] = {error, static_cast<int>(out.size())};
        if (silent) continue;
        grading::put(results, head, sizeof head);
        grading::put(results, out.data(), out.size() * sizeof(int));
    }
    return 0;
}
)";

bool begins(std::string_view line, std::string_view beginning) { return line.substr(0, beginning.size()) == beginning; }

// Calls take(line, number) for every line of one version, skipping the other version's and the directives that choose.
template <typename Take>
void for_lines_of(std::string_view source, bool fixed, Take take) {
    std::istringstream in{std::string(source)};
    std::vector<std::pair<bool, bool>> open;  // for each #if: whether it chooses a version, and whether this one is it
    unsigned number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        const bool chooses = line == "#if FAULTY" || line == "#if !FAULTY";
        if (begins(line, "#if")) open.emplace_back(chooses, !chooses || (line == "#if FAULTY") != fixed);
        if (chooses) continue;
        const bool of_choice = !open.empty() && open.back().first;
        if (line == "#else" && of_choice) open.back().second = !open.back().second;
        if (line == "#endif" && !open.empty()) open.pop_back();
        if (of_choice && (line == "#else" || line == "#endif")) continue;
        bool included = true;
        for (const auto& [unused, taken] : open) included = included && taken;
        if (included) take(line, number);
    }
}

struct Parts {
    std::string includes, program, check;
};

// Leaves out what is only for people who work on the plants.
Parts parts_of(std::string_view file, bool fixed) {
    Parts parts;
    bool in_check = false;
    for_lines_of(plant_source(file), fixed, [&](std::string line, unsigned) {
        if (begins(line, "//!") || begins(line, "#pragma once") || begins(line, "#include \"")) return;
        const std::size_t remark = line.find("  //!");
        if (remark != std::string::npos) line.erase(line.find_last_not_of(' ', remark) + 1);
        in_check = in_check || line == check_begins;
        std::string& part = begins(line, "#include <") ? parts.includes : in_check ? parts.check : parts.program;
        const bool second_blank = line.empty() && (part.empty() || part.substr(part.size() - 1) == "\n") &&
                                  (part.size() < 2 || part[part.size() - 2] == '\n');
        if (!second_blank) part += line + "\n";
    });
    return parts;
}

constexpr const char* own_includes = "#include <cstdio>\n#include <cstdlib>\n";
constexpr const char* textbook = "kernels/memcheckdemo/textbook.cuh";

std::size_t end_of_string(std::string_view source, std::size_t at) {
    const char quote = source[at];
    for (++at; at < source.size() && source[at] != quote && source[at] != '\n'; ++at)
        if (source[at] == '\\') ++at;
    return std::min(at + 1, source.size());
}

}  // namespace

std::string_view plant_source(std::string_view file) {
    for (const auto& [name, source] : files)
        if (name == file) return source;
    fail(Exit::usage, "there is no source '{}' in this program; build it again", file);
}

std::vector<unsigned> lines_named(std::string_view file, bool by_simulator) {
    std::vector<unsigned> numbers;
    for_lines_of(plant_source(file), false, [&](const std::string& line, unsigned number) {
        const std::size_t at = line.find("  //! here");
        if (at == std::string::npos) return;
        const std::string where = line.substr(at + 10);
        if (where.empty() || where == (by_simulator ? " in the simulator" : " on a GPU")) numbers.push_back(number);
    });
    return numbers;
}

std::string exported_program(std::string_view file, bool fixed, const std::string& asked) {
    const Parts plant = parts_of(file, fixed), common = parts_of(textbook, fixed);
    const std::string demo = called("memcheckdemo");
    return text("// A program {}, written by {} --export {}{}\n", fixed ? "without a defect" : "with one defect", demo,
                fixed ? "--fixed " : "", asked) +
           "//\n"
           "// Build it with        nvcc -lineinfo FILE.cu -o program\n"
           "// or, without a GPU,   " +
           called("simcc") +
           " -G FILE.cu -o program\n"
           "// and run it with      ./program [SEED]\n"
           "// which ends with 0 if the result is right.\n" +
           text("// A corrected copy is graded by {} --grade-fix FILE.cu {}\n", demo, asked) +
           "// which brings an input, a right result and a main() of its own: kernels and run() are yours.\n" +
           plant.includes + own_includes + common.includes + "\n" + common.program + "\n" + plant.program +
           plant.check + main_of_program;
}

std::string grading_program(const std::string& proof) {
    std::string program = "#include <unistd.h>\n\n#include <cstddef>\n#include <cstdio>\n#include <vector>\n";
    program += main_of_grading;
    for (std::size_t at = 0; (at = program.find("PROOF", at)) != std::string::npos;) program.replace(at, 5, proof);
    return program;
}

std::string arguments_in(std::string_view program) {
    const std::string_view before = " --grade-fix FILE.cu ";
    const std::size_t at = program.find(before);
    if (at == std::string_view::npos) return "";
    const std::string_view rest = program.substr(at + before.size());
    return std::string(rest.substr(0, rest.find_first_of("\r\n")));
}

std::string without_comments(std::string_view source, bool in_place) {
    std::string bare;
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < to && in_place; ++i) bare += source[i] == '\n' ? '\n' : ' ';
        if (!in_place && !bare.empty() && bare.back() != ' ') bare += ' ';
    };
    for (std::size_t at = 0; at < source.size();) {
        std::size_t end = at + 1;
        const std::string_view two = source.substr(at, 2);
        if (two == "//" || two == "/*") {
            end = two == "//" ? source.find('\n', at) : source.find("*/", at + 2);
            end = end == std::string_view::npos ? source.size() : two == "//" ? end : end + 2;
            blank(at, end);
        } else if (source[at] == '"' || source[at] == '\'') {
            end = end_of_string(source, at);
            // A digit separator is not a quote: 1'000.
            if (source[at] == '\'' && at > 0 && std::isalnum(static_cast<unsigned char>(source[at - 1]))) end = at + 1;
            bare += source.substr(at, end - at);
        } else if (!in_place && std::isspace(static_cast<unsigned char>(source[at]))) {
            blank(at, end);
        } else {
            bare += source[at];
        }
        at = end;
    }
    return bare;
}

std::string to_be_corrected(std::string_view program) {
    // Blanks matter only between words.
    const std::string bare = without_comments(program);
    std::string packed;
    const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t i = 0; i < bare.size(); ++i) {
        if (bare[i] != ' ') packed += bare[i];
        else if (!packed.empty() && i + 1 < bare.size() && in_word(packed.back()) && in_word(bare[i + 1]))
            packed += ' ';
    }
    return packed.substr(0, packed.find("std::vector<int>input(unsigned seed)"));
}

std::string with_empty_kernels(std::string_view source, int& kernels) {
    const std::string bare = without_comments(source, true);
    std::string changed;
    std::size_t written = 0;
    kernels = 0;
    for (std::size_t at = 0; (at = bare.find("__global__", at)) != std::string::npos;) {
        int depth = 0;
        for (; at < bare.size() && (depth > 0 || (bare[at] != '{' && bare[at] != ';')); ++at)
            depth += bare[at] == '(' ? 1 : bare[at] == ')' ? -1 : 0;
        if (at >= bare.size() || bare[at] == ';') continue;
        changed += std::string(source.substr(written, at + 1 - written)) + " return;";
        written = ++at;
        ++kernels;
    }
    return changed + std::string(source.substr(written));
}
