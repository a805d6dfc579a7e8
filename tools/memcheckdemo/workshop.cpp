// SPDX-License-Identifier: MIT
#include "tools/memcheckdemo/workshop.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <random>
#include <sstream>
#include <system_error>

#include "common/io/text.hpp"
#include "tools/memcheckdemo/sources.hpp"

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

// The words of CXX, the first of them as a path.
std::vector<std::string> cxx_words() {
    const std::string cxx = variable("CXX");
    std::vector<std::string> words = split(cxx.empty() ? "g++" : cxx, ' ');
    std::string& first = words.front();
    if (first.find('/') != std::string::npos) first = fs::absolute(first);
    else if (const std::string path = path_of_program(first); !path.empty()) first = path;
    return words;
}

// What a program needs besides the system's folders: its installation, if it has one of its own.
void add_installation(std::vector<std::string>& readable, const std::string& program) {
    if (program.empty()) return;
    std::error_code error;
    for (const fs::path& path : {fs::path(program), fs::canonical(program, error)}) {
        if (path.empty()) continue;
        const fs::path folder = path.parent_path(), root = folder.parent_path();
        const bool has_own = folder.filename() == "bin" && root.has_relative_path();
        readable.push_back(has_own ? root : path);
    }
}

std::vector<std::string> readable_for(const Builder& builder) {
    std::vector<std::string> readable;
    add_installation(readable, cxx_words().front());
    std::error_code error;
    if (builder.is_for_simulator()) {
        // simcc alone, without what else is installed beside it.
        readable.push_back(fs::canonical(builder.compiler, error));
        const fs::path library = fs::path(readable.back()).parent_path().parent_path() / "lib/gridutils";
        readable.push_back(library);
        readable.push_back(fs::canonical(library / "include", error));
        readable.push_back(fs::canonical(library / "libsimt.a", error));
        std::erase(readable, "");
        return readable;
    }
    add_installation(readable, builder.compiler);
    add_installation(readable, builder.sanitizer);
    readable.push_back("/sys");
    for (const auto& entry : fs::directory_iterator("/dev"))
        if (entry.path().filename().string().rfind("nvidia", 0) == 0) readable.push_back(entry.path());
    return readable;
}

Environment environment_of(const Builder& builder) {
    Environment environment = {{"LC_ALL", "C"}, {"HOME", "/"}, {"CCACHE_DISABLE", "1"}};
    for (const char* name : {"PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH"})
        if (const std::string value = variable(name); !value.empty()) environment.push_back({name, value});
    std::string cxx;
    for (const std::string& word : cxx_words()) cxx += (cxx.empty() ? "" : " ") + word;
    if (builder.is_for_simulator()) environment.push_back({"CXX", cxx});
    if (!builder.device.empty()) environment.push_back({"CUDA_VISIBLE_DEVICES", builder.device});
    return environment;
}

// Compilers take less than this, and plants less than that.
constexpr std::size_t compiler_memory = std::size_t{1} << 32, plant_memory = std::size_t{1} << 30;

Task compilation(const Builder& builder, std::vector<std::string> arguments, const std::string& result) {
    Task task;
    task.command = {builder.is_for_simulator() ? fs::canonical(builder.compiler).string() : builder.compiler};
    task.command.insert(task.command.end(), arguments.begin(), arguments.end());
    task.command.insert(task.command.end(), {"-w", "-o", result});
    if (builder.is_for_simulator()) task.command.push_back("-G");
    else task.command.insert(task.command.end(), {"-lineinfo", "-arch=native"});
    task.environment = environment_of(builder);
    task.results = {result};
    // (A GPU's driver, which nvcc asks for the architecture, needs more than can be foreseen.)
    if (builder.is_for_simulator()) task.limits.memory = compiler_memory;
    return task;
}

std::string random_word() {
    std::random_device random;
    return text("{:x}{:x}", random(), random());
}

