#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Writes a CUDA program of small expressions over all operators, types and intrinsics:
#
#     generate.pl [EVERY [FIRST]] >expressions.cu     every EVERYth expression, beginning with the FIRSTth
#     generate.pl --list                              number and text of each
#
# An expression depends on its number only, so that results recorded for all can be compared with those of a part.
use strict;
use warnings;
use integer;

my $total = 10000;
my $batch_size = 40;

# ---- random numbers that are the same everywhere: Marsaglia's xorshift
my $state = 1;
sub seed { $state = ($_[0] * 2654435761 + 12345) & 0xffffffff; $state ||= 1; chance() for 1 .. 4 }
sub chance {
    $state ^= ($state << 13) & 0xffffffff;
    $state ^= $state >> 17;
    $state ^= ($state << 5) & 0xffffffff;
    return $state;
}
sub pick { return $_[chance() / 3 % @_] }

my @integers = qw(i8 u8 i16 u16 i32 u32 i64 u64);
my @floats = qw(f32 f64);
my %spelled = (
    bool => ['bool'], i8 => ['i8', 'signed char', 'int8_t'], u8 => ['u8', 'unsigned char', 'uint8_t'],
    i16 => ['i16', 'short', 'int16_t'], u16 => ['u16', 'unsigned short', 'uint16_t'], i32 => ['int', 'i32', 'int32_t'],
    u32 => ['unsigned', 'u32', 'unsigned int', 'uint32_t'], i64 => ['long long', 'i64', 'int64_t', 'long'],
    u64 => ['unsigned long long', 'u64', 'size_t', 'unsigned long'], f32 => ['float', 'f32'], f64 => ['double', 'f64'],
);

