// SPDX-License-Identifier: MIT
// Inline PTX: prints the results of each instruction, in hexadecimal.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

#define CHECK(call)                                                                 \
    do {                                                                            \
        const cudaError_t error = (call);                                           \
        if (error != cudaSuccess) {                                                 \
            std::printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            return 1;                                                               \
        }                                                                           \
    } while (0)

// ---- instructions of one thread: each result is one word

struct Record {
    char name[28];
    unsigned long long bits;
};
__device__ Record records[4096];
__device__ unsigned record_count;

__device__ void note(const char* name, unsigned long long bits) {
    Record& record = records[record_count++];
    int i = 0;
    for (; name[i] != 0 && i < 27; ++i) record.name[i] = name[i];
    record.name[i] = 0;
    record.bits = bits;
}

#define UNARY(text, out, in, To, From)                    \
    for (From a : From##_values) {                        \
        To d;                                             \
        asm(text " %0, %1;" : out(d) : in(a));            \
        note(text, bits_of(d));                           \
    }
#define BINARY(text, out, in, To, From)                           \
    for (From a : From##_values)                                  \
        for (From b : From##_values) {                            \
            To d;                                                 \
            asm(text " %0, %1, %2;" : out(d) : in(a), in(b));     \
            note(text, bits_of(d));                               \
        }
#define TERNARY(text, out, in, To, From)                                          \
    for (int i = 0; i < 9; ++i) {                                                 \
        const From a = From##_values[i % 5], b = From##_values[i / 2],            \
                   c = From##_values[(i * 3 + 1) % 5];                            \
        To d;                                                                     \
        asm(text " %0, %1, %2, %3;" : out(d) : in(a), in(b), in(c));              \
        note(text, bits_of(d));                                                   \
    }

__device__ unsigned long long bits_of(unsigned x) { return x; }
__device__ unsigned long long bits_of(unsigned short x) { return x; }
__device__ unsigned long long bits_of(unsigned long long x) { return x; }
__device__ unsigned long long bits_of(float x) { return __float_as_uint(x); }
__device__ unsigned long long bits_of(double x) { return __double_as_longlong(x); }

typedef unsigned u32;
typedef unsigned short u16;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;
__device__ u32 u32_values[] = {0, 1, 0x7fffffff, 0x80000000, 0xdeadbeef};
__device__ u64 u64_values[] = {0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0x0123456789abcdef};
__device__ u16 u16_values[] = {0, 1, 0x3c01, 0x8400, 0x7bff};
__device__ f32 f32_values[] = {0.1f, -1.5f, 3.0e9f, 1.0e-40f, 0.99f};
__device__ f64 f64_values[] = {0.1, -2.5, 5.0e18, 1.0e-310, 0.99};

__global__ void integers() {
    BINARY("add.u32", "=r", "r", u32, u32)
    BINARY("add.sat.s32", "=r", "r", u32, u32)
    BINARY("sub.sat.s32", "=r", "r", u32, u32)
    BINARY("mul.lo.u32", "=r", "r", u32, u32)
    BINARY("mul.hi.s32", "=r", "r", u32, u32)
    BINARY("mul.hi.u32", "=r", "r", u32, u32)
    BINARY("mul.wide.s32", "=l", "r", u64, u32)
    BINARY("mul.wide.u32", "=l", "r", u64, u32)
    BINARY("mul.hi.u64", "=l", "l", u64, u64)
    BINARY("mul.hi.s64", "=l", "l", u64, u64)
    BINARY("mul.lo.s64", "=l", "l", u64, u64)
    BINARY("mul24.lo.s32", "=r", "r", u32, u32)
    BINARY("mul24.hi.u32", "=r", "r", u32, u32)
    TERNARY("mad.lo.s32", "=r", "r", u32, u32)
    TERNARY("mad.hi.u32", "=r", "r", u32, u32)
    TERNARY("mad.hi.sat.s32", "=r", "r", u32, u32)
    TERNARY("mad24.lo.u32", "=r", "r", u32, u32)
    TERNARY("sad.s32", "=r", "r", u32, u32)
    UNARY("abs.s32", "=r", "r", u32, u32)
    UNARY("neg.s32", "=r", "r", u32, u32)
    BINARY("min.s32", "=r", "r", u32, u32)
    BINARY("max.u64", "=l", "l", u64, u64)
    BINARY("and.b32", "=r", "r", u32, u32)
    BINARY("xor.b64", "=l", "l", u64, u64)
    UNARY("not.b32", "=r", "r", u32, u32)
    UNARY("cnot.b32", "=r", "r", u32, u32)
    UNARY("popc.b32", "=r", "r", u32, u32)
    UNARY("popc.b64", "=r", "l", u32, u64)
    UNARY("clz.b32", "=r", "r", u32, u32)
    UNARY("clz.b64", "=r", "l", u32, u64)
    UNARY("brev.b32", "=r", "r", u32, u32)
    UNARY("brev.b64", "=l", "l", u64, u64)
    UNARY("bfind.u32", "=r", "r", u32, u32)
    UNARY("bfind.s32", "=r", "r", u32, u32)
    UNARY("bfind.shiftamt.u32", "=r", "r", u32, u32)
    UNARY("bfind.u64", "=r", "l", u32, u64)
    UNARY("bfind.shiftamt.s64", "=r", "l", u32, u64)
    for (u32 a : u32_values)
        for (u32 n : {0u, 1u, 5u, 31u, 32u, 33u, 255u}) {
            u32 d;
            u64 e;
            asm("shl.b32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(n));
            note("shl.b32", d);
            asm("shr.u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(n));
            note("shr.u32", d);
            asm("shr.s32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(n));
            note("shr.s32", d);
            asm("shf.l.wrap.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(0x12345678u), "r"(n));
            note("shf.l.wrap", d);
            asm("shf.r.clamp.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(0x12345678u), "r"(n));
            note("shf.r.clamp", d);
            for (u32 length : {0u, 1u, 8u, 32u, 60u}) {
                asm("bfe.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(n), "r"(length));
                note("bfe.u32", d);
                asm("bfe.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(n), "r"(length));
                note("bfe.s32", d);
                asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(0x0f0f1234u), "r"(n), "r"(length));
                note("bfi.b32", d);
                asm("bfe.s64 %0, %1, %2, %3;" : "=l"(e) : "l"(u64(a) * 0x100000001ull), "r"(n), "r"(length));
                note("bfe.s64", e);
            }
        }
    for (u32 selector : {0x3210u, 0x7654u, 0xfb51u, 0x8899u, 2u, 3u}) {
        u32 d;
        asm("prmt.b32 %0, %1, %2, %3;" : "=r"(d) : "r"(0x83a2c1e0u), "r"(0x47f6a594u), "r"(selector));
        note("prmt", d);
        asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(d) : "r"(0x83a2c1e0u), "r"(0x47f6a594u), "r"(selector));
        note("prmt.f4e", d);
        asm("prmt.b32.b4e %0, %1, %2, %3;" : "=r"(d) : "r"(0x83a2c1e0u), "r"(0x47f6a594u), "r"(selector));
        note("prmt.b4e", d);
        asm("prmt.b32.ecl %0, %1, %2, %3;" : "=r"(d) : "r"(0x83a2c1e0u), "r"(0x47f6a594u), "r"(selector));
        note("prmt.ecl", d);
        asm("prmt.b32.ecr %0, %1, %2, %3;" : "=r"(d) : "r"(0x83a2c1e0u), "r"(0x47f6a594u), "r"(selector));
        note("prmt.ecr", d);
        asm("prmt.b32.rc16 %0, %1, %2, %3;" : "=r"(d) : "r"(0x83a2c1e0u), "r"(0x47f6a594u), "r"(selector));
        note("prmt.rc16", d);
    }
    {
        u32 d;
        asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(d) : "r"(0xf0f01234u), "r"(0xcccc4321u), "r"(0xaaaa9999u));
        note("lop3 96", d);
        asm("lop3.b32 %0, %1, %2, %3, 0xb8;" : "=r"(d) : "r"(0xf0f01234u), "r"(0xcccc4321u), "r"(0xaaaa9999u));
        note("lop3 b8", d);
        asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(0x80ff7f01u), "r"(0x017f8082u), "r"(5));
        note("dp4a.s32.s32", d);
        asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(0x80ff7f01u), "r"(0x017f8082u), "r"(-5));
        note("dp4a.u32.s32", d);
        asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(0x80ff7f01u), "r"(0x017f8082u), "r"(-5));
        note("dp2a.lo", d);
        asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(d) : "r"(0x80ff7f01u), "r"(0x017f8082u), "r"(7));
        note("vabsdiff4.add", d);
        asm("vadd4.u32.u32.u32 %0, %1, %2, %3;" : "=r"(d) : "r"(0x80ff7f01u), "r"(0x017f8082u), "r"(0));
        note("vadd4", d);
        asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(d) : "r"(1), "r"(2), "r"(-3));
        note("slct", d);
        asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(d) : "r"(4), "r"(9));
        note("bmsk", d);
    }
    // 128 bits and carries.
    u64 low, high;
    asm("add.cc.u64 %0, %2, %4;\n\taddc.u64 %1, %3, %5;"
        : "=l"(low), "=l"(high)
        : "l"(0xffffffff00000001ull), "l"(7ull), "l"(0x1ffffffffull), "l"(0x10ull));
    note("add.cc", low);
    note("addc", high);
    u32 r0, r1;
    asm("sub.cc.u32 %0, %2, %4; subc.u32 %1, %3, %5;" : "=r"(r0), "=r"(r1) : "r"(3), "r"(9), "r"(5), "r"(1));
    note("sub.cc", r0);
    note("subc", r1);
    asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %4;"
        : "=&r"(r0), "=&r"(r1)
        : "r"(0xffffffff), "r"(0xfffffff0), "r"(0xffffffff));
    note("mad.lo.cc", r0);
    note("madc.hi", r1);
    asm("mov.b64 {%0, %1}, %2;" : "=r"(r0), "=r"(r1) : "l"(0x1122334455667788ull));
    note("unpack", r0);
    note("unpack", r1);
    asm("mov.b64 %0, {%1, %2};" : "=l"(low) : "r"(r1), "r"(r0));
    note("pack", low);
}

