// SPDX-License-Identifier: MIT
#include "tools/trapezoid/device_code.hpp"

#include <glob.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "common/cuda/library.hpp"
#include "common/io/text.hpp"

namespace {

// The parents of a program's folders in PATH, with links followed: /usr/local/cuda-13.0 for /usr/local/cuda/bin/nvcc.
std::vector<std::string> homes_of(const char* program) {
    std::vector<std::string> homes;
    const char* const path = std::getenv("PATH");
    for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
        std::error_code error;
        const std::filesystem::path place = std::filesystem::canonical(folder + "/" + program, error);
        if (!error) homes.push_back(place.parent_path().parent_path().string());
    }
    return homes;
}

// Shell patterns of the folders in which it may be: those of toolkits, and of Python packages, including the one that
// `make toolkit` fetches.
std::vector<std::string> library_patterns() {
    std::vector<std::string> toolkits = homes_of("nvcc"), python = homes_of("python3"), patterns;
    toolkits.insert(toolkits.end(), {"/usr/local/cuda", "/opt/cuda", "/usr/local/cuda-*"});
    for (const char* name : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* const folder = std::getenv(name)) toolkits.insert(toolkits.begin(), folder);
    for (const char* name : {"HOME", "VIRTUAL_ENV"})
        if (const char* const folder = std::getenv(name))
            python.insert(python.begin(), folder + std::string(name == std::string("HOME") ? "/.local" : ""));
    for (const std::string& toolkit : toolkits)
        for (const char* folder : {"/lib64/", "/lib/", "/targets/*/lib/"}) patterns.push_back(toolkit + folder);
    for (const std::string& home : python)
        for (const char* package : {"cu13", "cuda_nvrtc"})
            patterns.push_back(home + "/lib/python3*/*-packages/nvidia/" + package + "/lib/");
    std::error_code error;
    const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
    patterns.push_back(self.parent_path().parent_path().string() + "/build/toolkit/nvidia/cu13/lib/");
    return patterns;
}

// The names for the dynamic linker, then paths.
std::vector<std::string> library_names() {
    std::vector<std::string> folders = {""}, names;
    for (const std::string& pattern : library_patterns()) {
        glob_t found{};
        if (glob(pattern.c_str(), 0, nullptr, &found) == 0)
            folders.insert(folders.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
        globfree(&found);
    }
    for (const std::string& folder : folders)
        for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"})
            names.push_back(folder + name);
    return names;
}

// The library. The declarations are the same from CUDA 11.1 to 13.
class Nvrtc {
public:
    using Program = void*;

    Nvrtc() {
        if (!library_)
            fail(Exit::unavailable,
                 "--function needs NVIDIA's run-time compiler for this expression, and there is no libnvrtc.so.13, .12 "
                 "or .11.2; install the CUDA toolkit or Python's nvidia-cuda-nvrtc, set CUDA_HOME to the toolkit's "
                 "folder or LD_LIBRARY_PATH to that of the library, or use -d sim");
        find(create, "nvrtcCreateProgram");
        find(add_name, "nvrtcAddNameExpression");
        find(compile, "nvrtcCompileProgram");
        find(lowered_name, "nvrtcGetLoweredName");
        find(cubin_size, "nvrtcGetCUBINSize");
        find(cubin, "nvrtcGetCUBIN");
        find(ptx_size, "nvrtcGetPTXSize");
        find(ptx, "nvrtcGetPTX");
        find(log_size, "nvrtcGetProgramLogSize");
        find(log, "nvrtcGetProgramLog");
        find(count_architectures, "nvrtcGetNumSupportedArchs");
        find(list_architectures, "nvrtcGetSupportedArchs");
        find(destroy, "nvrtcDestroyProgram");
        find(error_text, "nvrtcGetErrorString");
    }

    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*add_name)(Program, const char*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*lowered_name)(Program, const char*, const char**) = nullptr;
    int (*cubin_size)(Program, std::size_t*) = nullptr;
    int (*cubin)(Program, char*) = nullptr;
    int (*ptx_size)(Program, std::size_t*) = nullptr;
    int (*ptx)(Program, char*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*count_architectures)(int*) = nullptr;
    int (*list_architectures)(int*) = nullptr;
    int (*destroy)(Program*) = nullptr;

    void check(int status, const char* call) const {
        if (status != 0)
            fail(Exit::cuda_error, "NVRTC's {} failed: {}; try another version of the CUDA toolkit", call,
                 std::string(error_text(status)));
    }

    // The newest architecture that it knows and a GPU of this capability runs.
    int architecture_for(int capability) const {
        int count = 0;
        check(count_architectures(&count), "nvrtcGetNumSupportedArchs");
        std::vector<int> known(static_cast<std::size_t>(count));
        check(list_architectures(known.data()), "nvrtcGetSupportedArchs");
        int best = 0;
        for (const int one : known)
            if (one <= capability && one > best) best = one;
        if (best == 0)
            fail(Exit::unavailable,
                 "NVRTC does not know GPUs of compute capability {}.{}: install an older CUDA toolkit", capability / 10,
                 capability % 10);
        return best;
    }

private:
    template <typename Function>
    void find(Function& function, const char* name) {
        library_.need(function, name,
                      "the NVRTC that was found is older than CUDA 11.1: it has no {}; install a newer one");
    }

    const Library library_{library_names()};
    const char* (*error_text)(int) = nullptr;
};