# ---- one expression: operands' types, statements before, the expression
my @expressions;
sub add { push @expressions, {types => $_[0], text => $_[1], before => $_[2] // ''} }

my @arithmetic = ('+', '-', '*', '/', '%', '&', '|', '^');
my @comparisons = ('<', '<=', '>', '>=', '==', '!=');

# Integers: each operator for each pair of types, and each compound assignment.
for my $a ('bool', @integers) {
    for my $b ('bool', @integers) {
        # (The result of a division by zero is not specified. That of 32 bits is the same everywhere all the same.)
        my $defined = sub { $_[0] =~ m{[/%]} && "$a $b" !~ /^[iu]32 [iu]32$/ ? 'if (b == 0) continue; ' : '' };
        add([$a, $b], "a $_ b", $defined->($_)) for @arithmetic, pick(@comparisons), pick(@comparisons), pick('&&', '||');
        add([$a, $b], 't', $defined->($_) . "t_a t = a; t $_= b;") for $a eq 'bool' ? () : @arithmetic;
    }
}
# Shifts, by amounts at and beyond the width, below zero and of every type.
for my $a ('bool', @integers) {
    for my $operator ('<<', '>>') {
        for my $amount ('amount', 'amount64', @integers) {
            add([$a, $amount], "a $operator b");
            add([$a, $amount], "a $operator b") if $amount =~ /amount/;
            add([$a, $amount], 't', "t_a t = a; t $operator= b;") if $a ne 'bool';
        }
        add([$a, 'amount'], "a $operator b $_ 1", '') for '+', '-', '*';
        add([$a, 'amount'], "(a $operator b) $operator b", '');
        add([$a, 'amount', 'amount'], "a $operator b $operator c", '');
        add([$a, 'amount'], "5 $operator b", '');
        add([$a, 'amount'], "-1ll $operator b | a", '');
        add([$a, 'amount'], "s.$_ $operator b", 'Bits s = {a & 7u, a & 63, a & 0xfffffu};') for qw(low middle high);
        add([$a, 'amount'], "s.$_", "Bits s = {a & 7u, a & 63, a & 0xfffffu}; s.$_ $operator= b;") for qw(low middle high);
    }
}
# Floats.
for my $a (@floats, @integers) {
    for my $b (@floats, @integers) {
        next if $a !~ /f/ && $b !~ /f/;
        add([$a, $b], "a $_ b") for '+', '-', '*', '/', @comparisons;
        add([$a, $b], 't', "t_a t = a; t $_= b;") for $a =~ /f/ ? ('+', '-', '*', '/') : ();
    }
}
# Unary operators.
for my $a ('bool', @integers, @floats) {
    add([$a], $_) for '-a', '+a', '!a', 'a ? 3 : 5';
    add([$a], '~a') if $a !~ /f|bool/;
    next if $a eq 'bool';
    add([$a], 't', "t_a t = a; $_;") for '++t', '--t', 't = -t';
    add([$a], 't++', 't_a t = a;');
}
# Casts, spelled in each way.
for my $to ('bool', @integers, @floats) {
    for my $from ('bool', @integers, @floats, 'h16', 'b16') {
        for my $name (@{$spelled{$to}}) {
            add([$from], "($name)a");
            add([$from], "static_cast<$name>(a)");
            add([$from], "$name(a)") if $name !~ / /;
        }
        next if $from !~ /f/ || $to =~ /f/;
        my $name = pick(@{$spelled{$to}});
        add([$from], $_) for "($name)-a", "($name)(a * 3 + 1)", "static_cast<$name>(a / 7)", "-($name)a", "($name)a & 1",
            "($name)a * 2 + 1", "(float)($name)a";
        add([$from, 'u32'], "convert<$name>(a) ^ b");
    }
}

# ---- functions: result, name, operands. What rounds once is exact on every machine; what does not is not here.
my @functions = map { [split] } grep { /\S/ && !/^#/ } split /\n/, <<'END';
__popc u32
__popcll u64
__clz i32
__clzll i64
__ffs i32
__ffsll i64
__brev u32
__brevll u64
__byte_perm u32 u32 u32
__funnelshift_l u32 u32 u32
__funnelshift_r u32 u32 u32
__funnelshift_lc u32 u32 amount
__funnelshift_rc u32 u32 amount
__mulhi i32 i32
__umulhi u32 u32
__mul64hi i64 i64
__umul64hi u64 u64
__mul24 i32 i32
__umul24 u32 u32
__sad i32 i32 u32
__usad u32 u32 u32
__hadd i32 i32
__rhadd i32 i32
__uhadd u32 u32
__urhadd u32 u32
__dp4a i32 i32 i32
__dp4a u32 u32 u32
__dp2a_lo i32 i32 i32
__dp2a_hi i32 i32 i32
__dp2a_lo u32 u32 u32
__dp2a_hi u32 u32 u32
abs i32
llabs i64
min i32 i32
max i32 i32
min u32 u32
max u32 u32
min i32 u32
max i32 u32
min i64 i64
max i64 i64
min u64 u64
max u64 u64
min f32 f32
max f32 f32
min f64 f64
max f64 f64
min f32 f64
max f64 f32
umin u32 u32
umax u32 u32
llmin i64 i64
llmax i64 i64
ullmin u64 u64
ullmax u64 u64
fminf f32 f32
fmaxf f32 f32
fmin f64 f64
fmax f64 f64
fabsf f32
fabs f64
floorf f32
ceilf f32
truncf f32
rintf f32
nearbyintf f32
roundf f32
floor f64
ceil f64
trunc f64
rint f64
nearbyint f64
round f64
sqrtf f32
sqrt f64
fmaf f32 f32 f32
fma f64 f64 f64
fmodf f32 f32
fmod f64 f64
remainderf f32 f32
remainder f64 f64
fdimf f32 f32
fdim f64 f64
copysignf f32 f32
copysign f64 f64
nextafterf f32 f32
nextafter f64 f64
ldexpf f32 i8
ldexp f64 i16
scalbnf f32 i16
scalbn f64 i8
logbf f32
logb f64
ilogbf f32
ilogb f64
lrintf f32
lrint f64
llrintf f32
llrint f64
lroundf f32
lround f64
llroundf f32
llround f64
isnan f32
isinf f32
isfinite f32
signbit f32
isnan f64
isinf f64
isfinite f64
signbit f64
__saturatef f32
__frsqrt_rn f32
__float_as_int f32_number
__float_as_uint f32_number
__int_as_float i32
__uint_as_float u32
__double_as_longlong f64_number
__longlong_as_double i64
__double2hiint f64_number
__double2loint f64_number
__hiloint2double i32 i32
__int2double_rn i32
__uint2double_rn u32
__float2half f32
__double2half f64
__half2float h16
__float2bfloat16 f32
__double2bfloat16 f64
__bfloat162float b16
__half2char_rz h16
__half2uchar_rz h16
__bfloat162char_rz b16
__bfloat162uchar_rz b16
END
for my $mode (qw(rn rz ru rd)) {
    push @functions, map { [split] } (
        "__float2int_$mode f32", "__float2uint_$mode f32", "__float2ll_$mode f32", "__float2ull_$mode f32",
        "__double2int_$mode f64", "__double2uint_$mode f64", "__double2ll_$mode f64", "__double2ull_$mode f64",
        "__int2float_$mode i32", "__uint2float_$mode u32", "__ll2float_$mode i64", "__ull2float_$mode u64",
        "__ll2double_$mode i64", "__ull2double_$mode u64", "__double2float_$mode f64",
        "__fadd_$mode f32 f32", "__fsub_$mode f32 f32", "__fmul_$mode f32 f32", "__fdiv_$mode f32 f32",
        "__frcp_$mode f32", "__fsqrt_$mode f32", "__fmaf_$mode f32 f32 f32", "__dadd_$mode f64 f64",
        "__dsub_$mode f64 f64", "__dmul_$mode f64 f64", "__ddiv_$mode f64 f64", "__drcp_$mode f64",
        "__dsqrt_$mode f64", "__fma_$mode f64 f64 f64", "__float2half_$mode f32", "__float2bfloat16_$mode f32",
        map { my ($small, $type) = @$_; map { ("__${small}2${_}_$mode $type") } qw(short ushort int uint ll ull) }
            (['half', 'h16'], ['bfloat16', 'b16']));
    for my $integer (['short', 'i16'], ['ushort', 'u16'], ['int', 'i32'], ['uint', 'u32'], ['ll', 'i64'], ['ull', 'u64']) {
        push @functions, ["__$integer->[0]2half_$mode", $integer->[1]], ["__$integer->[0]2bfloat16_$mode", $integer->[1]];
    }
}
for my $n (2, 4) {
    push @functions, map { ["__v$_$n", 'u32', 'u32'] } qw(add sub addss addus subss subus avgs avgu haddu absdiffs absdiffu
        mins minu maxs maxu cmpeq cmpne cmpgts cmpgtu cmpges cmpgeu cmplts cmpltu cmples cmpleu seteq setne setgts setgtu
        setges setgeu setlts setltu setles setleu sads sadu);
    push @functions, map { ["__v$_$n", 'u32'] } qw(neg abs negss absss);
}
for my $small (qw(h16 b16)) {
    push @functions, map { [$_, $small, $small] } qw(__hadd __hsub __hmul __hdiv __hadd_rn __hsub_rn __hmul_rn __hadd_sat
        __hsub_sat __hmul_sat __hmax __hmin __hmax_nan __hmin_nan __heq __hne __hlt __hle __hgt __hge __hequ __hneu __hltu
        __hleu __hgtu __hgeu);
    push @functions, map { [$_, $small] } qw(__hneg __habs __hisnan __hisinf hsqrt htrunc hceil hfloor hrint);
    push @functions, map { [$_, $small, $small, $small] } qw(__hfma __hfma_sat __hfma_relu);
    add([$small, $small], "a $_ b") for '+', '-', '*', '/', @comparisons;
    add([$small, $small], 't', "t_a t = a; t $_= b;") for '+', '-', '*', '/';
    add([$small], $_) for '-a', '+a', '(float)a * 3.0f', '(double)a';
    add([$_], $small eq 'h16' ? '__half(a)' : '__nv_bfloat16(a)') for qw(f32 f64 i32 u32 i64 u64 i16 u16);
}
for my $repetition (1 .. 4) {
    for my $function (@functions) {
        my ($name, @types) = @$function;
        my @number = map { s/_number$// ? $_ : () } my @plain = @types;
        seed(7 * @expressions + 3);
        add([@plain], "$name(" . join(', ', ('a', 'b', 'c')[0 .. $#plain]) . ')',
            @number ? 'if (a != a) continue;' : '');
    }
}

# ---- compositions. Signed integers neither overflow nor leave 32 bits unseen there: where C++ leaves the result of an
# operation undefined, nvcc may draw conclusions for what surrounds it.
sub leaf {
    my ($type) = @_;
    my $name = pick('a', 'b', 'c');
    return pick($name, $name, $name, "($type)$name", pick('3', '0x55', '17', '1'));
}
sub composed {
    my ($type, $depth) = @_;
    return leaf($type) if $depth == 0;
    my $x = sub { composed($type, $depth - 1) };
    my $wide = $type =~ /64/ ? 64 : 32;
    my @ways = (
        sub { '(' . $x->() . ' ' . pick('+', '-', '*', '&', '|', '^') . ' ' . $x->() . ')' },
        sub { '(' . $x->() . ' ' . pick('&', '|', '^') . ' ' . $x->() . ')' },
        sub { '(' . $x->() . ' ' . pick('<<', '>>') . ' n)' },
        sub { '(' . $x->() . ' ' . pick('<<', '>>') . ' (n ' . pick('+ 1', '- 3', '& 63', '* 2') . '))' },
        sub { '(' . $x->() . ' ' . pick(@comparisons) . ' ' . $x->() . ' ? ' . $x->() . ' : ' . $x->() . ')' },
        sub { '(~' . $x->() . ')' },
        sub { "(($type)(f * " . pick('3.5f', '-1.0f', '1000.0f') . '))' },
        sub { "(($type)" . pick('(signed char)', '(unsigned short)', '(unsigned char)') . $x->() . ')' },
        sub { '(' . $x->() . pick(' / ', ' % ') . '(' . $x->() . ' | 1))' },
        sub { $wide == 64 ? '__brevll(' . $x->() . ')' : pick('__brev', '__popc', '__clz', '__ffs') . '(' . $x->() . ')' },
        sub { $wide == 64 ? '__umul64hi(' . $x->() . ', ' . $x->() . ')' : pick('__umulhi', '__umul24', '__vadd4', '__vmaxu2') . '(' . $x->() . ', ' . $x->() . ')' },
        sub { pick('min', 'max') . "(($type)" . $x->() . ", ($type)" . $x->() . ')' },
    );
    return pick(@ways)->();
}
sub composed_float {
    my ($type, $depth) = @_;
    my $s = $type eq "f32" ? "f" : "";
    return pick("f", "g", "h", "($type)a", "1.5$s", "-0.0$s") if $depth == 0;
    my $x = sub { composed_float($type, $depth - 1) };
    my @ways = (
        sub { '(' . $x->() . ' ' . pick('+', '-', '*', '/') . ' ' . $x->() . ')' },
        sub { pick("fmin$s", "fmax$s") . '(' . $x->() . ', ' . $x->() . ')' },
        sub { pick("floor$s", "ceil$s", "trunc$s", "rint$s", "fabs$s", "sqrt$s") . '(' . $x->() . ')' },
        sub { '(' . $x->() . ' ' . pick(@comparisons) . ' ' . $x->() . ' ? ' . $x->() . ' : ' . $x->() . ')' },
        sub { "fma$s(" . $x->() . ', ' . $x->() . ', ' . $x->() . ')' },
        sub { "(($type)(" . pick('int', 'unsigned', 'long long', 'unsigned long long', 'short', 'unsigned char') . ')' . $x->() . ')' },
        sub { '(- ' . $x->() . ')' },
    );
    return pick(@ways)->();
}
while (@expressions < $total) {
    seed(11 * @expressions + 5);
    if (@expressions % 4 == 3) {
        my $type = pick('f32', 'f64');
        add(['i32', $type, $type, $type], composed_float($type, pick(1, 2, 2)), 'floats');
    } else {
        my $type = pick('u32', 'u32', 'u64');
        add([$type, $type, $type, 'amount', 'f32'], "($type)" . composed($type, pick(2, 2, 3)), 'composed');
    }
}
die scalar(@expressions) . " expressions\n" if @expressions != $total;

# ---- output
sub names { return $_[0] eq 'floats' ? qw(a f g h) : $_[0] eq 'composed' ? qw(a b c n f) : qw(a b c) }
if (@ARGV && $ARGV[0] eq '--list') {
    for my $i (0 .. $#expressions) {
        my $e = $expressions[$i];
        print "$i\t", join(',', @{$e->{types}}), "\t", $e->{before} =~ /[;{]/ ? "$e->{before} " : '', "$e->{text}\n";
    }
    exit 0;
}
my ($every, $first) = (@ARGV, 1, 0)[0, 1];
$first = 0 if @ARGV < 2;
my @numbers = grep { $_ % $every == $first } 0 .. $#expressions;
print "// Generated by tests/expressions/generate.pl.\n#include \"harness.cuh\"\n\n";
print "template <class T, class F>\n__device__ T convert(F from) {\n    return (T)from;\n}\n";
print "#define AT(step, offset) (i * step + offset & 255)\n\n";
my $batches = 0;
for (my $begin = 0; $begin < @numbers; $begin += $batch_size) {
    print "__global__ void batch_", $batches++, "(const Operands* o, u64* out) {\n    const int i = threadIdx.x;\n";
    for my $k ($begin .. ($begin + $batch_size <= @numbers ? $begin + $batch_size : @numbers) - 1) {
        my $e = $expressions[$numbers[$k]];
        seed($numbers[$k]);
        my $before = $e->{before};
        my @names = names($before);
        my $text = '';
        for my $j (0 .. $#{$e->{types}}) {
            my $type = $e->{types}[$j];
            my $value = sprintf 'o->v_%s[AT(%d, %d)]', $type, pick(1, 3, 5, 7, 9, 11, 13), chance() % 256;
            $value = "__ushort_as_half($value)" if $type eq 'h16';
            $value = "__ushort_as_bfloat16($value)" if $type eq 'b16';
            my $name = $type eq 'amount' ? 'i32' : $type eq 'amount64' ? 'i64' : $type;
            $text .= "const $name $names[$j] = $value; ";
            $before =~ s/\bt_a\b/$name/ if $j == 0;
        }
        $before = '' if $before !~ /[;{]/;
        my $condition = $before =~ s/if \((\w) (..) (\w)\) continue;// ? 'if (!(' . "$1 $2 $3" . ')) ' : '';
        print "    { $text$condition\{ $before put(out, ", $k - $begin, ", i, $e->{text}); } }  // $numbers[$k]\n";
    }
    print "}\n";
}
print "\nint main(int argc, char** argv) {\n    const Batch batches[] = {", join(', ', map { "batch_$_" } 0 .. $batches - 1), "};\n";
print "    const int numbers[] = {", join(', ', @numbers), "};\n";
print "    return run_batches(batches, numbers, ", scalar(@numbers), ", $batch_size, argc, argv);\n}\n";
