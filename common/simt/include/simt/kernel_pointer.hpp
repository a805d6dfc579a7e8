// SPDX-License-Identifier: MIT
// A kernel's address that remembers how to call it. CUDA passes kernels as void*; a host compiler needs the parameter
// types to launch one, so they are kept with the address for the life of the process.
#pragma once

#include "simt/configuration.hpp"

namespace simt {

// Launches a kernel with the addresses of its arguments in `arguments`, as cudaLaunchKernel receives them.
typedef void KernelTrampoline(const void* kernel, const Configuration& configuration, void** arguments);

// Keeps the trampoline of the kernel at this address; kernel_trampoline() finds it again, or returns null.
void remember_kernel(const void* kernel, KernelTrampoline* trampoline);
KernelTrampoline* kernel_trampoline(const void* kernel);

// Converts from and to void*, so that it can be used wherever CUDA takes the address of a kernel.
class KernelPointer {
public:
    KernelPointer() = default;
    constexpr KernelPointer(const void* kernel) : address_(const_cast<void*>(kernel)) {}
    template <class... Parameters>
    KernelPointer(void (*kernel)(Parameters...));  // in cuda_runtime.h: needs the launch templates

    constexpr operator void*() const { return address_; }

private:
    void* address_;
};

}  // namespace simt
