#include "common/io/dtype.hpp"

#include "common/io/text.hpp"

const char* name_of(DType dtype) {
    return with_element_type(dtype, [](auto row) { return row.name; });
}

std::size_t size_of(DType dtype) {
    return with_element_type(dtype, [](auto row) { return sizeof(typename decltype(row)::Element); });
}

const char* npy_code_of(DType dtype) {
    return with_element_type(dtype, [](auto row) { return row.npy_code; });
}

std::string names_of(const std::vector<DType>& dtypes) {
    std::vector<std::string> names;
    for (DType dtype : dtypes) names.push_back(name_of(dtype));
    return list_text(names, "or");
}

DType parse_dtype(const std::string& name, const std::vector<DType>& allowed) {
    for (DType dtype : allowed)
        if (name == name_of(dtype)) return dtype;
    fail(Exit::usage, "unknown element type '{}'; choose {}", name, names_of(allowed));
}

void refuse_dtype(DType dtype) {
    fail(Exit::usage, "there is no kernel for {} here; choose another --dtype", name_of(dtype));
}
