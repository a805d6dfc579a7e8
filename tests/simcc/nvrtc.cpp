// SPDX-License-Identifier: MIT
// NVRTC: a program with a header in memory, name expressions, and what its log says of errors.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <string>

static std::string log_of(nvrtcProgram program) {
    size_t bytes = 0;
    nvrtcGetProgramLogSize(program, &bytes);
    std::string log(bytes, '\0');
    nvrtcGetProgramLog(program, &log[0]);
    log.resize(bytes - 1);
    return log;
}

int main() {
    const char* const source = R"(
#include <inner/two.h>
namespace n {
__constant__ int offset;
}
template <class T, int n>
__global__ void fill(T* to) {
    assert(n > 0);
    to[threadIdx.x] = T(n) * TWO + n::offset + (1 << (ADDED + 30));
}
extern "C" __global__ void greet(const int& number) { printf("number %d\n", number); }
)";
    const char *header = "#define TWO 2\n", *header_name = "inner/two.h";
    nvrtcProgram program;
    std::printf("%s\n", nvrtcGetErrorString(nvrtcCreateProgram(&program, source, "mine.cu", 1, &header, &header_name)));
    nvrtcAddNameExpression(program, "fill<int, 3>");
    nvrtcAddNameExpression(program, "&n::offset");
    const char *lowered = nullptr, *variable = nullptr;
    std::printf("%s\n", nvrtcGetErrorString(nvrtcGetLoweredName(program, "fill<int, 3>", &lowered)));
    const char* const options[] = {"--gpu-architecture=compute_90", "-DADDED=10", "--std=c++17", "-lineinfo"};
    std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 4, options)));
    std::printf("%s", log_of(program).c_str());
    if (nvrtcGetLoweredName(program, "fill<int, 3>", &lowered) || nvrtcGetLoweredName(program, "&n::offset", &variable))
        return 1;
    std::printf("%s %s\n", lowered, variable);
    size_t bytes = 0;
    nvrtcGetCUBINSize(program, &bytes);
    std::string image(bytes, '\0');
    nvrtcGetCUBIN(program, &image[0]);
    nvrtcDestroyProgram(&program);

    CUdevice device;
    CUcontext context;
    CUmodule module;
    CUfunction fill, greet;
    CUdeviceptr offset, numbers;
    cuInit(0);
    cuDeviceGet(&device, 0);
    cuDevicePrimaryCtxRetain(&context, device);
    cuCtxSetCurrent(context);
    cuModuleLoadData(&module, image.data());
    cuModuleGetFunction(&fill, module, lowered ? "_Z4fillIiLi3EEvPT_" : "");
    cuModuleGetFunction(&greet, module, "greet");
    cuModuleGetGlobal(&offset, nullptr, module, "_ZN1n6offsetE");
    const int hundred = 100;
    cuMemcpyHtoD(offset, &hundred, sizeof hundred);
    cuMemAllocManaged(&numbers, 4 * sizeof(int), CU_MEM_ATTACH_GLOBAL);
    void* arguments[] = {&numbers};
    cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, nullptr, arguments, nullptr);
    cuLaunchKernel(greet, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr);
    std::printf("%d\n", int(cuCtxSynchronize()));

    nvrtcCreateProgram(&program, "__global__ void k(int* p) {\n    *q = 1;\n}\n", "wrong.cu", 0, nullptr, nullptr);
    std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 0, nullptr)));
    std::printf("%d\n", log_of(program).find("wrong.cu") != std::string::npos);
    const char* const unknown[] = {"--nonsense"};
    std::printf("%s\n", nvrtcGetErrorString(nvrtcCompileProgram(program, 1, unknown)));
    nvrtcDestroyProgram(&program);
    return 0;
}