// The header that a line of code includes, if it is one of the system's; "" for others, such as the copy itself.
std::string system_header(const std::string& code) {
    std::string packed = code;
    std::erase_if(packed, [](unsigned char c) { return std::isspace(c) != 0; });
    const std::string before = "#include";
    if (packed.rfind(before, 0) != 0 || packed.size() < before.size() + 3) return "";
    const std::string quoted = packed.substr(before.size()), name = quoted.substr(1, quoted.size() - 2);
    const bool is_plain = std::all_of(name.begin(), name.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '/' || c == '-';
    });
    const bool has_ends =
        (quoted.front() == '<' && quoted.back() == '>') || (quoted.front() == '"' && quoted.back() == '"');
    const bool leads_elsewhere = name.front() == '/' || name.find("..") != std::string::npos;
    return is_plain && has_ends && !leads_elsewhere ? name : "";
}

// Moves the lines that include the system's headers out of a text. `path`: how messages about them name it.
std::string take_system_includes(std::string& source, const std::string& path) {
    std::istringstream lines(source), bare(without_comments(source, true));
    std::string includes, rest;
    unsigned number = 0;
    for (std::string line, code; std::getline(lines, line) && std::getline(bare, code);) {
        ++number;
        const std::string header = system_header(code);
        if (!header.empty()) includes += text("#line {} \"{}\"\n#include <{}>\n", number, path, header);
        rest += (header.empty() ? line : "") + '\n';
    }
    source = rest;
    return includes;
}

void add_number(std::string& inputs, int number) {
    inputs.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// With these a program could hide what it does from the checkers, or run code before all others.
constexpr const char* refused_words =
    "asm __asm __asm__ __attribute__ __attribute gnu __gnu__ clang __clang__ _Pragma __pragma GCC";

}  // namespace

Builder simulator_builder() {
    const std::string cxx = cxx_words().front();
    if (access(cxx.c_str(), X_OK) != 0)
        return {"", "", text("{} is missing: install g++, or set CXX to a compiler", cxx)};
    return {path_of_program("simcc"), "",
            "simcc is missing: it belongs beside " + called("memcheckdemo") + ", or into PATH"};
}

Harness::Harness(const Builder& builder)
    : builder_(builder), sandbox_("memcheckdemo", readable_for(builder)), proof_("proof_" + random_word()) {
    const std::string source = sandbox_.write("grading.cu", grading_program(proof_));
    const Task task = compilation(builder, {"-c", source}, "grading.o");
    const Ended ended = sandbox_.run(task, Sandbox::Clock::now() + std::chrono::minutes(2));
    if (ended.status != 0 || access(object().c_str(), R_OK) != 0) failure_ = ended.output + ended.errors + "\n";
}

void add_input(std::string& inputs, const std::vector<int>& in, std::size_t results) {
    add_number(inputs, static_cast<int>(in.size()));
    inputs.append(reinterpret_cast<const char*>(in.data()), in.size() * sizeof(int));
    add_number(inputs, static_cast<int>(results));
}

void ask_for_proof(std::string& inputs) { add_number(inputs, -1); }
void ask_for_no_results(std::string& inputs) { add_number(inputs, -2); }

std::vector<Answer> answers_in(const std::string& output) {
    std::vector<Answer> all;
    std::size_t at = 0;
    const auto take = [&](int* values, std::size_t count) {
        if ((output.size() - at) / sizeof(int) < count) return false;
        std::memcpy(values, output.data() + at, count * sizeof(int));
        at += count * sizeof(int);
        return true;
    };
    for (int head[2]; take(head, 2);) {
        const auto size = static_cast<std::size_t>(std::max(head[1], 0));
        if (head[1] < 0 || (output.size() - at) / sizeof(int) < size) break;
        std::vector<int> values(size);
        take(values.data(), size);
        all.push_back({head[0], values});
    }
    return all;
}