// One compilation by NVRTC.
class Compilation {
public:
    Compilation(const Nvrtc& nvrtc, const std::string& source, const std::vector<SourceText>& headers) : nvrtc_(nvrtc) {
        std::vector<const char*> names, texts;
        for (const SourceText& header : headers) names.push_back(header.name), texts.push_back(header.text);
        nvrtc.check(nvrtc.create(&program_, source.c_str(), "function.cu", static_cast<int>(names.size()), texts.data(),
                                 names.data()),
                    "nvrtcCreateProgram");
    }
    ~Compilation() { nvrtc_.destroy(&program_); }
    Compilation(const Compilation&) = delete;
    Compilation& operator=(const Compilation&) = delete;

    DeviceCode run(const std::vector<std::string>& kernels, int capability) {
        for (const std::string& kernel : kernels)
            nvrtc_.check(nvrtc_.add_name(program_, kernel.c_str()), "nvrtcAddNameExpression");
        const int architecture = nvrtc_.architecture_for(capability);
        const bool exact = architecture == capability;  // then it makes machine code, else PTX for the driver
        const std::string target = text("--gpu-architecture={}_{}", exact ? "sm" : "compute", architecture);
        const char* const options[] = {target.c_str(), "-std=c++17", "-DBACKEND=gpu",
                                       "--device-as-default-execution-space"};
        if (nvrtc_.compile(program_, 4, options) != 0)
            fail(Exit::cuda_error, "NVRTC could not compile --function: {}; try another version of the CUDA toolkit",
                 log());
        DeviceCode code;
        std::size_t size = 0;
        nvrtc_.check((exact ? nvrtc_.cubin_size : nvrtc_.ptx_size)(program_, &size), "size of the result");
        code.image.resize(size);
        nvrtc_.check((exact ? nvrtc_.cubin : nvrtc_.ptx)(program_, code.image.data()), "result");
        for (const std::string& kernel : kernels) {
            const char* name = nullptr;
            nvrtc_.check(nvrtc_.lowered_name(program_, kernel.c_str(), &name), "nvrtcGetLoweredName");
            code.names.emplace_back(name);
        }
        return code;
    }

private:
    std::string log() const {
        std::size_t size = 0;
        nvrtc_.check(nvrtc_.log_size(program_, &size), "nvrtcGetProgramLogSize");
        std::string words(size, '\0');
        nvrtc_.check(nvrtc_.log(program_, words.data()), "nvrtcGetProgramLog");
        return printable(words, 400);
    }

    const Nvrtc& nvrtc_;
    Nvrtc::Program program_ = nullptr;
};

}  // namespace

DeviceCode compile_for_gpu(const std::string& source, const std::vector<SourceText>& headers,
                           const std::vector<std::string>& kernels, int capability) {
    const Nvrtc nvrtc;
    return Compilation(nvrtc, source, headers).run(kernels, capability);
}

// The declarations repeat cuda.h, which a toolkit may lack; they are the same in all of CUDA 11 to 13.
namespace {

using GetErrorName = int(int, const char**);
using LoadData = int(void**, const void*);
using GetFunction = int(void**, void*, const char*);
using Unload = int(void*);
using LaunchKernel = int(void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void**,
                         void**);

template <typename Function>
Function* need(const Library& library, const char* name) {
    Function* function = nullptr;
    library.need(function, name, "the driver's library libcuda.so.1 has no {}: install a newer driver");
    return function;
}

}  // namespace

void DeviceModule::check(int status, const char* call) const {
    if (status == 0) return;
    const char* name = nullptr;
    need<GetErrorName>(library_, "cuGetErrorName")(status, &name);
    fail(
        Exit::cuda_error,
        "the kernels for --function: {}: {}; if the driver is older than the toolkit, update it or set CUDA_HOME to an "
        "older toolkit",
        call, std::string(name != nullptr ? name : "unknown error"));
}

DeviceModule::DeviceModule(const DeviceCode& code, const std::vector<std::string>& kernels)
    : library_({"libcuda.so.1"}) {
    check(need<LoadData>(library_, "cuModuleLoadData")(&module_, code.image.data()), "cuModuleLoadData");
    for (std::size_t i = 0; i < kernels.size(); ++i)
        check(
            need<GetFunction>(library_, "cuModuleGetFunction")(&functions_[kernels[i]], module_, code.names[i].c_str()),
            "cuModuleGetFunction");
}

// (At the end of the program, nothing can be done about an error of the driver.)
DeviceModule::~DeviceModule() {
    Unload* unload = nullptr;
    if (module_ != nullptr && library_.find(unload, "cuModuleUnload")) static_cast<void>(unload(module_));
}

void DeviceModule::launch(const std::string& kernel, KernelExtent grid, KernelExtent block, std::size_t shared_bytes,
                          void* stream, void** parameters) const {
    check(need<LaunchKernel>(library_, "cuLaunchKernel")(functions_.at(kernel), grid.x, grid.y, grid.z, block.x,
                                                         block.y, block.z, static_cast<unsigned>(shared_bytes), stream,
                                                         parameters, nullptr),
          "cuLaunchKernel");
}