__global__ void floats() {
    BINARY("add.f32", "=f", "f", f32, f32)
    BINARY("add.rz.f32", "=f", "f", f32, f32)
    BINARY("add.rm.f32", "=f", "f", f32, f32)
    BINARY("add.ftz.f32", "=f", "f", f32, f32)
    BINARY("add.sat.f32", "=f", "f", f32, f32)
    BINARY("sub.rp.f64", "=d", "d", f64, f64)
    BINARY("mul.rn.f32", "=f", "f", f32, f32)
    BINARY("mul.rz.ftz.f32", "=f", "f", f32, f32)
    BINARY("mul.rp.f64", "=d", "d", f64, f64)
    TERNARY("fma.rn.f32", "=f", "f", f32, f32)
    TERNARY("fma.rz.f32", "=f", "f", f32, f32)
    TERNARY("fma.rm.f64", "=d", "d", f64, f64)
    TERNARY("fma.rn.sat.f32", "=f", "f", f32, f32)
    BINARY("div.rn.f32", "=f", "f", f32, f32)
    BINARY("div.rz.f64", "=d", "d", f64, f64)
    BINARY("min.f32", "=f", "f", f32, f32)
    BINARY("max.NaN.f32", "=f", "f", f32, f32)
    BINARY("copysign.f32", "=f", "f", f32, f32)
    UNARY("abs.ftz.f32", "=f", "f", f32, f32)
    UNARY("neg.f64", "=d", "d", f64, f64)
    UNARY("sqrt.rn.f32", "=f", "f", f32, f32)
    UNARY("sqrt.rp.f64", "=d", "d", f64, f64)
    UNARY("rcp.rn.f32", "=f", "f", f32, f32)
    UNARY("rcp.rz.f64", "=d", "d", f64, f64)
    UNARY("cvt.rni.s32.f32", "=r", "f", u32, f32)
    UNARY("cvt.rzi.s32.f32", "=r", "f", u32, f32)
    UNARY("cvt.rmi.u32.f32", "=r", "f", u32, f32)
    UNARY("cvt.rpi.s64.f64", "=l", "d", u64, f64)
    UNARY("cvt.rzi.u64.f32", "=l", "f", u64, f32)
    UNARY("cvt.rni.f32.f32", "=f", "f", f32, f32)
    UNARY("cvt.rn.f32.f64", "=f", "d", f32, f64)
    UNARY("cvt.rz.f32.f64", "=f", "d", f32, f64)
    UNARY("cvt.f64.f32", "=d", "f", f64, f32)
    UNARY("cvt.rn.f32.s32", "=f", "r", f32, u32)
    UNARY("cvt.rz.f32.u32", "=f", "r", f32, u32)
    UNARY("cvt.rn.f64.u64", "=d", "l", f64, u64)
    UNARY("cvt.rm.f32.s64", "=f", "l", f32, u64)
    UNARY("cvt.rn.f16.f32", "=h", "f", u16, f32)
    UNARY("cvt.rz.f16.f32", "=h", "f", u16, f32)
    UNARY("cvt.f32.f16", "=f", "h", f32, u16)
    UNARY("cvt.rn.bf16.f32", "=h", "f", u16, f32)
    UNARY("cvt.rna.tf32.f32", "=r", "f", u32, f32)
    UNARY("cvt.sat.u8.s32", "=r", "r", u32, u32)
    UNARY("cvt.sat.s16.s32", "=r", "r", u32, u32)
    UNARY("cvt.s64.s32", "=l", "r", u64, u32)
    UNARY("cvt.u32.u64", "=r", "l", u32, u64)
    UNARY("cvt.s32.s8", "=r", "r", u32, u32)
    UNARY("cvt.rzi.u8.f32", "=r", "f", u32, f32)
    BINARY("cvt.rn.f16x2.f32", "=r", "f", u32, f32)
    BINARY("cvt.rn.bf16x2.f32", "=r", "f", u32, f32)
    BINARY("cvt.rn.relu.bf16x2.f32", "=r", "f", u32, f32)
    BINARY("add.f16", "=h", "h", u16, u16)
    BINARY("mul.f16", "=h", "h", u16, u16)
    TERNARY("fma.rn.f16", "=h", "h", u16, u16)
    BINARY("add.f16x2", "=r", "r", u32, u32)
    TERNARY("fma.rn.bf16x2", "=r", "r", u32, u32)
    BINARY("max.f16x2", "=r", "r", u32, u32)
    f32 y;
    asm("ex2.approx.f32 %0, %1;" : "=f"(y) : "f"(-3.0f));
    note("ex2", bits_of(y));
    asm("lg2.approx.f32 %0, %1;" : "=f"(y) : "f"(8.0f));
    note("lg2", bits_of(y));
    asm("add.f32 %0, %1, 0f3FC00000;" : "=f"(y) : "f"(8.0f));
    note("immediate", bits_of(y));
}

