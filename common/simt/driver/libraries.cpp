// SPDX-License-Identifier: MIT
#include "common/simt/driver/libraries.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>

#include "common/simt/driver/options.hpp"

namespace simcc {
namespace {

constexpr std::string_view has_not = "the simulator does not have ";

/// A library of a toolkit that the simulator lacks, or a part of one: how the names of its headers begin, and how the
/// linker's do. Empty: it has none, or the simulator has a library of that name.
struct AbsentLibrary {
    std::string_view name, headers, link;
};

/// The first that fits counts. The simulator has empty headers for those that programs include most, so that no toolkit
/// is needed to be told.
constexpr AbsentLibrary absent[] = {{"cuBLAS's interface of old", "cublas.h", ""},
                                    {"cuBLASLt", "cublasLt", ""},
                                    {"cuBLASXt", "cublasXt", ""},
                                    {"cuDNN", "cudnn", "cudnn"},
                                    {"cuFFT's interface of FFTW", "cufftw", "cufftw"},
                                    {"cuFile", "cufile", "cufile"},
                                    {"CUPTI", "cupti", "cupti"},
                                    {"cuRAND's MTGP32", "curand_mtgp32", ""},
                                    {"cuSOLVER", "cusolver", "cusolver"},
                                    {"cuSPARSE", "cusparse", "cusparse"},
                                    {"cuTENSOR", "cutensor", "cutensor"},
                                    {"NPP", "npp", "npp"},
                                    {"nvGRAPH", "nvgraph", "nvgraph"},
                                    {"nvJitLink", "nvJitLink", "nvJitLink"},
                                    {"nvJPEG", "nvjpeg", "nvjpeg"},
                                    {"NVML", "nvml.h", "nvidia-ml"},
                                    {"the PTX compiler", "nvPTXCompiler", ""},
                                    {"EGL interoperability", "cudaEGL", ""},
                                    {"EGL interoperability", "cuda_egl_interop", ""},
                                    {"OpenGL interoperability", "cudaGL", ""},
                                    {"OpenGL interoperability", "cuda_gl_interop", ""},
                                    {"VDPAU interoperability", "cudaVDPAU", ""},
                                    {"VDPAU interoperability", "cuda_vdpau_interop", ""},
                                    {"this part of CUB", "cub/", ""},
                                    {"this part of cuBLAS", "cublas", ""},
                                    {"this part of cuFFT", "cufft", ""}};

bool begins_with(std::string_view text, std::string_view beginning) {
    return !beginning.empty() && text.substr(0, beginning.size()) == beginning;
}

std::string refusal(std::string_view name) {
    return std::string(has_not) + std::string(name) + "; the program needs nvcc and a GPU";
}

}  // namespace

bool has_library(const std::string& name, const std::string& argument) {
    static constexpr std::string_view built_in[] = {"cudart",  "cudadevrt",      "cuda",         "nvToolsExt", "nccl",
                                                    "nvrtc",   "cublas",         "cublasLt",     "curand",     "cufft",
                                                    "culibos", "nvrtc-builtins", "nvptxcompiler"};
    std::string_view base = name;
    for (const std::string_view ending : {"_nocallback", "_static"}) {
        const bool ends = base.size() > ending.size() && base.substr(base.size() - ending.size()) == ending;
        if (ends) base.remove_suffix(ending.size());
    }
    if (std::find(std::begin(built_in), std::end(built_in), base) != std::end(built_in)) return true;
    // (Names of other libraries may begin like NPP's, but the short ones, such as nppial, are its parts.)
    constexpr std::size_t longest = 12;
    for (const AbsentLibrary& library : absent) {
        if (begins_with(base, library.link) && base.size() <= longest)
            throw UsageError(argument + ": " + refusal(library.name));
    }
    return false;
}

std::string refusal_of_header(std::string_view header) {
    for (const AbsentLibrary& library : absent) {
        if (begins_with(header, library.headers)) return refusal(library.name);
    }
    return "";
}

}  // namespace simcc
