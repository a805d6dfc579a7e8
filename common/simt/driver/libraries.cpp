// SPDX-License-Identifier: MIT
#include "common/simt/driver/libraries.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "common/simt/driver/options.hpp"

namespace simcc {

bool has_library(const std::string& name, const std::string& argument) {
    static constexpr std::string_view built_in[] = {"cudart",  "cudadevrt",      "cuda",         "nvToolsExt", "nccl",
                                                    "nvrtc",   "cublas",         "cublasLt",     "curand",     "cufft",
                                                    "culibos", "nvrtc-builtins", "nvptxcompiler"};
    static constexpr std::string_view absent[] = {"cufftw", "cusparse", "cusparseLt", "cusolver", "cusolverMg",
                                                  "cudnn",  "npp",      "nvidia-ml",  "nvjpeg",   "cutensor",
                                                  "cufile", "nvgraph",  "cupti"};
    const auto is_among = [](const auto& list, std::string_view word) {
        return std::find(std::begin(list), std::end(list), word) != std::end(list);
    };
    std::string_view base = name;
    for (const std::string_view ending : {"_nocallback", "_static"}) {
        const bool ends = base.size() > ending.size() && base.substr(base.size() - ending.size()) == ending;
        if (ends) base.remove_suffix(ending.size());
    }
    if (is_among(built_in, base)) return true;
    const bool is_part_of_npp = base.size() < 8 && base.substr(0, 3) == "npp";
    if (is_among(absent, base) || is_part_of_npp)
        throw UsageError(argument + ": the simulator does not have this library; the program needs nvcc and a GPU");
    return false;
}

}  // namespace simcc