__global__ void predicates() {
#define COMPARE(text, in, From)                                                                    \
    for (From a : From##_values)                                                                   \
        for (From b : From##_values) {                                                             \
            u32 d;                                                                                 \
            asm("{\n\t.reg .pred p;\n\t" text " p, %1, %2;\n\tselp.u32 %0, 7, 3, p;\n\t}"          \
                : "=r"(d)                                                                          \
                : in(a), in(b));                                                                   \
            note(text, d);                                                                         \
        }
    COMPARE("setp.lt.s32", "r", u32)
    COMPARE("setp.lo.u32", "r", u32)
    COMPARE("setp.hs.u64", "l", u64)
    COMPARE("setp.geu.f32", "f", f32)
    COMPARE("setp.neu.f64", "d", f64)
    COMPARE("setp.ne.b32", "r", u32)
    for (u32 a : u32_values) {
        u32 d = 100, e = 200;
        asm volatile(
            "{\n\t"
            ".reg .pred p, q;\n\t"
            ".reg .b32 t<3>;\n\t"
            "setp.gt.and.s32 p|q, %2, 0, 1;\n\t"
            "mov.u32 t0, 5;\n\t"
            "@p add.u32 %0, %0, t0;\n\t"
            "@!p sub.u32 %0, %0, t0;\n\t"
            "@q mov.u32 %1, 0x77; // not greater\n\t"
            "not.pred q, q; and.pred p, p, q;\n\t"
            "@p bra SKIP;\n\t"
            "add.u32 %1, %1, 1000;\n"
            "SKIP:\n\t"
            "shl.b32 %1, %1, 1;\n\t"
            "}"
            : "+r"(d), "+r"(e)
            : "r"(a)
            : "memory");
        note("block", d);
        note("block", e);
    }
    // A loop: the sum of the numbers up to ten.
    u32 sum;
    asm volatile(
        "{ .reg .u32 i; .reg .pred more; mov.u32 %0, 0; mov.u32 i, 10;\n"
        "AGAIN: add.u32 %0, %0, i; sub.u32 i, i, 1; setp.ne.u32 more, i, 0; @more bra.uni AGAIN; }"
        : "=r"(sum));
    note("loop", sum);
    for (f32 a : f32_values) {
        u32 d;
        asm("set.lt.u32.f32 %0, %1, 0f3F800000;" : "=r"(d) : "f"(a));
        note("set.lt", d);
        asm("{ .reg .pred p; testp.subnormal.f32 p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(d) : "f"(a));
        note("testp", d);
    }
}

// ---- memory

__global__ void memory(unsigned* global, unsigned long long* wide) {
    __shared__ __align__(16) unsigned shared[64];
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(shared));
    u32 a, b, c, d;
    asm volatile("st.global.u32 [%0], %1;" ::"l"(global), "r"(0x12345678) : "memory");
    asm volatile("st.global.cg.v4.u32 [%0+16], {%1, %2, %3, 99};" ::"l"(global), "r"(1), "r"(2), "r"(3) : "memory");
    asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2+24];" : "=r"(a), "=r"(b) : "l"(global));
    note("ld.v2", a);
    note("ld.v2", b);
    asm volatile("ld.global.nc.u8 %0, [%1 + 1];" : "=r"(a) : "l"(global));
    note("ld.u8", a);
    asm volatile("st.global.u32 [%0], %1;" ::"l"(global + 1), "r"(0x8090a0b0) : "memory");
    asm volatile("ld.global.s8 %0, [%1 + 4];" : "=r"(a) : "l"(global));
    note("ld.s8", a);
    asm volatile("ld.volatile.global.s16 %0, [%1 + 6];" : "=r"(a) : "l"(global));
    note("ld.s16", a);
    asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(address), "f"(1.5f), "f"(2.5f) : "memory");
    asm volatile("ld.shared.v2.b32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(address));
    note("ld.shared", a);
    note("ld.shared", b);
    asm volatile("ld.u32 %0, [%1];" : "=r"(a) : "l"(shared + 1));
    note("generic", a);
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(global + 2), "r"(41) : "memory");
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(a) : "l"(global + 2) : "memory");
    note("ld.acquire", a);
    asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(a) : "l"(global + 2), "r"(5) : "memory");
    note("atom.add", a);
    asm volatile("red.relaxed.gpu.global.max.u32 [%0], 1000;" ::"l"(global + 2) : "memory");
    asm volatile("atom.acq_rel.gpu.global.cas.b32 %0, [%1], %2, %3;" : "=r"(a) : "l"(global + 2), "r"(1000), "r"(7));
    note("atom.cas", a);
    asm volatile("atom.global.exch.b32 %0, [%1], %2;" : "=r"(a) : "l"(global + 2), "r"(8));
    note("atom.exch", a);
    asm volatile("st.shared.u32 [%0], 3;" ::"r"(address + 8) : "memory");
    asm volatile("atom.shared.inc.u32 %0, [%1], 3;" : "=r"(a) : "r"(address + 8));
    asm volatile("atom.shared.add.u32 %0, [%1], 10;" : "=r"(b) : "r"(address + 8));
    note("atom.inc", a);
    note("atom.inc", b);
    asm volatile("atom.global.add.u64 %0, [%1], %2;" : "=l"(*wide) : "l"(wide + 1), "l"(5ull));
    note("atom.u64", *wide);
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %1; ld.global.u32 %0, [g]; }" : "=r"(a) : "l"(global));
    note("cvta", a);
    asm volatile("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(a) : "l"(shared));
    note("isspacep", a);
    // Asynchronous copies.
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;\n" ::"r"(address + 64), "l"(global) : "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2, %3;\n" ::"r"(address + 80), "l"(global + 4), "n"(16),
                 "r"(8)
                 : "memory");
    asm volatile("cp.async.commit_group;\n" ::);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(0));
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(address + 80));
    note("cp.async", a);
    note("cp.async", b);
    note("cp.async", c);
    note("cp.async", d);
    note("cp.async", shared[16]);
}

