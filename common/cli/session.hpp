// One run of a program on one device: its options, where its rows go, and how it will exit.
#pragma once

#include <string>
#include <vector>

#include "common/cli/backend.hpp"
#include "common/io/dtype.hpp"
#include "common/io/failure.hpp"
#include "common/cli/options.hpp"
#include "common/io/output.hpp"

class Session {
public:
    Session(const Program& program, const Options& options, const DeviceInfo& device, Output& output);

    const Program& program;
    const Options& options;
    const DeviceInfo& device;
    Output& output;

    Format format() const;
    DType dtype() const;                     // -t, or the program's default
    std::vector<std::size_t> sizes() const;  // -n, or the program's default for this backend
    int warmup() const;                      // the simulator's default is smaller than a GPU's
    int samples() const;
    const std::string& own(const std::string& long_name) const { return options.own.at(long_name); }
    bool own_flag(const std::string& long_name) const { return options.own.count(long_name) > 0; }

    // The program's variants that --kernel selects, in the table's order. One that this device cannot run is left out with
    // a notice, or ends the program with Failure(unavailable) if it was named exactly. Unknown names: Failure(usage).
    std::vector<const Variant*> selected() const;

    // The variant that a filter runs: the only one that --kernel selects, which must be the device's, or else `fallback`.
    std::string filter_kernel(const char* fallback) const;

    // "reduce: MESSAGE" on standard error: always, unless --quiet, only with --verbose.
    void complain(const std::string& message) const;
    void notice(const std::string& message) const;
    void detail(const std::string& message) const;

    void found_wrong_result() { exit_with(Exit::wrong_result); }
    void exit_with(Exit exit) { exit_ = exit; }
    Exit exit() const { return exit_; }

private:
    Exit exit_ = Exit::fine;
};
