// SPDX-License-Identifier: MIT
// One run of a program on one device: its options, where its rows go, and how it will exit.
#pragma once

#include <any>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "common/cli/message.hpp"
#include "common/cli/options.hpp"
#include "common/cli/program.hpp"
#include "common/io/dtype.hpp"
#include "common/io/failure.hpp"
#include "common/measure/run.hpp"

class NumberWriter;
class Progress;
enum class ShowSteps;

// Which steps the options say to show.
ShowSteps shown_steps(const Options& options);

// The words that --kernel accepts for a program's ladders: "@tutorial". The lectures' come first, then those of --ladder.
std::vector<std::string> ladder_words(const Program& program);

class Session final : public Run {
public:
    Session(const Program& program, const Options& options, const DeviceInfo& device, Output& output);
    ~Session();

    const Program& program;
    const Options& options;

    Format format() const override;
    DType dtype() const;  // -t, or the program's default
    // -n, or the program's default for this backend.
    const std::vector<std::size_t>& sizes() const { return options.sizes.on(device); }
    int warmup() const override;
    int samples() const override;
    // The program's own options.
    template <typename Settings>
    const Settings& own() const {
        return std::any_cast<const Settings&>(options.own);
    }

    // The program's variants that --kernel selects, in the table's order or, if it names ladders, in that of its words;
    // and that of --versus, which always runs. Unknown names: Failure(usage).
    std::vector<const Variant*> wanted() const;
    // Those that can run. A variant that this device cannot run is left
    // out (--verbose says so); if it was named exactly, it is a Failure(unavailable). Unknown names: Failure(usage).
    std::vector<const Variant*> selected() const;

    // The same, as rows of the program's own table of variants.
    template <typename Row>
    std::vector<const Row*> selected() const {
        std::vector<const Row*> rows;
        for (const Variant* variant : selected()) rows.push_back(static_cast<const Row*>(variant));
        return rows;
    }

    // Whether --kernel or --versus names exactly this variant.
    bool names(const std::string& variant) const;
    // Skips a variant that cannot run here: Failure(unavailable) if it was named, otherwise --verbose says why.
    void leave_out(const std::string& variant, const std::string& why) const;

    // The variant that a filter runs: the one that --kernel selects or, without --kernel, the one named `fallback`.
    // Failure(usage) if --kernel selects several, or one that runs on the host.
    const Variant& filter_variant(const char* fallback) const;
    template <typename Row>
    const Row& filter_variant(const char* fallback) const {
        return static_cast<const Row&>(filter_variant(fallback));
    }

    // Whether a filter computes with the host's vector units. Only --kernel or a check makes it simulate lanes.
    bool computes_on_host() const;
    void say_where_filters_compute() const;

    // "reduce: MESSAGE" on standard error: an error always, a notice unless --quiet, a detail only with --verbose.
    void complain(const std::string& message) const override;
    void notice(const std::string& message) const override;
    void detail(const std::string& message) const;

    StepCount& begin_step(const std::string& what, StepUnit unit = StepUnit::parts) override;
    void end_step() override;
    // Writes a filter's result, as a step of its own: it may be large, and its reader slow.
    void write(NumberWriter& writer);

    void found_wrong_result() override { exit_with(Exit::wrong_result); }
    void exit_with(Exit exit) { exit_ = exit; }
    Exit exit() const { return exit_; }

private:
    void say(const std::string& message, Weight weight) const;

    std::unique_ptr<Progress> progress_;
    Exit exit_ = Exit::fine;
};