// ---- warps

__global__ void warps(unsigned* out) {
    const unsigned lane = threadIdx.x % 32;
    __shared__ unsigned total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    unsigned r[16];
    for (unsigned& x : r) x = 0;
    asm volatile("shfl.sync.down.b32 %0, %1, 3, 0x1f, 0xffffffff;" : "=r"(r[0]) : "r"(lane * 3));
    asm volatile("shfl.sync.up.b32 %0, %1, 2, 0x1800, -1;" : "=r"(r[1]) : "r"(lane * 5));
    asm volatile("{ .reg .pred p; shfl.sync.bfly.b32 %0|p, %2, 9, 0x181f, -1; selp.u32 %1, 1, 0, p; }"
                 : "=r"(r[2]), "=r"(r[3])
                 : "r"(lane * 7));
    float moved;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;" : "=f"(moved) : "f"(float(lane)), "r"(lane / 2));
    r[4] = __float_as_uint(moved);
    asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 11; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(r[5]) : "r"(lane));
    asm volatile("{ .reg .pred p, q; setp.gt.u32 p, %1, 40; vote.sync.any.pred q, !p, -1; selp.u32 %0, 1, 0, q; }"
                 : "=r"(r[6])
                 : "r"(lane));
    asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(r[7]) : "r"(lane / 5));
    asm volatile("redux.sync.add.s32 %0, %1, 0xffffffff;" : "=r"(r[8]) : "r"(lane));
    asm volatile("activemask.b32 %0;" : "=r"(r[9]));
    asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(r[10]));
    asm volatile("{ .reg .u32 t; .reg .u32 n, x; mov.u32 t, %%ctaid.x; mov.u32 n, %%ntid.x; mov.u32 x, %%tid.x; mad.lo.u32 %0, t, n, x; }" : "=r"(r[11]));
    // A barrier for the first two warps; the third only arrives.
    if (threadIdx.x < 64) {
        if (threadIdx.x < 32) atomicAdd(&total, 1u);
        asm volatile("bar.sync 1, 96;" ::: "memory");
        r[12] = total;
    } else if (threadIdx.x < 96) {
        atomicAdd(&total, 100u);
        __threadfence_block();
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    }
    asm volatile("barrier.sync 0;\n\tmembar.gl;\n\tnanosleep.u32 10;" ::: "memory");
    asm volatile("bar.warp.sync 0xffffffff;");
    for (int i = 0; i < 16; ++i) out[(blockIdx.x * blockDim.x + threadIdx.x) * 16 + i] = r[i];
}

