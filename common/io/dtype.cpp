#include "common/io/dtype.hpp"

#include <algorithm>

#include "common/io/text.hpp"

const char* name_of(DType dtype) {
    switch (dtype) {
        case DType::f32: return "f32";
        case DType::f64: return "f64";
        case DType::i32: return "i32";
        case DType::i64: return "i64";
        case DType::f16: return "f16";
        case DType::bf16: return "bf16";
        case DType::tf32: return "tf32";
    }
    return "none";
}

std::size_t size_of(DType dtype) {
    switch (dtype) {
        case DType::f16:
        case DType::bf16: return 2;
        case DType::f64:
        case DType::i64: return 8;
        default: return 4;
    }
}

DType parse_dtype(const std::string& name, const std::string& allowed) {
    const std::vector<std::string> names = split(allowed, ',');
    if (std::find(names.begin(), names.end(), name) == names.end())
        fail(Exit::usage, "unknown element type '{}'; choose one of {}", name, allowed);
    for (DType dtype : {DType::f32, DType::f64, DType::i32, DType::i64, DType::f16, DType::bf16, DType::tf32})
        if (name == name_of(dtype)) return dtype;
    fail(Exit::usage, "unknown element type '{}'", name);
}
