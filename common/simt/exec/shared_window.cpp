// SPDX-License-Identifier: MIT
#include "common/simt/exec/shared_window.hpp"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
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

SharedWindow::SharedWindow() : modules_(module_count()) {
    Search search{reinterpret_cast<uintptr_t>(simt_dynamic_shared)};
    dl_iterate_phdr(find_thread_storage, &search);
    if (search.begin) {
        add(search.begin, static_cast<size_t>(search.end - search.begin));
    } else {
        add(simt_dynamic_shared, max_dynamic_shared_bytes);
    }
    for (const KernelModule* module = first_module(); module; module = module->next) {
        if (char* const storage = module->storage()) add(storage, module->storage_bytes);
    }
}

void SharedWindow::add(char* begin, size_t bytes) {
    if (contains(begin)) return;
    if (count_ == most_parts) {
        std::fprintf(stderr, "simcc: more than %zu shared libraries with kernels; link some of them as archives\n",
                     most_parts);
        _exit(2);
    }
    parts_[count_++] = {begin, bytes};
    begin_ = begin_ ? std::min(begin_, begin) : begin;
    end_ = std::max(end_, begin + bytes);
}

bool SharedWindow::contains(const void* address) const {
    const auto* const place = static_cast<const char*>(address);
    return std::any_of(parts_, parts_ + count_,
                       [&](const Part& part) { return place >= part.begin && place < part.begin + part.bytes; });
}

template <typename Visit>
void SharedWindow::visit(size_t dynamic_bytes, Visit visit_part) const {
    // (What comes after the dynamic window is reached from the part's begin: reached from the window, it would look to
    // the checks of -D_FORTIFY_SOURCE like an overflow of it.)
    const Part& first = parts_[0];
    const size_t before = static_cast<size_t>(dynamic_begin() - first.begin), after = before + max_dynamic_shared_bytes;
    visit_part(first.begin, before);
    visit_part(first.begin + before, dynamic_bytes);
    visit_part(first.begin + after, first.bytes - after);
    for (size_t i = 1; i < count_; ++i) visit_part(parts_[i].begin, parts_[i].bytes);
}

void SharedWindow::save(std::vector<char>& image, size_t dynamic_bytes) const {
    size_t bytes_in_all = 0;
    visit(dynamic_bytes, [&](char*, size_t bytes) { bytes_in_all += bytes; });
    image.resize(bytes_in_all);
    char* target = image.data();
    visit(dynamic_bytes, [&](char* begin, size_t bytes) {
        std::memcpy(target, begin, bytes);
        target += bytes;
    });
}

void SharedWindow::restore(const std::vector<char>& image, size_t dynamic_bytes) const {
    const char* source = image.data();
    const char* const end = source + image.size();
    visit(dynamic_bytes, [&](char* begin, size_t bytes) {
        if (source == end) return;
        std::memcpy(begin, source, bytes);
        source += bytes;
    });
}

}  // namespace simt
