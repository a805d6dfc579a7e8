#include "tools/trapezoid/nvrtc.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "common/io/text.hpp"

namespace {

// Folders that hold a toolkit: where the environment says, that of the nvcc in PATH, and the usual places.
std::vector<std::string> toolkits() {
    std::vector<std::string> found;
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* const folder = std::getenv(name)) found.emplace_back(folder);
    std::error_code error;
    const char* const path = std::getenv("PATH");
    for (const std::string& folder : split(path != nullptr ? path : "", ':')) {
        const std::filesystem::path nvcc = std::filesystem::canonical(folder + "/nvcc", error);
        if (!error) found.push_back(nvcc.parent_path().parent_path().string());
    }
    found.insert(found.end(), {"/usr/local/cuda", "/opt/cuda"});
    for (const auto& one : std::filesystem::directory_iterator("/usr/local", error))
        if (matches_glob("cuda-*", one.path().filename().string())) found.push_back(one.path().string());
    return found;
}

void* open_library() {
    const char* const names[] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"};
    for (const char* name : names)
        if (void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return library;
    for (const std::string& toolkit : toolkits())
        for (const char* folder : {"/lib64/", "/lib/", "/targets/x86_64-linux/lib/", "/targets/sbsa-linux/lib/"})
            for (const char* name : names)
                if (void* const library = dlopen((toolkit + folder + name).c_str(), RTLD_NOW | RTLD_LOCAL))
                    return library;
    fail(Exit::unavailable,
         "--function needs NVIDIA's run-time compiler for this expression, and there is no libnvrtc.so.13, .12 or "
         ".11.2; "
         "install the CUDA toolkit, set CUDA_HOME to its folder or LD_LIBRARY_PATH to that of the library, or use -d "
         "sim");
}

// The library. The declarations repeat nvrtc.h, which a toolkit may lack; they are the same from CUDA 11.1 to 13.
class Nvrtc {
public:
    using Program = void*;

    Nvrtc() : library_(open_library()) {
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
    ~Nvrtc() { dlclose(library_); }
    Nvrtc(const Nvrtc&) = delete;
    Nvrtc& operator=(const Nvrtc&) = delete;

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
        function = reinterpret_cast<Function>(dlsym(library_, name));
        if (function == nullptr)
            fail(Exit::unavailable,
                 "the NVRTC that was found is older than CUDA 11.1: it has no {}; install a newer one", name);
    }

    void* library_ = nullptr;
    const char* (*error_text)(int) = nullptr;
};

// One program of it.
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
