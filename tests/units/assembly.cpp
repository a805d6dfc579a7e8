// SPDX-License-Identifier: MIT
// Tests simcc's changes to the compiler's assembly: text in, text out, for each processor.
#include <cstdio>
#include <string>
#include <string_view>

#include "common/simt/driver/assembly.hpp"

namespace {

struct Case {
    const char* title;
    std::string (*change)(std::string_view);
    const char *assembly, *expected;
};

// A block's last branch counts. Other instructions that begin with b do not, nor do calls and plain jumps.
const Case cases[] = {
    {"AArch64: a block that ends in a branch holds the distance to it", simcc::mark_branches,
     "f:\n"
     "\tbl\t__sanitizer_cov_trace_pc\n"
     "\tcmp\tw0, 4\n"
     "\tbeq\t.L7\n"
     "\tbic\tw0, w0, w1\n"
     "\ttbnz\tx0, 3, .L8\n"
     "\tb\t.L9\n"
     ".L7:\n"
     "\tbl\t__sanitizer_cov_trace_pc\n"
     "\tbl\tg\n"
     "\tblr\tx2\n"
     "\tret\n",
     "f:\n"
     "\tbl\t__sanitizer_cov_trace_pc\n"
     ".Lsimt_block1:\n"
     "\t.long 0xd280001f + (.Lsimt_branch1 - .Lsimt_block1) * 8\n"
     "\tcmp\tw0, 4\n"
     "\tbeq\t.L7\n"
     "\tbic\tw0, w0, w1\n"
     ".Lsimt_branch1:\n"
     "\ttbnz\tx0, 3, .L8\n"
     "\tb\t.L9\n"
     ".L7:\n"
     "\tbl\t__sanitizer_cov_trace_pc\n"
     "\tbl\tg\n"
     "\tblr\tx2\n"
     "\tret\n"},
    {"AArch64: a computed jump is a branch", simcc::mark_branches,
     "\tbl\t__sanitizer_cov_trace_pc\n"
     "\tbr\tx1\n",
     "\tbl\t__sanitizer_cov_trace_pc\n"
     ".Lsimt_block0:\n"
     "\t.long 0xd280001f + (.Lsimt_branch0 - .Lsimt_block0) * 8\n"
     ".Lsimt_branch0:\n"
     "\tbr\tx1\n"},
    {"x86-64: a block that ends in a branch holds the distance to it", simcc::mark_branches,
     "\tcall\t__sanitizer_cov_trace_pc\n"
     "\ttestl\t%eax, %eax\n"
     "\tjne\t.L7\n"
     "\tjmp\t.L9\n",
     "\tcall\t__sanitizer_cov_trace_pc\n"
     ".Lsimt_block0:\n"
     "\t.byte 0x0f, 0x1f, 0x80\n"
     "\t.long .Lsimt_branch0 - .Lsimt_block0\n"
     "\ttestl\t%eax, %eax\n"
     ".Lsimt_branch0:\n"
     "\tjne\t.L7\n"
     "\tjmp\t.L9\n"},
    {"a block of the simulator's own has a distance of 0", simcc::mark_branches,
     "\t.file 1 \"/usr/include/math.h\"\n"
     "\t.loc 1 7 3\n"
     "\tcall\t__sanitizer_cov_trace_pc\n"
     "\tjne\t.L7\n",
     "\t.file 1 \"/usr/include/math.h\"\n"
     "\t.loc 1 7 3\n"
     "\tcall\t__sanitizer_cov_trace_pc\n"
     ".Lsimt_block2:\n"
     "\t.byte 0x0f, 0x1f, 0x80\n"
     "\t.long .Lsimt_block2 - .Lsimt_block2\n"
     "\tjne\t.L7\n"},
    {"functions with a place for a patch report no basic blocks", simcc::without_coverage,
     "f:\n.LPFE1:\n\tnop\n\tcall\t__sanitizer_cov_trace_pc@PLT\n\tret\n\t.cfi_endproc\n"
     "g:\n\tcall\t__sanitizer_cov_trace_pc@PLT\n\tret\n\t.cfi_endproc\n",
     "f:\n.LPFE1:\n\tnop\n\tret\n\t.cfi_endproc\n"
     "g:\n\tcall\t__sanitizer_cov_trace_pc@PLT\n\tret\n\t.cfi_endproc\n"},
    {"calls of operator delete become the simulator's", simcc::with_heap_deletes,
     "\tbl\t_ZdlPvm\n\tbl\t_ZdlPvmSt11align_val_t\n\tcall\t_ZdaPv@PLT\n",
     "\tbl\tsimt_ZdlPvm\n\tbl\t_ZdlPvmSt11align_val_t\n\tcall\tsimt_ZdaPv@PLT\n"},
};

}  // namespace

int main() {
    int failed = 0;
    for (const Case& one : cases) {
        const std::string changed = one.change(one.assembly);
        if (changed == one.expected) continue;
        ++failed;
        std::printf("%s: expected\n%s\nbut got\n%s\n", one.title, one.expected, changed.c_str());
    }
    return failed;
}
