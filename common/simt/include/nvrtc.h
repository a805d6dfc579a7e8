// SPDX-License-Identifier: MIT
// NVRTC: simcc compiles CUDA C++ while a program runs. What nvrtcGetCUBIN and nvrtcGetPTX return is a module of the
// simulator's own, for cuModuleLoadData (cuda.h).
#pragma once
#define __NVRTC_H__  // programs test for it

#include <stdlib.h>

typedef enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INVALID_PROGRAM = 4,
    NVRTC_ERROR_INVALID_OPTION = 5,
    NVRTC_ERROR_COMPILATION = 6,
    NVRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    NVRTC_ERROR_INTERNAL_ERROR = 11,
    NVRTC_ERROR_TIME_FILE_WRITE_FAILED = 12,
    NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED = 13,
    NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED = 14,
    NVRTC_ERROR_PCH_CREATE = 15,
    NVRTC_ERROR_CANCELLED = 16,
    NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED = 17,
} nvrtcResult;

typedef struct _nvrtcProgram* nvrtcProgram;

#ifdef __cplusplus
#define SIMT_NVRTC_RETURNING(type, name, ...) extern "C" type name(__VA_ARGS__) __asm__("simt_" #name)
#else
#define SIMT_NVRTC_RETURNING(type, name, ...) extern type name(__VA_ARGS__) __asm__("simt_" #name)
#endif
#define SIMT_NVRTC(name, ...) SIMT_NVRTC_RETURNING(nvrtcResult, name, __VA_ARGS__)

SIMT_NVRTC_RETURNING(const char*, nvrtcGetErrorString, nvrtcResult result);
SIMT_NVRTC(nvrtcVersion, int* major, int* minor);
SIMT_NVRTC(nvrtcGetNumSupportedArchs, int* count);
SIMT_NVRTC(nvrtcGetSupportedArchs, int* architectures);

/// `source` is the text of a .cu file. The headers' texts are found by their names in #include.
SIMT_NVRTC(nvrtcCreateProgram, nvrtcProgram* program, const char* source, const char* name, int header_count,
           const char* const* headers, const char* const* header_names);
SIMT_NVRTC(nvrtcDestroyProgram, nvrtcProgram* program);

/// Options are those of NVRTC. NVRTC_ERROR_COMPILATION: the log says why.
SIMT_NVRTC(nvrtcCompileProgram, nvrtcProgram program, int option_count, const char* const* options);
/// (Sizes of text include the null character at its end.)
SIMT_NVRTC(nvrtcGetProgramLogSize, nvrtcProgram program, size_t* bytes);
SIMT_NVRTC(nvrtcGetProgramLog, nvrtcProgram program, char* log);
SIMT_NVRTC(nvrtcGetPTXSize, nvrtcProgram program, size_t* bytes);
SIMT_NVRTC(nvrtcGetPTX, nvrtcProgram program, char* image);
SIMT_NVRTC(nvrtcGetCUBINSize, nvrtcProgram program, size_t* bytes);
SIMT_NVRTC(nvrtcGetCUBIN, nvrtcProgram program, char* image);

/// The symbol behind an expression such as "kernel<int>" or "&variable", for cuModuleGetFunction and cuModuleGetGlobal.
SIMT_NVRTC(nvrtcAddNameExpression, nvrtcProgram program, const char* expression);
SIMT_NVRTC(nvrtcGetLoweredName, nvrtcProgram program, const char* expression, const char** name);

#undef SIMT_NVRTC
#undef SIMT_NVRTC_RETURNING

#if defined(__cplusplus) && defined(__cpp_rtti) && !defined(NVRTC_GET_TYPE_NAME)
#define NVRTC_GET_TYPE_NAME 1
#include <cxxabi.h>

#include <string>
#include <typeinfo>

/// The type's name for use in a name expression; without references and const at its end.
template <typename T>
inline nvrtcResult nvrtcGetTypeName(std::string* name) {
    int status = 0;
    char* const text = abi::__cxa_demangle(typeid(T).name(), 0, 0, &status);
    if (!text) return status == -1 ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_ERROR_INTERNAL_ERROR;
    *name = text;
    free(text);
    return NVRTC_SUCCESS;
}
#endif
