// SPDX-License-Identifier: MIT
#include "tools/trapezoid/device_module.hpp"

#include "common/io/text.hpp"

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
