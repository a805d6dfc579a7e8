// SPDX-License-Identifier: MIT
#include "common/simt/exec/shared_window.hpp"

#include <link.h>

#include <cstdint>
#include <cstring>

namespace simt {

namespace {

struct Search {
    uintptr_t address;  // an address in the thread-local storage that we look for
    char* begin = nullptr;
    char* end = nullptr;
};

int find_thread_storage(dl_phdr_info* module, size_t, void* data) {
    auto& search = *static_cast<Search*>(data);
    if (!module->dlpi_tls_data) return 0;
    for (int i = 0; i < module->dlpi_phnum; ++i) {
        if (module->dlpi_phdr[i].p_type != PT_TLS) continue;
        char* const begin = static_cast<char*>(module->dlpi_tls_data);
        char* const end = begin + module->dlpi_phdr[i].p_memsz;
        const auto first = reinterpret_cast<uintptr_t>(begin), last = reinterpret_cast<uintptr_t>(end);
        if (search.address < first || search.address >= last) continue;
        search.begin = begin;
        search.end = end;
        return 1;
    }
    return 0;
}

}  // namespace

char* SharedWindow::dynamic_begin() { return simt_dynamic_shared; }

SharedWindow::SharedWindow() {
    Search search{reinterpret_cast<uintptr_t>(simt_dynamic_shared)};
    dl_iterate_phdr(find_thread_storage, &search);
    begin_ = search.begin ? search.begin : simt_dynamic_shared;
    end_ = search.end ? search.end : simt_dynamic_shared + max_dynamic_shared_bytes;
}

void SharedWindow::pieces(size_t dynamic_bytes, Piece (&result)[3]) const {
    char* const dynamic = dynamic_begin();
    char* const after = dynamic + max_dynamic_shared_bytes;
    result[0] = {begin_, static_cast<size_t>(dynamic - begin_)};
    result[1] = {dynamic, dynamic_bytes};
    result[2] = {after, static_cast<size_t>(end_ - after)};
}

void SharedWindow::save(std::vector<char>& image, size_t dynamic_bytes) const {
    Piece parts[3];
    pieces(dynamic_bytes, parts);
    image.resize(parts[0].bytes + parts[1].bytes + parts[2].bytes);
    char* target = image.data();
    for (const Piece& part : parts) {
        std::memcpy(target, part.begin, part.bytes);
        target += part.bytes;
    }
}

void SharedWindow::restore(const std::vector<char>& image, size_t dynamic_bytes) const {
    Piece parts[3];
    pieces(dynamic_bytes, parts);
    const char* source = image.data();
    for (const Piece& part : parts) {
        std::memcpy(part.begin, source, part.bytes);
        source += part.bytes;
    }
}

}  // namespace simt
