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
    {"x86-64: a block holds its instructions; a product and a sum are one, moves and zeros none", simcc::mark_work,
     "\tcall\t__sanitizer_cov_trace_pc\n"
     "\tmovss\t(%rbx), %xmm0\n"
     "\tmulss\t%xmm1, %xmm0\n"
     "\taddss\t4(%rbx), %xmm0\n"
     "\tleaq\t8(%rbx), %rbx\n"
     "\txorl\t%edi, %edi\n"
     "\tcall\texpf\n"
     "\tcmpl\t%eax, %ebx\n"
     "\tjne\t.L2\n",
     "\tcall\t__sanitizer_cov_trace_pc\n"
     "\t.byte 0x0f, 0x1f, 0x81\n"
     "\t.long 67113475\n"  // 3 integer, 9 << 9 single (8 of expf), 1 << 26 special
     "\tmovss\t(%rbx), %xmm0\n"
     "\tmulss\t%xmm1, %xmm0\n"
     "\taddss\t4(%rbx), %xmm0\n"
     "\tleaq\t8(%rbx), %rbx\n"
     "\txorl\t%edi, %edi\n"
     "\tcall\texpf\n"
     "\tcmpl\t%eax, %ebx\n"
     "\tjne\t.L2\n"},
    {"x86-64: a block that indexes a local array needs no index, and makes no check", simcc::mark_work,
     "\tcall\t__sanitizer_cov_trace_pc\n"
     "\tcmpq\t$3, %rsi\n"
     "\tjbe\t.L5\n"
     "\tleaq\t.Lubsan_data1(%rip), %rdi\n"
     "\tcall\t__ubsan_handle_out_of_bounds\n"
     ".L5:\n"
     "\taddl\t$1, %eax\n",
     "\tcall\t__sanitizer_cov_trace_pc\n"
     "\t.byte 0x0f, 0x1f, 0x81\n"
     "\t.long 0\n"
     "\tcmpq\t$3, %rsi\n"
     "\tjbe\t.L5\n"
     "\tleaq\t.Lubsan_data1(%rip), %rdi\n"
     "\tcall\t__ubsan_handle_out_of_bounds\n"
     ".L5:\n"
     "\taddl\t$1, %eax\n"},
    {"AArch64: a block holds its instructions, behind other marks", simcc::mark_work,
     "\tbl\t__sanitizer_cov_trace_pc\n"
     ".Lsimt_block0:\n"
     "\t.long 0xd280001f + (.Lsimt_branch0 - .Lsimt_block0) * 8\n"
     "\tfmul\ts0, s1, s2\n"
     "\tfadd\ts0, s0, s3\n"
     "\tfdiv\td0, d1, d2\n"
     "\tadd\tw0, w0, 1\n"
     "\tldr\tw1, [x0]\n"
     "\tcbz\tw1, .L3\n",
     "\tbl\t__sanitizer_cov_trace_pc\n"
     ".Lsimt_block0:\n"
     "\t.long 0xd280001f + (.Lsimt_branch0 - .Lsimt_block0) * 8\n"
     "\t.long 0x5280001f + 31234 * 32\n"  // 2 integer, 8 << 6 single, 7 << 11 double, 1 << 14 special
     "\tfmul\ts0, s1, s2\n"
     "\tfadd\ts0, s0, s3\n"
     "\tfdiv\td0, d1, d2\n"
     "\tadd\tw0, w0, 1\n"
     "\tldr\tw1, [x0]\n"
     "\tcbz\tw1, .L3\n"},
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
