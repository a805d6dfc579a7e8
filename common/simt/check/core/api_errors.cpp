// SPDX-License-Identifier: MIT
#include "common/simt/check/core/api_errors.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "common/simt/check/core/finding.hpp"
#include "common/simt/check/core/symbols.hpp"

namespace simt::check {

void api_failed(cudaError_t error, const std::string& why) {
    if (error == cudaErrorNotReady) return;
    Finding finding;
    finding.backtrace = host_backtrace();
    finding.backtrace_time = "at error";
    const std::string function = api_function(finding.backtrace);  // unknown without symbols
    finding.title = std::string("Program hit ") + cudaGetErrorName(error) + " (error " + std::to_string(error) +
                    ") due to \"" + cudaGetErrorString(error) + "\" on " +
                    (function.empty() ? "a CUDA API call." : "CUDA API call to " + function + ".");
    if (!why.empty()) finding.details.push_back(why);
    report(std::move(finding));
}

void library_misused(const std::string& title, const ClientNote& call) {
    Finding finding;
    finding.title = title;
    if (call) finding.backtrace = *std::static_pointer_cast<const std::vector<const void*>>(call);
    finding.backtrace_time = "at the call";
    report(std::move(finding));
}

}  // namespace simt::check
