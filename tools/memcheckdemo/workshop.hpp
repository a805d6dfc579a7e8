// SPDX-License-Identifier: MIT
// Where a corrected copy of a plant is built and run: in a sandbox, together with a main() of our own, which takes inputs
// from its standard input and writes results, and nothing but results, to its standard output.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "common/process/sandbox.hpp"

// The compiler that builds copies, and the tool that looks for defects in them.
struct Builder {
    std::string compiler;     // a path; "" if there is none
    std::string sanitizer;    // compute-sanitizer; "" where the simulator checks
    std::string missing;      // what to do if there is none
    std::string device = {};  // of a GPU, its UUID

    bool is_for_simulator() const { return sanitizer.empty(); }
    bool operator==(const Builder& other) const { return compiler == other.compiler && sanitizer == other.sanitizer; }
};

// simcc, and the compiler that it needs.
Builder simulator_builder();

// The program that runs copies, built once. Its object is what the copies are linked with.
class Harness {
public:
    explicit Harness(const Builder& builder);

    const Builder& builder() const { return builder_; }
    const std::string& missing_isolation() const { return sandbox_.missing(); }
    // What the compiler printed if it could not even build this; "" if it could.
    const std::string& failure() const { return failure_; }
    std::string object() const { return sandbox_.file("grading.o"); }
    // A kernel of its own that reads a value which was never written: if the report of a checker lacks this one finding,
    // the checker was off.
    const std::string& proof() const { return proof_; }

private:
    Builder builder_;
    Sandbox sandbox_;
    std::string proof_, failure_;
};

// One input, as a program gets it: how many numbers, the numbers, and how many numbers the result should have.
void add_input(std::string& inputs, const std::vector<int>& in, std::size_t results);

// In place of an input: it runs proof(), or writes no results from then on.
void ask_for_proof(std::string& inputs);
void ask_for_no_results(std::string& inputs);

// One result, as the program writes it.
struct Answer {
    int error;
    std::vector<int> out;
};
// The results among what a program wrote. What follows one that is incomplete does not count.
std::vector<Answer> answers_in(const std::string& output);

class Workshop {
public:
    using Clock = Sandbox::Clock;

    // `path`: the copy's, whose name reports show. Everything ends within `seconds`.
    Workshop(const Harness& harness, const std::string& path, const std::string& source, double seconds);

    // Builds the copy, and one with empty kernels; the second call only returns the first one's result.
    const Ended& build();
    const Ended& build_without_kernels();
    int kernels() const { return kernels_; }
    // Why the copy was refused, though it may be valid; "" if it was not.
    const std::string& refusal() const { return refusal_; }

    // Runs one of them with these inputs, for which it writes so many results; `prefix` is a command that runs it.
    Ended run(bool with_kernels, const std::string& inputs, std::size_t results, const std::vector<std::string>& prefix,
              const Environment& environment);

    // Whether enough time is left to begin something.
    bool has_time() const { return end_ - Clock::now() > time_ / 20; }
    // Which limit ended a program, for people; "" for none.
    std::string limit_of(const Ended& ended) const;

    // A program's messages, fit for a terminal, at most so many lines, and without the sandbox's folder.
    std::string readable(const std::string& messages, int most_lines) const;

private:
    Ended compile(const std::vector<std::string>& more, const std::string& result) const;
    Ended build(std::string source, const std::string& name) const;

    const Harness& harness_;
    std::string source_, shown_;
    Clock::duration time_;
    Clock::time_point end_;
    Sandbox sandbox_;
    std::optional<Ended> built_, built_without_kernels_;
    std::string refusal_;
    int kernels_ = 0;
};