int main() {
    integers<<<1, 1>>>();
    floats<<<1, 1>>>();
    predicates<<<1, 1>>>();
    unsigned *global, *out;
    unsigned long long* wide;
    CHECK(cudaMalloc(&global, 256));
    CHECK(cudaMemset(global, 0, 256));
    CHECK(cudaMalloc(&wide, 256));
    CHECK(cudaMemset(wide, 0, 256));
    memory<<<1, 1>>>(global, wide);
    CHECK(cudaDeviceSynchronize());
    static Record results[4096];
    unsigned count = 0;
    CHECK(cudaMemcpyFromSymbol(results, records, sizeof results));
    CHECK(cudaMemcpyFromSymbol(&count, record_count, sizeof count));
    // The results of an instruction on one line.
    static bool is_printed[4096];
    for (unsigned i = 0; i < count; ++i) {
        if (is_printed[i]) continue;
        std::printf("%s:", results[i].name);
        for (unsigned j = i; j < count; ++j) {
            if (std::strcmp(results[i].name, results[j].name) != 0) continue;
            is_printed[j] = true;
            std::printf(" %llx", results[j].bits);
        }
        std::printf("\n");
    }
    constexpr int threads = 96;
    CHECK(cudaMalloc(&out, 2 * threads * 16 * sizeof *out));
    warps<<<2, threads>>>(out);
    static unsigned of_warps[2 * threads * 16];
    CHECK(cudaMemcpy(of_warps, out, sizeof of_warps, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 13; ++i) {
        std::printf("warp %d:", i);
        for (int thread = 0; thread < 2 * threads; ++thread) std::printf(" %x", of_warps[thread * 16 + i]);
        std::printf("\n");
    }
    return 0;
}