Workshop::Workshop(const Harness& harness, const std::string& path, const std::string& source, double seconds)
    : harness_(harness),
      source_(source),
      time_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds))),
      end_(Clock::now() + time_),
      sandbox_("memcheckdemo", readable_for(harness.builder())) {
    const std::string name = path == "-" ? "copy.cu" : fs::path(path).filename().string();
    const bool plain = name.find_first_of("\"\\\n") == std::string::npos;
    shown_ = "of.copy/" + (plain ? name : "copy.cu");
    fs::create_directory(sandbox_.file("of.copy"));
    fs::permissions(sandbox_.file("of.copy"), fs::perms(0755));
    fs::copy_file(harness.object(), sandbox_.file("grading.o"));
}

Ended Workshop::compile(const std::vector<std::string>& arguments, const std::string& result) const {
    Task task = compilation(harness_.builder(), arguments, result);
    task.limits.processor_seconds =
        static_cast<unsigned>(std::max(1.0, std::chrono::duration<double>(time_).count() / 2));
    return sandbox_.run(task, end_);
}

// (The preprocessor knows all the ways to write a word. What the system's headers say does not count, and nvcc's tools
// see all code.)
Ended Workshop::build(std::string source, const std::string& name) const {
    std::string before = "#define main main_of_copy\n";
    if (harness_.builder().is_for_simulator())
        before = text("{}#pragma GCC poison {}\n", take_system_includes(source, sandbox_.file(shown_)), refused_words) +
                 before;
    sandbox_.write(shown_, source);
    const std::string wrapper = sandbox_.write(name + ".cu", before + text("#include \"{}\"\n", shown_));
    Ended ended = compile({wrapper, sandbox_.file("grading.o")}, name);
    if (ended.status == 0 && access(sandbox_.file(name).c_str(), R_OK) != 0) ended.status = 1;
    return ended;
}

const Ended& Workshop::build() {
    if (built_) return *built_;
    built_ = build(source_, "copy");
    if (built_->status != 0 && built_->errors.find("poisoned") != std::string::npos)
        refusal_ = "asm, attributes and pragmas of the compiler can hide defects from the checkers: do without them";
    return *built_;
}

const Ended& Workshop::build_without_kernels() {
    if (!built_without_kernels_) built_without_kernels_ = build(with_empty_kernels(source_, kernels_), "empty");
    return *built_without_kernels_;
}

Ended Workshop::run(bool with_kernels, const std::string& inputs, std::size_t results,
                    const std::vector<std::string>& prefix, const Environment& environment) {
    sandbox_.write("inputs", inputs);
    Task task;
    task.command = prefix;
    task.command.push_back(sandbox_.file(with_kernels ? "copy" : "empty"));
    task.environment = environment_of(harness_.builder());
    task.environment.insert(task.environment.end(), environment.begin(), environment.end());
    task.input = "inputs";
    task.limits.output += results * sizeof(int);
    task.limits.processor_seconds =
        static_cast<unsigned>(std::max(1.0, std::chrono::duration<double>(time_).count() / 2));
    if (harness_.builder().is_for_simulator()) {
        task.limits.memory = plant_memory;
        task.limits.starts_processes = false;
    }
    return sandbox_.run(task, end_);
}

std::string Workshop::limit_of(const Ended& ended) const {
    const double seconds = std::chrono::duration<double>(time_).count();
    switch (ended.stop) {
        case Stop::time: return text("ended when the {} s were over", seconds);
        case Stop::processor_time: return text("ended after {} s of processor time", std::max(1.0, seconds / 2));
        case Stop::output: return "ended because it wrote too much";
        default: return "";
    }
}

std::string Workshop::readable(const std::string& messages, int most_lines) const {
    std::string all;
    std::istringstream lines(messages);
    const std::string folder = sandbox_.file("of.copy/");
    for (std::string line; std::getline(lines, line);) {
        if (line.rfind("In file included from ", 0) == 0 || line.rfind("                 from ", 0) == 0) continue;
        if (most_lines-- == 0) return all + "...\n";
        for (std::size_t at = 0; (at = line.find(folder, at)) != std::string::npos;) line.erase(at, folder.size());
        for (char& c : line)
            if ((static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\177') c = '?';
        all += line.substr(0, 500) + '\n';
    }
    return all;
}
