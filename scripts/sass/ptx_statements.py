# SPDX-License-Identifier: Apache-2.0
"""PTX statements to compile, by family, in the notation that make-ptx explains.

Each function yields the statements of one family: products of names, types and modifiers as the PTX
ISA lists them, for all architectures at once. Many do not exist on a given one, or not at all;
ptxas drops those.
"""
import itertools


def dotted(words):
    """The words as optional modifiers: "a b" -> "", ".a", ".b"."""
    return [""] + ["." + word for word in words.split()]


def width(kind):
    """Bits of the register that a type needs; 8-bit values live in 16-bit registers."""
    if kind.endswith(("x2", "x4")):
        return "32"
    return next((bits for bits in ("128", "64", "32") if kind.endswith(bits)), "16")


def values(kind):
    """The registers of a type that may be a vector: "v4.b32" -> "4x32"."""
    vector, plain = kind.rpartition(".")[::2]
    return (f"{vector[-1]}x" if vector else "") + width(plain)


SCOPES = "cta cluster gpu sys"
INTEGERS = "u16 s16 u32 s32 u64 s64"
FLOATS = "f16 f16x2 bf16 bf16x2 f32 f64"
VECTORS = {"": "", ".v2": "2x", ".v4": "4x", ".v8": "8x"}

# --- memory -------------------------------------------------------------------------------------

MEMORY_TYPES = "b8 u8 s8 b16 u16 s16 b32 u32 s32 f32 b64 u64 s64 f64 b128"
SPACES = {".global": "g", ".shared": "s", ".local": "l", "": "x", ".shared::cta": "s",
          ".shared::cluster": "k"}
CACHED = dotted("ca cg cs lu cv wb wt volatile nc mmio.relaxed.sys weak") + [
    f".{order}.{scope}" for order in ("relaxed", "acquire", "release") for scope in SCOPES.split()]
LEVELS = dotted("L1::evict_normal L1::evict_unchanged L1::evict_first L1::evict_last "
                "L1::no_allocate L2::64B L2::128B L2::256B L2::evict_first L2::evict_last "
                "L2::evict_normal L1::no_allocate.L2::256B L1::evict_last.L2::evict_last")
OFFSETS = (-8, -4096, 0x7fffc)


def loads():
    for (space, at), kind, (vector, number) in itertools.product(
            [*SPACES.items(), (".const", "c")], MEMORY_TYPES.split(), VECTORS.items()):
        yield f"ld{space}{vector}.{kind} >{number}{width(kind)}, [&{at}+16];"
    for (space, at), cached, kind in itertools.product(
            SPACES.items(), CACHED, "b32 u8 s16 b64 v2.b32 v4.b32 v2.b64 b128".split()):
        yield f"ld{cached}{space}.{kind} >{values(kind)}, [&{at}];"
    for cached, level, kind in itertools.product(
            ("", ".nc", ".relaxed.gpu"), LEVELS,
            "b32 v4.b32 v2.b64 v8.b32 v4.b64 u16".split()):
        load = f"ld{cached.replace('.nc', '')}.global{cached if cached == '.nc' else ''}{level}"
        yield f"{load}.{kind} >{values(kind)}, [&g];"
        yield f"{load}.L2::cache_hint.{kind} >{values(kind)}, [&g], <64;"
    for (space, at), offset in itertools.product(SPACES.items(), OFFSETS):
        yield f"ld{space}.b32 >32, [&{at}+{offset}];"
    for kind in "u8 b32 b64".split():
        for cached in ("ca", "cg", "cs"):
            yield f"ld.global.{cached}.nc.{kind} >{width(kind)}, [&g];"
        yield f"ldu.global.{kind} >{width(kind)}, [&g];"
        yield f"ld.const.{kind} >{width(kind)}, [cmem+64];"
        yield f"ld.shared.{kind} >{width(kind)}, [smem+64];"
        yield f"ld.param.{kind} >{width(kind)}, [args+72];"
        yield f"ld.const.{kind} >{width(kind)}, [&c+4000];"


def stores():
    for (space, at), kind, (vector, number) in itertools.product(
            SPACES.items(), MEMORY_TYPES.split(), VECTORS.items()):
        yield f"st{space}{vector}.{kind} [&{at}+16], <{number}{width(kind)};"
    for (space, at), cached, kind in itertools.product(
            SPACES.items(), CACHED, "b32 b8 b16 b64 v2.b32 v4.b32 v2.b64 b128".split()):
        yield f"st{cached}{space}.{kind} [&{at}], <{values(kind)};"
    for level, kind in itertools.product(LEVELS, "b32 v4.b32 v2.b64 v8.b32 v4.b64 b16".split()):
        yield f"st.global{level}.{kind} [&g], <{values(kind)};"
        yield f"st.global{level}.L2::cache_hint.{kind} [&g], <{values(kind)}, <64;"
    for (space, at), offset in itertools.product(SPACES.items(), OFFSETS):
        yield f"st{space}.b32 [&{at}+{offset}], <32;"
    for kind in "b8 b16 b32 b64".split():
        yield f"st.shared.{kind} [smem+64], <{width(kind)};"
        yield f"st.global.{kind} [&g], 0;"
        yield f"st.shared.{kind} [&s], 0;"
    for weak, kind in itertools.product(("", ".weak"),
                                        "b32 b64 u32 s64 v2.b32 v4.b32 v4.f32".split()):
        yield (f"st.async{weak}.shared::cluster.mbarrier::complete_tx::bytes.{kind} "
               f"[&k], <{values(kind)}, [&k];")
    for scope, kind in itertools.product(SCOPES.split(), "b8 b16 b32 b64".split()):
        yield f"st.async.mmio.release.{scope}.global.{kind} [&g], <{width(kind)};"


def atomics():
    operations = {
        "add": "u32 s32 u64 f32 f64 f16 f16x2 bf16 bf16x2", "min": "u32 s32 u64 s64 f32",
        "max": "u32 s32 u64 s64", "and": "b32 b64", "or": "b32 b64", "xor": "b32 b64", "inc": "u32",
        "dec": "u32", "exch": "b32 b64 b128", "cas": "b16 b32 b64 b128"}
    places = {".global": "g", ".shared": "s", "": "x", ".shared::cluster": "k"}
    for (operation, kinds), (space, at) in itertools.product(operations.items(), places.items()):
        for kind in kinds.split():
            noftz = ".noftz" if "f16" in kind else ""
            bits = width(kind)
            last = f"<{bits}, <{bits}" if operation == "cas" else f"<{bits}"
            for order in ("", ".relaxed.cta", ".acquire.cluster", ".release.gpu", ".acq_rel.sys"):
                yield f"atom{order}{space}.{operation}{noftz}.{kind} >{bits}, [&{at}], {last};"
                yield f"red{order}{space}.{operation}{noftz}.{kind} [&{at}], {last};"
    for order, scope in itertools.product("relaxed acquire release acq_rel".split(),
                                          SCOPES.split()):
        yield f"atom.{order}.{scope}.global.add.u32 >32, [&g], <32;"
        yield f"atom.{order}.{scope}.shared.cas.b32 >32, [&s], <32, <32;"
        yield f"red.{order}.{scope}.global.add.u32 [&g], <32;"
    for operation in "add.u32 add.u64 exch.b32 and.b32 max.s32".split():
        bits = width(operation)
        yield f"atom.global.{operation} >{bits}, [&g], 1;"
        yield f"red.global.{operation} [&g], 1;"
        yield f"atom.shared.{operation} >{bits}, [&s], 3;"
        hinted = operation.replace(".", ".L2::cache_hint.")
        yield f"atom.global.{hinted} >{bits}, [&g], <{bits}, <64;"
        yield f"red.global.{hinted} [&g], <{bits}, <64;"
    for operation, kind, vector in itertools.product(
            "add min max".split(), "f32 f16 f16x2 bf16 bf16x2".split(), (".v2", ".v4", ".v8")):
        noftz = ".noftz" if "16" in kind else ""
        several = values(f"{vector}.{kind}")
        yield f"atom.global{vector}.{kind}.{operation}{noftz} >{several}, [&g], <{several};"
        yield f"atom.global.{operation}{noftz}{vector}.{kind} >{several}, [&g], <{several};"
        yield f"red.global.{operation}{noftz}{vector}.{kind} [&g], <{several};"
    for operation in ("inc.u32 dec.u32 min.u32 min.s32 max.u32 max.s32 add.u32 add.s32 and.b32 "
                      "or.b32 xor.b32 add.u64").split():
        yield ("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes."
               f"{operation} [&k], <{width(operation)}, [&k];")
    for operation, kind in itertools.product(
            "add min max and or xor".split(),
            "u32 s32 u64 s64 b32 b64 f32 f64 f16 f16x2 bf16 bf16x2 v2.f32 v4.f32 v4.f16x2 v8.f16 "
            "v4.bf16x2 v8.bf16 e4m3x4 e5m2x4 v4.e4m3x4".split()):
        yield f"multimem.ld_reduce.relaxed.gpu.global.{operation}.{kind} >{values(kind)}, [&g];"
        yield f"multimem.ld_reduce.weak.global.{operation}.{kind} >{values(kind)}, [&g];"
        yield f"multimem.ld_reduce.global.{operation}.acc::f32.{kind} >{values(kind)}, [&g];"
        yield f"multimem.red.release.sys.global.{operation}.{kind} [&g], <{values(kind)};"
        yield f"multimem.st.relaxed.gpu.global.{kind} [&g], <{values(kind)};"


def hints():
    for space, level in itertools.product((".global", ".local", ""), ("L1", "L2")):
        yield f"prefetch{space}.{level} [&{SPACES[space]}];"
    yield from ("prefetch.global.L2::evict_last [&g];", "prefetch.global.L2::evict_normal [&g];",
                "prefetchu.L1 [&x];", "prefetch.tensormap [&t];", "prefetch.param.tensormap [map];",
                "applypriority.global.L2::evict_normal [&g], 128;", "discard.global.L2 [&g], 128;",
                "cp.async.bulk.prefetch.L2.global [&g], <32;",
                "cp.async.bulk.prefetch.L2.global.L2::cache_hint [&g], <32, <64;")
    for primary, secondary in itertools.product(
            "evict_last evict_normal evict_first evict_unchanged".split(),
            ("", ".L2::evict_first", ".L2::evict_unchanged")):
        yield f"createpolicy.fractional.L2::{primary}{secondary}.b64 >64, 0.5;"
        yield f"createpolicy.fractional.L2::{primary}{secondary}.b64 >64;"
        yield f"createpolicy.range.global.L2::{primary}{secondary}.b64 >64, [&g], <32, <32;"
    yield "createpolicy.cvt.L2.b64 >64, <64;"
    for space in "global shared local const param shared::cta shared::cluster param::entry".split():
        yield f"isspacep.{space} >p, <64;"
        yield f"cvta.{space}.u64 >64, <64;"
        yield f"cvta.to.{space}.u64 >64, <64;"
    for kind in ("u32", "u64"):
        yield f"mapa.{kind} >{width(kind)}, <{width(kind)}, <32;"
        yield f"mapa.shared::cluster.{kind} >{width(kind)}, <{width(kind)}, <32;"
        yield f"getctarank.{kind} >32, <{width(kind)};"
        yield f"getctarank.shared::cluster.{kind} >32, <{width(kind)};"


# --- copies by hardware, barriers, fences -------------------------------------------------------

def copies():
    for size, rest, l2, hint in itertools.product(
            (4, 8, 16), ("", ", <32", ", <p", ", 0"), ("", ".L2::64B", ".L2::128B", ".L2::256B"),
            ("", ".L2::cache_hint")):
        policy = ", <64" if hint else ""
        for kind in ("ca", "cg"):
            yield (f"cp.async.{kind}.shared.global{hint}{l2} [&s], [&g], {size}{rest}{policy};\n"
                   "cp.async.commit_group;")
    for i in range(4):
        yield f"cp.async.ca.shared.global [&s], [&g], 4;\ncp.async.wait_group {i};"
    yield from ("cp.async.wait_all;", "cp.async.mbarrier.arrive.shared.b64 [&m];",
                "cp.async.mbarrier.arrive.noinc.shared.b64 [&m];")
    done = ".mbarrier::complete_tx::bytes"
    for hint in ("", ".L2::cache_hint"):
        policy = ", <64" if hint else ""
        yield f"cp.async.bulk.shared::cluster.global{done}{hint} [&s], [&g], <32, [&m]{policy};"
        yield f"cp.async.bulk.shared::cta.global{done}{hint} [&s], [&g], <32, [&m]{policy};"
        yield f"cp.async.bulk.shared::cta.global{done}{hint} [&s], [&g], 128, [&m]{policy};"
        yield (f"cp.async.bulk.shared::cta.global{done}.ignore_oob{hint} [&s], [&g], <32, <32, "
               f"<32, [&m]{policy};")
        yield (f"cp.async.bulk.shared::cluster.global{done}.multicast::cluster{hint} "
               f"[&s], [&g], <32, [&m], <16{policy};")
        yield f"cp.async.bulk.global.shared::cta.bulk_group{hint} [&g], [&s], <32{policy};"
        yield (f"cp.async.bulk.global.shared::cta.bulk_group{hint}.cp_mask "
               f"[&g], [&s], <32{policy}, <16;")
        for operation, kind in itertools.product(
                "and or xor add inc dec min max add.noftz".split(),
                "f16 bf16 b32 u32 s32 b64 u64 s64 f32 f64".split()):
            yield (f"cp.reduce.async.bulk.global.shared::cta.bulk_group{hint}.{operation}.{kind} "
                   f"[&g], [&s], <32{policy};")
    yield f"cp.async.bulk.shared::cluster.shared::cta{done} [&k], [&s], <32, [&k];"
    for operation, kind in itertools.product("and or xor add inc dec min max".split(),
                                             "b32 u32 s32 b64 u64 s64".split()):
        yield (f"cp.reduce.async.bulk.shared::cluster.shared::cta{done}.{operation}.{kind} "
               "[&k], [&s], <32, [&k];")
    for i, read in itertools.product(range(3), ("", ".read")):
        yield ("cp.async.bulk.global.shared::cta.bulk_group [&g], [&s], 128;\n"
               f"cp.async.bulk.commit_group;\ncp.async.bulk.wait_group{read} {i};")


def tensor_copies():
    done = ".mbarrier::complete_tx::bytes"
    for rank in range(1, 6):
        at = f"[&t, <{rank}x32]"
        column = f", <{rank - 2}x16" if rank > 2 else ""
        modes = {"": "", ".tile": "", ".im2col": column, ".im2col::w": ", <2x16",
                 ".im2col::w::128": ", <2x16", ".tile::gather4": ""}
        for (mode, offsets), target, multicast, group, hint in itertools.product(
                modes.items(), ("shared::cluster", "shared::cta"), ("", ".multicast::cluster"),
                ("", ".cta_group::1", ".cta_group::2"), ("", ".L2::cache_hint")):
            place = "[&t, <5x32]" if "gather" in mode else at
            yield (f"cp.async.bulk.tensor.{rank}d.{target}.global{mode}{done}{multicast}{group}"
                   f"{hint} [&s], {place}, [&m]{offsets}{', <16' if multicast else ''}"
                   f"{', <64' if hint else ''};")
        for mode, hint in itertools.product(
                ("", ".tile", ".im2col_no_offs", ".tile::scatter4"), ("", ".L2::cache_hint")):
            place = "[&t, <5x32]" if "scatter" in mode else at
            policy = ", <64" if hint else ""
            yield (f"cp.async.bulk.tensor.{rank}d.global.shared::cta{mode}.bulk_group{hint} "
                   f"{place}, [&s]{policy};")
            for operation in "add min max inc dec and or xor".split():
                yield (f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{operation}{mode}"
                       f".bulk_group{hint} {place}, [&s]{policy};")
        for (mode, offsets), hint in itertools.product(modes.items(), ("", ".L2::cache_hint")):
            place = "[&t, <5x32]" if "gather" in mode else at
            yield (f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global{mode}{hint} {place}{offsets}"
                   f"{', <64' if hint else ''};")
    fields = {"global_address": "64", "rank": "32", "box_dim": "32", "global_dim": "32",
              "global_stride": "64", "element_stride": "32"}
    for field, bits in fields.items():
        where = "" if field in ("global_address", "rank") else " 1,"
        yield f"tensormap.replace.tile.{field}.shared::cta.b1024.b{bits} [&s],{where} <{bits};"
        yield f"tensormap.replace.tile.{field}.global.b1024.b{bits} [&g],{where} <{bits};"
    for field, value in itertools.product(
            "elemtype interleave_layout swizzle_mode fill_mode swizzle_atomicity".split(),
            (0, 1, 2)):
        yield f"tensormap.replace.tile.{field}.shared::cta.b1024.b32 [&s], {value};"
    yield ("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
           "[&g], [&s], 128;")
    for scope in SCOPES.split():
        yield f"fence.proxy.tensormap::generic.release.{scope};"
        yield f"fence.proxy.tensormap::generic.acquire.{scope} [&g], 128;"


def mbarriers():
    yield from ("mbarrier.init.shared.b64 [&m], <32;", "mbarrier.init.shared.b64 [&m], 1;",
                "mbarrier.inval.shared.b64 [&m];", "mbarrier.pending_count.b64 >32, <64;")
    for transaction, space, order in itertools.product(
            ("expect_tx", "complete_tx"), (".shared::cta", ".shared::cluster"),
            ("", ".relaxed.cta", ".relaxed.cluster")):
        at = "m" if "cta" in space else "k"
        yield f"mbarrier.{transaction}{order}{space}.b64 [&{at}], <32;"
    orders = dotted("release.cta release.cluster relaxed.cta relaxed.cluster")
    for verb, order, nocomplete in itertools.product(
            ("arrive", "arrive_drop", "arrive.expect_tx", "arrive_drop.expect_tx"), orders,
            ("", ".noComplete")):
        for state in (">64", "_"):
            for count in ("", ", <32", ", 2"):
                head = f"mbarrier.{verb}{nocomplete}{order}"
                yield f"{head}.shared::cta.b64 {state}, [&m]{count};"
                yield f"{head}.shared::cluster.b64 {state}, [&k]{count};"
    for verb, order, hint in itertools.product(
            ("test_wait", "try_wait"), dotted("acquire.cta acquire.cluster relaxed.cta "
                                              "relaxed.cluster"), ("", ", <32", ", 1000")):
        yield f"mbarrier.{verb}{order}.shared::cta.b64 >p, [&m], <64{hint};"
        yield f"mbarrier.{verb}.parity{order}.shared::cta.b64 >p, [&m], <32{hint};"
        yield f"mbarrier.{verb}.parity{order}.shared::cta.b64 >p, [&m], 1{hint};"
        yield ("$again:\n.reg .pred done;\n"
               f"mbarrier.{verb}.parity{order}.shared::cta.b64 done, [&m], <32{hint};\n"
               "@!done bra $again;")


def barriers():
    yield from ("bar.sync 0;", "bar.sync 3;", "bar.sync 3, 64;", "bar.sync <32;",
                "bar.sync <32, <32;", "bar.sync 2, <32;", "bar.sync <32, 64;", "bar.arrive 1, 64;",
                "bar.arrive <32, 64;", "bar.arrive <32, <32;", "bar.arrive 1, <32;",
                "barrier.sync 0;", "barrier.sync 1, 64;", "barrier.sync <32, <32;",
                "barrier.arrive 1, 64;", "barrier.sync.aligned 1, 64;",
                "bar.warp.sync <32;", "bar.warp.sync 0xffffffff;", "bar.warp.sync 0xff;")
    for count in ("", ", 64", ", <32"):
        for barrier in ("0", "5", "<32"):
            for verb in ("bar", "barrier.cta"):
                yield f"{verb}.red.popc.u32 >32, {barrier}{count}, <p;"
                yield f"{verb}.red.and.pred >p, {barrier}{count}, <p;"
                yield f"{verb}.red.or.pred >p, {barrier}{count}, !<p;"
    for order, aligned in itertools.product(("", ".release", ".relaxed"), ("", ".aligned")):
        yield f"barrier.cluster.arrive{order}{aligned};"
        yield f"barrier.cluster.arrive{order}{aligned};\nbarrier.cluster.wait.acquire{aligned};"
        yield f"barrier.cluster.wait{aligned};"
    for level in "cta gl sys".split():
        yield f"st.global.b32 [&g], <32;\nmembar.{level};"
    for order, scope in itertools.product("sc acq_rel acquire release".split(), SCOPES.split()):
        yield f"st.global.b32 [&g], <32;\nfence.{order}.{scope};"
    for kind in ("alias async async.global async.shared::cta async.shared::cluster tensormap "
                 "async::generic.acquire.sync_restrict::shared::cluster.cluster "
                 "async::generic.release.sync_restrict::shared::cta.cluster").split():
        yield f"st.shared.b32 [&s], <32;\nfence.proxy.{kind};"
    yield from ("fence.mbarrier_init.release.cluster;",
                "fence.acquire.sync_restrict::shared::cluster.cluster;",
                "fence.release.sync_restrict::shared::cta.cluster;",
                "griddepcontrol.launch_dependents;", "griddepcontrol.wait;", "nanosleep.u32 100;",
                "nanosleep.u32 <32;", "brkpt;", "@<p trap;", "@<p exit;", "pmevent 3;",
                "pmevent.mask 9;")
    for count in (24, 40, 152, 232):
        yield f"setmaxnreg.inc.sync.aligned.u32 {count};"
        yield f"setmaxnreg.dec.sync.aligned.u32 {count};"
    launch = "clusterlaunchcontrol"
    yield f"{launch}.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [&s], [&m];"
    yield (f"{launch}.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes"
           ".multicast::cluster::all.b128 [&s], [&m];")
    yield f"{launch}.query_cancel.is_canceled.pred.b128 >p, <128;"
    for axis in "xyz":
        yield f"{launch}.query_cancel.get_first_ctaid::{axis}.b32.b128 >32, <128;"
    yield f"{launch}.query_cancel.get_first_ctaid.v4.b32.b128 >4x32, <128;"


# --- matrices -----------------------------------------------------------------------------------

def matrix_moves():
    for number, trans in itertools.product((1, 2, 4), ("", ".trans")):
        for space in (".shared", "", ".shared::cta"):
            at = "&s" if space else "&x"
            yield f"ldmatrix.sync.aligned.m8n8.x{number}{trans}{space}.b16 >{number}x32, [{at}];"
            yield f"stmatrix.sync.aligned.m8n8.x{number}{trans}{space}.b16 [{at}], <{number}x32;"
            yield f"stmatrix.sync.aligned.m16n8.x{number}{trans}{space}.b8 [{at}], <{number}x32;"
        for kind in (".b8", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"):
            yield (f"ldmatrix.sync.aligned.m16n16.x{number}{trans}.shared{kind} "
                   f">{2 * number}x32, [&s];")
            yield f"ldmatrix.sync.aligned.m8n16.x{number}{trans}.shared{kind} >{number}x32, [&s];"
    yield "movmatrix.sync.aligned.m8n8.trans.b16 >32, <32;"


# shape: registers of A, B; of C and D where those are 32 bits wide; types of A and B; of C and D
WARP_PRODUCTS = [
    ("m8n8k4", 2, 2, 8, "f16", "f16 f32"),
    ("m16n8k8", 2, 1, 4, "f16 bf16", "f16 f32"), ("m16n8k16", 4, 2, 4, "f16 bf16", "f16 f32"),
    ("m16n8k4", 2, 1, 4, "tf32", "f32"), ("m16n8k8", 4, 2, 4, "tf32", "f32"),
    ("m8n8k16", 1, 1, 2, "s8 u8", "s32"), ("m16n8k16", 2, 1, 4, "s8 u8", "s32"),
    ("m16n8k32", 4, 2, 4, "s8 u8", "s32"), ("m8n8k32", 1, 1, 2, "s4 u4", "s32"),
    ("m16n8k32", 2, 1, 4, "s4 u4", "s32"), ("m16n8k64", 4, 2, 4, "s4 u4", "s32"),
    ("m16n8k16", 2, 1, 4, "e4m3 e5m2", "f32 f16"), ("m16n8k32", 4, 2, 4, "e4m3 e5m2", "f32 f16")]
SPARSE_PRODUCTS = [
    ("m16n8k16", 2, 2, 4, "f16 bf16", "f16 f32"), ("m16n8k32", 4, 4, 4, "f16 bf16", "f16 f32"),
    ("m16n8k8", 2, 2, 4, "tf32", "f32"), ("m16n8k16", 4, 4, 4, "tf32", "f32"),
    ("m16n8k32", 2, 2, 4, "s8 u8", "s32"), ("m16n8k64", 4, 4, 4, "s8 u8", "s32"),
    ("m16n8k64", 2, 2, 4, "s4 u4", "s32"), ("m16n8k128", 4, 4, 4, "s4 u4", "s32"),
    ("m16n8k64", 4, 4, 4, "e4m3 e5m2", "f32 f16")]
SMALL_FLOATS = "e4m3 e5m2 e3m2 e2m3 e2m1"


def warp_products():
    layouts = ("row.col", "row.row", "col.col", "col.row")
    for shape, a, b, c, inputs, results in WARP_PRODUCTS:
        for left, right, result, add in itertools.product(inputs.split(), inputs.split(),
                                                          results.split(), results.split()):
            d_regs = c // 2 if result == "f16" else c
            c_regs = c // 2 if add == "f16" else c
            for layout, finite in itertools.product(layouts, ("", ".satfinite")):
                yield (f"mma.sync.aligned.{shape}.{layout}{finite}.{result}.{left}.{right}.{add} "
                       f">{d_regs}x32, <{a}x32, <{b}x32, <{c_regs}x32;")
    for shape, a, b, c in (("m8n8k4", 1, 1, 2), ("m16n8k4", 2, 1, 4), ("m16n8k8", 4, 2, 4),
                           ("m16n8k16", 8, 4, 4)):
        for rounding in ("", ".rn", ".rz", ".rm", ".rp"):
            yield (f"mma.sync.aligned.{shape}.row.col{rounding}.f64.f64.f64.f64 "
                   f">{c}x64, <{a}x64, <{b}x64, <{c}x64;")
    for (shape, a, b, c), operation in itertools.product(
            (("m8n8k128", 1, 1, 2), ("m16n8k128", 2, 1, 4), ("m16n8k256", 4, 2, 4)),
            ("xor", "and")):
        yield (f"mma.sync.aligned.{shape}.row.col.s32.b1.b1.s32.{operation}.popc "
               f">{c}x32, <{a}x32, <{b}x32, <{c}x32;")
    for left, right, result in itertools.product(SMALL_FLOATS.split(), SMALL_FLOATS.split(),
                                                 ("f32", "f16")):
        c = 4 if result == "f32" else 2
        yield (f"mma.sync.aligned.m16n8k32.row.col.kind::f8f6f4.{result}.{left}.{right}.{result} "
               f">{c}x32, <4x32, <2x32, <{c}x32;")
        yield ("mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X."
               f"f32.{left}.{right}.f32.ue8m0 >4x32, <4x32, <2x32, <4x32, <32, {{1, 0}}, "
               "<32, {2, 1};")
    for kind, vector, scale in itertools.product(
            ("mxf4", "mxf4nvf4"), ("", ".scale_vec::2X", ".scale_vec::4X"), ("ue8m0", "ue4m3")):
        yield (f"mma.sync.aligned.m16n8k64.row.col.kind::{kind}.block_scale{vector}."
               f"f32.e2m1.e2m1.f32.{scale} >4x32, <4x32, <2x32, <4x32, <32, {{0, 0}}, "
               "<32, {0, 1};")
    for shape, a, b, c, inputs, results in SPARSE_PRODUCTS:
        for left, right, result, way, finite, selector in itertools.product(
                inputs.split(), inputs.split(), results.split(), ("sp", "sp::ordered_metadata"),
                ("", ".satfinite"), (0, 1)):
            regs = c // 2 if result == "f16" else c
            kinds = f"{result}.{left}.{right}.{result}"
            yield (f"mma.{way}.sync.aligned.{shape}.row.col{finite}.{kinds} "
                   f">{regs}x32, <{a}x32, <{b}x32, <{regs}x32, <32, {selector};")
    for left, right in itertools.product(SMALL_FLOATS.split(), SMALL_FLOATS.split()):
        yield ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32."
               f"{left}.{right}.f32 >4x32, <4x32, <4x32, <4x32, <32, 0;")
        yield ("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale."
               f"scale_vec::1X.f32.{left}.{right}.f32.ue8m0 >4x32, <4x32, <4x32, <4x32, <32, 0, "
               "<32, {0, 0}, <32, {0, 1};")
    for kind, vector, scale in itertools.product(
            ("mxf4", "mxf4nvf4"), (".scale_vec::2X", ".scale_vec::4X"), ("ue8m0", "ue4m3")):
        yield (f"mma.sp::ordered_metadata.sync.aligned.m16n8k128.row.col.kind::{kind}.block_scale"
               f"{vector}.f32.e2m1.e2m1.f32.{scale} >4x32, <4x32, <4x32, <4x32, <32, 0, "
               "<32, {0, 0}, <32, {0, 1};")


GROUP_PRODUCTS = [  # depth, types of D, of A and B
    ("k16", "f32 f16", [("f16", "f16")]), ("k16", "f32", [("bf16", "bf16")]),
    ("k8", "f32", [("tf32", "tf32")]),
    ("k32", "f32 f16", list(itertools.product(("e4m3", "e5m2"), repeat=2))),
    ("k32", "s32", list(itertools.product(("s8", "u8"), repeat=2))),
    ("k256", "s32", [("b1", "b1")])]


def descriptors():
    """Descriptors of shared memory that move along a tile: ptxas keeps them in uniform registers."""
    product = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 =4x32, {}, {}, <p, 1, 1, 0, 0;"
    for step in ("2", "-2", "0x400", "-0x7fffffff", "0x7fffffff", "0x4000000000000000", "<64"):
        for op in ("add.s64", "sub.s64"):
            yield (".reg .b64 %left, %right;\n"
                   "wgmma.fence.sync.aligned;\n"
                   f"{op} %left, <64, {step};\n{op} %right, <64, {step};\n"
                   f"{product.format('%left', '%right')}\n"
                   f"{op} %left, %left, {step};\n{op} %right, %right, {step};\n"
                   f"{product.format('%left', '%right')}\n"
                   "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;")


def pending_groups():
    """Waits that leave so many groups of products under way."""
    product = ("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 =4x32, <64, <64, <p, 1, 1, 0, 0;\n"
               "wgmma.commit_group.sync.aligned;\n")
    for pending in range(8):
        yield ("wgmma.fence.sync.aligned;\n" + (pending + 1) * product +
               f"wgmma.wait_group.sync.aligned {pending};\nwgmma.wait_group.sync.aligned 0;")


def group_products():
    around = ("wgmma.fence.sync.aligned;\n{}\nwgmma.commit_group.sync.aligned;\n"
              "wgmma.wait_group.sync.aligned {};")
    for depth, results, inputs in GROUP_PRODUCTS:
        sparse_depth = f"k{2 * int(depth[1:])}"
        for result, (left, right) in itertools.product(results.split(), inputs):
            integer = result == "s32"
            every = left in ("f16", "s8") and right == left
            columns = range(8, 257, 8) if every else (8, 16, 24, 64, 96, 128, 192, 256)
            for n in columns:
                regs = n // 4 if result == "f16" else n // 2
                scale = "" if integer else ", 1, 1"
                turn = ", 0, 0" if depth == "k16" else ""
                tail = ".and.popc" if left == "b1" else ""
                kinds = f"{result}.{left}.{right}{tail}"
                name = f"m64n{n}{depth}.{kinds}"
                op = "wgmma.mma_async.sync.aligned"
                yield around.format(
                    f"{op}.{name} ={regs}x32, <64, <64, <p{scale}{turn};", 0)
                yield around.format(
                    f"{op}.{name} ={regs}x32, <4x32, <64, <p{scale}{', 0' if turn else ''};", 0)
                if n in (8, 64, 128, 256):
                    sparse = f"wgmma.mma_async.sp.sync.aligned.m64n{n}{sparse_depth}.{kinds}"
                    yield around.format(
                        f"{sparse} ={regs}x32, <64, <64, <32, 0, <p{scale}{turn};", 0)
                    yield around.format(
                        f"{sparse} ={regs}x32, <4x32, <64, <32, 1, <p{scale}"
                        f"{', 0' if turn else ''};", 0)
                if n == 64 and integer:
                    yield around.format(f"{op}.m64n64{depth}.s32.{left}.{right}{tail}.satfinite "
                                        f"={regs}x32, <64, <64, <p;", 0)
                if n == 64 and not integer:
                    for a, b in itertools.product((1, -1), repeat=2):
                        for ta, tb in itertools.product((0, 1), repeat=2):
                            both = f", {ta}, {tb}" if turn else ""
                            yield around.format(
                                f"{op}.{name} ={regs}x32, <64, <64, <p, {a}, {b}{both};", 1)
                            only = f", {tb}" if turn else ""
                            yield around.format(
                                f"{op}.{name} ={regs}x32, <4x32, <64, 1, {a}, {b}{only};", 2)


def tensor_memory():
    group = ("cta_group::1", "cta_group::2")
    for g in group:
        for columns in ("<32", "32", "512"):
            yield f"tcgen05.alloc.{g}.sync.aligned.shared::cta.b32 [&s], {columns};"
            yield f"tcgen05.dealloc.{g}.sync.aligned.b32 <32, {columns};"
        yield f"tcgen05.relinquish_alloc_permit.{g}.sync.aligned;"
        yield f"tcgen05.shift.{g}.down [<32];"
        arrive = f"tcgen05.commit.{g}.mbarrier::arrive::one.shared::cluster"
        yield f"{arrive}.b64 [&m];"
        yield f"{arrive}.multicast::cluster.b64 [&m], <16;"
        for shape, source in itertools.product(
                ("128x256b", "4x256b", "128x128b", "64x128b.warpx2::02_13",
                 "64x128b.warpx2::01_23", "32x128b.warpx4"),
                ("", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64")):
            yield f"tcgen05.cp.{g}.{shape}{source} [<32], <64;"
    for shape, number in itertools.product(
            ("16x64b", "16x128b", "16x256b", "32x32b", "16x32bx2"), (1, 2, 4, 8, 16, 32, 64, 128)):
        regs = number * {"16x128b": 2, "16x256b": 4}.get(shape, 1)
        where = ", 32" if shape == "16x32bx2" else ""
        if regs > 128:
            continue
        for pack in ("", ".pack::16b"):
            yield (f"tcgen05.ld.sync.aligned.{shape}.x{number}{pack}.b32 "
                   f">{regs}x32, [<32]{where};\ntcgen05.wait::ld.sync.aligned;")
        for unpack in ("", ".unpack::16b"):
            yield (f"tcgen05.st.sync.aligned.{shape}.x{number}{unpack}.b32 "
                   f"[<32]{where}, <{regs}x32;\ntcgen05.wait::st.sync.aligned;")
        for operation, absolute, kind in itertools.product(("min", "max"), ("", ".abs"),
                                                           ("f32", "u32", "s32")):
            yield (f"tcgen05.ld.red.sync.aligned.{shape}.x{number}.{operation}{absolute}.{kind} "
                   f">{regs}x32, >32, [<32]{where};\ntcgen05.wait::ld.sync.aligned;")
    yield from ("tcgen05.fence::before_thread_sync;", "tcgen05.fence::after_thread_sync;",
                "tcgen05.ld.sync.aligned.32x32b.x1.b32 >1x32, [<32+16];")


def tensor_memory_products():
    def uses(letter="a"):
        return [""] + [f".collector::{letter}::{use}" for use in "fill use lastuse discard".split()]

    for g, lanes in (("cta_group::1", 4), ("cta_group::2", 8)):
        for kind, left, sparse in itertools.product("f16 tf32 f8f6f4 i8".split(), ("<64", "[<32]"),
                                                    ("", ".sp")):
            metadata = "[<32], " if sparse else ""
            head = f"tcgen05.mma{sparse}.{g}.kind::{kind}"
            base = f"[<32], {left}, <64, {metadata}<32"
            for use, ashift in itertools.product(uses(), ("", ".ashift")):
                yield f"{head}{ashift}{use} {base}, <p;"
            yield f"{head} {base}, <{lanes}x32, <p;"
            yield f"{head} {base}, <p, 3;"
            yield f"{head} {base}, <{lanes}x32, <p, 15;"
            if g.endswith("1"):
                ws = f"tcgen05.mma.ws{sparse}.{g}.kind::{kind}"
                for use in [""] + [u for i in range(4) for u in uses(f"b{i}")[1:]]:
                    yield f"{ws}{use} {base}, <p;"
                yield f"{ws} {base}, <p, <64;"
        for kind, vector, left, sparse, use in itertools.product(
                "mxf8f6f4 mxf4 mxf4nvf4".split(),
                ("", ".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X", ".block16", ".block32"),
                ("<64", "[<32]"), ("", ".sp"), uses()):
            metadata = "[<32], " if sparse else ""
            yield (f"tcgen05.mma{sparse}.{g}.kind::{kind}.block_scale{vector}{use} "
                   f"[<32], {left}, <64, {metadata}<32, [<32], [<32], <p;")


# --- arithmetic ---------------------------------------------------------------------------------

def forms(operation, kind, inputs, literal):
    """An operation with registers, with a literal in each place, and with operands negated."""
    bits = width(kind)
    registers = [f"<{bits}"] * inputs
    yield f"{operation} >{bits}, {', '.join(registers)};"
    for place in range(inputs):
        changed = registers.copy()
        changed[place] = literal
        yield f"{operation} >{bits}, {', '.join(changed)};"
        signed = kind if kind[0] in "fbs" else "s" + kind[1:]
        for change in ("neg", "abs"):
            changed[place] = "changed"
            yield (f".reg .b{bits} changed;\n{change}.{signed} changed, <{bits};\n"
                   f"{operation} >{bits}, {', '.join(changed)};")


def floats():
    literals = {"f32": "0f3FC00000", "f64": "0d3FF8000000000000", "f16": "<16", "bf16": "<16",
                "f16x2": "0x3c003e00", "bf16x2": "0x3f803fc0"}
    for kind in FLOATS.split():
        literal = literals[kind]
        roundings = ("", ".rn", ".rz", ".rm", ".rp")
        bits = width(kind)
        for name in ("add", "sub", "mul"):
            yield from forms(f"{name}.{kind}", kind, 2, literal)
            for rounding, flush, saturate in itertools.product(roundings, ("", ".ftz"),
                                                               ("", ".sat")):
                yield f"{name}{rounding}{flush}{saturate}.{kind} >{bits}, <{bits}, <{bits};"
        yield from forms(f"fma.rn.{kind}", kind, 3, literal)
        for rounding, flush, saturate in itertools.product(roundings[1:], ("", ".ftz"),
                                                           ("", ".sat", ".relu", ".oob")):
            yield (f"fma{rounding}{flush}{saturate}.{kind} "
                   f">{bits}, <{bits}, <{bits}, <{bits};")
        for name, flush, nan, sign in itertools.product(
                ("min", "max"), ("", ".ftz"), ("", ".NaN"), ("", ".xorsign.abs")):
            yield from forms(f"{name}{flush}{nan}{sign}.{kind}", kind, 2, literal)
            yield f"{name}{flush}{nan}{sign}.{kind} >{bits}, <{bits}, <{bits}, <{bits};"
        for name, flush in itertools.product(("neg", "abs"), ("", ".ftz")):
            yield f"{name}{flush}.{kind} >{bits}, <{bits};"
        for name, way, flush in itertools.product(
                "rcp sqrt rsqrt sin cos lg2 ex2 tanh".split(),
                (".approx", ".rn", ".rz", ".rm", ".rp", ""), ("", ".ftz")):
            yield f"{name}{way}{flush}.{kind} >{bits}, <{bits};"
        for way, flush in itertools.product((".approx", ".full", ".rn", ".rz", ".rm", ".rp"),
                                            ("", ".ftz")):
            yield f"div{way}{flush}.{kind} >{bits}, <{bits}, <{bits};"
        for test in "finite infinite number notanumber normal subnormal".split():
            yield f"testp.{test}.{kind} >p, <{bits};"
        yield f"copysign.{kind} >{bits}, <{bits}, <{bits};"
    for rounding, flush in itertools.product(("", ".rn", ".rz", ".rm", ".rp"), ("", ".ftz")):
        for name in ("add", "sub", "mul"):
            yield f"{name}{rounding}{flush}.f32x2 >64, <64, <64;"
        yield f"fma{rounding}{flush}.f32x2 >64, <64, <64, <64;"
        for kind, saturate in itertools.product(("f16", "bf16"), ("", ".sat")):
            yield f"add{rounding}{saturate}.f32.{kind} >32, <16, <32;"
            yield f"sub{rounding}{saturate}.f32.{kind} >32, <16, <32;"
            yield f"fma{rounding}{saturate}.f32.{kind} >32, <16, <16, <32;"


def integers():
    for kind in INTEGERS.split():
        for name in ("add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"):
            yield from forms(f"{name}.{kind}", kind, 2, "1234")
            for literal in ("-5", "0x12345678"):
                yield f"{name}.{kind} >{width(kind)}, <{width(kind)}, {literal};"
        yield from forms(f"mad.lo.{kind}", kind, 3, "77")
        yield from forms(f"mad.hi.{kind}", kind, 3, "77")
        bits = width(kind)
        double = str(2 * int(bits))
        if double != "128":
            yield f"mul.wide.{kind} >{double}, <{bits}, <{bits};"
            yield f"mul.wide.{kind} >{double}, <{bits}, 99;"
            yield f"mad.wide.{kind} >{double}, <{bits}, <{bits}, <{double};"
            yield f"mad.wide.{kind} >{double}, <{bits}, 24, <{double};"
        yield f"neg.{kind} >{bits}, <{bits};"
        yield f"abs.{kind} >{bits}, <{bits};"
        yield f"sad.{kind} >{bits}, <{bits}, <{bits}, <{bits};"
        yield f"bfind.{kind} >32, <{bits};"
        yield f"bfind.shiftamt.{kind} >32, <{bits};"
        yield f"bfe.{kind} >{bits}, <{bits}, <32, <32;"
        yield f"bfe.{kind} >{bits}, <{bits}, 3, 11;"
        yield f"shr.{kind} >{bits}, <{bits}, <32;"
        yield f"shr.{kind} >{bits}, <{bits}, 5;"
        yield f"shr.{kind} >{bits}, 1234, <32;"
        for name in ("min", "max"):
            yield f"{name}.relu.{kind} >{bits}, <{bits}, <{bits};"
            for before in (name, "add"):  # two operations that become one instruction
                yield (f".reg .b{bits} first;\n{before}.{kind} first, <{bits}, <{bits};\n"
                       f"{name}.{kind} >{bits}, first, <{bits};")
    for kind in "u16x2 s16x2".split():
        for name in "add min max min.relu max.relu".split():
            yield f"{name}.{kind} >32, <32, <32;"
    for kind, name in itertools.product(("u32", "s32"), ("mul24.lo", "mul24.hi")):
        yield f"{name}.{kind} >32, <32, <32;"
        yield f"mad24{name[5:]}.{kind} >32, <32, <32, <32;"
    yield from ("add.sat.s32 >32, <32, <32;", "sub.sat.s32 >32, <32, <32;",
                "mad.hi.sat.s32 >32, <32, <32, <32;", "mad24.hi.sat.s32 >32, <32, <32, <32;")
    for kind in "u32 s32 u64 s64".split():
        bits = width(kind)
        pair = f"<{bits}, <{bits}"
        for name in ("add", "sub"):
            yield "\n".join(f"{name}{carry}.{kind} >{bits}, {pair};"
                            for carry in (".cc", "c.cc", "c"))
        yield "\n".join(f"mad{carry}.{kind} >{bits}, {pair}, <{bits};"
                        for carry in (".lo.cc", "c.hi.cc", "c.hi"))
    for left, right in itertools.product(("u32", "s32"), repeat=2):
        yield f"dp4a.{left}.{right} >32, <32, <32, <32;"
        yield f"dp2a.lo.{left}.{right} >32, <32, <32, <32;"
        yield f"dp2a.hi.{left}.{right} >32, <32, <32, <32;"
    for bits in ("16", "32", "64"):
        for name in ("and", "or", "xor"):
            yield f"{name}.b{bits} >{bits}, <{bits}, <{bits};"
            yield f"{name}.b{bits} >{bits}, <{bits}, 0x5a5a;"
        yield f"not.b{bits} >{bits}, <{bits};"
        yield f"cnot.b{bits} >{bits}, <{bits};"
        yield f"shl.b{bits} >{bits}, <{bits}, <32;"
        yield f"shl.b{bits} >{bits}, <{bits}, 7;"
        yield f"shl.b{bits} >{bits}, 77, <32;"
        for name in ("popc", "clz", "brev"):
            yield f"{name}.b{bits} >{bits if name == 'brev' else '32'}, <{bits};"
        yield f"bfi.b{bits} >{bits}, <{bits}, <{bits}, <32, <32;"
        yield f"bfi.b{bits} >{bits}, <{bits}, <{bits}, 4, 9;"
        yield f"mov.b{bits} >{bits}, 0x1234;"
    yield "fns.b32 >32, <32, <32, <32;"
    for table in (0x80, 0xfe, 0x96, 0xe8, 0xca, 0x1b, 0x3c, 0x01):
        yield f"lop3.b32 >32, <32, <32, <32, {table};"
        yield f"lop3.b32 >32, <32, 0x12345678, <32, {table};"
        yield f"lop3.b32 >32, <32, <32, 0xff00ff, {table};"
        yield f"lop3.or.b32 >32|>p, <32, <32, <32, {table}, <p;"
        yield f"lop3.and.b32 >32|>p, <32, <32, <32, {table}, <p;"
    for side, way, amount in itertools.product(("l", "r"), ("clamp", "wrap"), ("<32", "9", "31")):
        yield f"shf.{side}.{way}.b32 >32, <32, <32, {amount};"
        yield f"shf.{side}.{way}.b32 >32, <32, 0, {amount};"
    for mode in dotted("f4e b4e rc8 ecl ecr rc16"):
        yield f"prmt.b32{mode} >32, <32, <32, <32;"
        yield f"prmt.b32{mode} >32, <32, <32, 0x5140;"
        yield f"prmt.b32{mode} >32, <32, 0, 0x4440;"
    yield from ("szext.wrap.s32 >32, <32, <32;", "szext.clamp.u32 >32, <32, 8;",
                "bmsk.wrap.b32 >32, <32, <32;", "bmsk.clamp.b32 >32, 3, <32;")


def comparisons():
    floating = "eq ne lt le gt ge equ neu ltu leu gtu geu num nan".split()
    whole = "eq ne lt le gt ge lo ls hi hs".split()
    for kind in (FLOATS + " " + INTEGERS + " b16 b32 b64").split():
        bits = width(kind)
        tests = floating if "f" in kind else whole
        for test in tests:
            if kind.endswith("x2"):
                yield f"setp.{test}.{kind} >p|>p, <{bits}, <{bits};"
            else:
                yield f"setp.{test}.{kind} >p, <{bits}, <{bits};"
                yield f"setp.{test}.{kind} >p|>p, <{bits}, <{bits};"
                yield f"setp.{test}.{kind} >p, <{bits}, 0;"
            for combine in ("and", "or", "xor"):
                yield f"setp.{test}.{combine}.{kind} >p|>p, <{bits}, <{bits}, <p;"
                yield f"setp.{test}.{combine}.{kind} >p, <{bits}, <{bits}, !<p;"
            for result in "u32 s32 f32 f16 bf16 f16x2 bf16x2".split():
                yield f"set.{test}.{result}.{kind} >{width(result)}, <{bits}, <{bits};"
            yield f"set.{test}.and.u32.{kind} >32, <{bits}, <{bits}, <p;"
            yield f"set.{test}.ftz.u32.{kind} >32, <{bits}, <{bits};"
            yield f"setp.{test}.ftz.{kind} >p, <{bits}, <{bits};"
        yield f"selp.{kind} >{bits}, <{bits}, <{bits}, <p;"
        yield f"selp.{kind} >{bits}, <{bits}, 0, <p;"
        yield f"slct.{kind}.s32 >{bits}, <{bits}, <{bits}, <32;"
        yield f"slct.{kind}.f32 >{bits}, <{bits}, <{bits}, <32;"
        yield f"slct.ftz.{kind}.f32 >{bits}, <{bits}, <{bits}, <32;"
    for name in ("and", "or", "xor"):
        yield f"{name}.pred >p, <p, <p;"
        yield f".reg .pred first;\n{name}.pred first, <p, !<p;\nand.pred >p, first, <p;"
    yield "not.pred >p, <p;"


def conversions():
    kinds = "u8 s8 u16 s16 u32 s32 u64 s64 f16 bf16 f32 f64".split()
    for to, source in itertools.product(kinds, kinds):
        for rounding, flush, saturate in itertools.product(
                ("", ".rn", ".rz", ".rm", ".rp", ".rni", ".rzi", ".rmi", ".rpi"), ("", ".ftz"),
                ("", ".sat")):
            yield f"cvt{rounding}{flush}{saturate}.{to}.{source} >{width(to)}, <{width(source)};"
    for rounding, relu, finite in itertools.product((".rn", ".rz", ".rna", ".rs"), ("", ".relu"),
                                                    ("", ".satfinite")):
        tail = f"{relu}{finite}"
        yield f"cvt{rounding}{tail}.f16.f32 >16, <32;"
        yield f"cvt{rounding}{tail}.bf16.f32 >16, <32;"
        yield f"cvt{rounding}{finite}{relu}.tf32.f32 >32, <32;"
        for to in ("f16x2", "bf16x2"):
            yield f"cvt{rounding}{tail}.{to}.f32 >32, <32, <32;"
            yield f"cvt{rounding}{tail}.{to}.f32 >32, <32, <32, <32;"
        for to in "e4m3x2 e5m2x2 e2m3x2 e3m2x2 ue8m0x2".split():
            yield f"cvt{rounding}{finite}{relu}.{to}.f32 >16, <32, <32;"
            yield f"cvt{rounding}{finite}{relu}.{to}.f16x2 >16, <32;"
            yield f"cvt{rounding}{finite}{relu}.{to}.bf16x2 >16, <32;"
        for to in "e4m3x4 e5m2x4 e2m3x4 e3m2x4".split():
            yield f"cvt{rounding}{relu}{finite}.{to}.f32 >32, <4x32, <32;"
        yield f"cvt{rounding}{relu}{finite}.e2m1x4.f32 >16, <4x32, <32;"
        for source in ("f32", "f16x2", "bf16x2"):
            inputs = "<32, <32" if source == "f32" else "<32"
            yield (f".reg .b8 small;\ncvt{rounding}{finite}{relu}.e2m1x2.{source} small, {inputs};"
                   "\nmov.b16 >16, {small, small};")
    for source, relu, finite in itertools.product(
            "e4m3x2 e5m2x2 e2m3x2 e3m2x2 ue8m0x2".split(), ("", ".relu"), ("", ".satfinite")):
        yield f"cvt.rn{finite}{relu}.f16x2.{source} >32, <16;"
        yield f"cvt.rn{finite}{relu}.bf16x2.{source} >32, <16;"
        yield (f".reg .b8 small, other;\nmov.b16 {{small, other}}, <16;\n"
               f"cvt.rn{relu}.f16x2.e2m1x2 >32, small;")
    for to, source, second in itertools.product(("s16", "u16", "s8", "u8", "s4", "u4", "s2", "u2"),
                                                ("s32",), ("", ".b32")):
        third = ", <32" if second else ""
        yield f"cvt.pack.sat.{to}.{source}{second} >32, <32, <32{third};"


def videos():
    for name, kind, other in itertools.product(("vadd", "vsub", "vabsdiff", "vmin", "vmax"),
                                               ("u32", "s32"), ("u32", "s32")):
        yield f"{name}.{kind}.{kind}.{other} >32, <32, <32;"
        yield f"{name}.{kind}.{kind}.{other}.sat >32, <32.b1, <32.h0;"
        yield f"{name}.{kind}.{kind}.{other}.add >32, <32, <32, <32;"
        yield f"{name}2.{kind}.{kind}.{other} >32, <32, <32, <32;"
        yield f"{name}4.{kind}.{kind}.{other} >32, <32, <32, <32;"
        yield f"{name}2.{kind}.{kind}.{other}.add >32, <32, <32, <32;"
    for mode in (".clamp", ".wrap"):
        yield f"vshl.u32.u32.u32{mode} >32, <32, <32;"
        yield f"vshr.s32.s32.u32{mode} >32, <32, <32;"
    yield "vmad.s32.s32.s32 >32, <32, <32, <32;"
    for test in "eq ne lt le gt ge".split():
        yield f"vset.u32.s32.{test} >32, <32, <32;"
        yield f"vset4.u32.u32.{test} >32, <32, <32, <32;"


# --- lanes, registers, control, textures --------------------------------------------------------

def lanes():
    for mode, lane, clamp, mask in itertools.product(
            ("up", "down", "bfly", "idx"), ("<32", "3"), ("<32", "31"), ("<32", "0xffffffff")):
        yield f"shfl.sync.{mode}.b32 >32|>p, <32, {lane}, {clamp}, {mask};"
        yield f"shfl.sync.{mode}.b32 >32, <32, {lane}, {clamp}, {mask};"
    for mask in ("<32", "0xffffffff", "0xf"):
        for mode in ("all", "any", "uni"):
            yield f"vote.sync.{mode}.pred >p, <p, {mask};"
            yield f"vote.sync.{mode}.pred >p, !<p, {mask};"
        yield f"vote.sync.ballot.b32 >32, <p, {mask};"
        for bits in ("32", "64"):
            yield f"match.any.sync.b{bits} >32, <{bits}, {mask};"
            yield f"match.all.sync.b{bits} >32|>p, <{bits}, {mask};"
            yield f"match.all.sync.b{bits} >32, <{bits}, {mask};"
        for operation in ("add.s32 add.u32 min.s32 min.u32 max.s32 max.u32 and.b32 or.b32 "
                          "xor.b32 min.f32 max.f32 min.abs.f32 max.abs.f32 min.NaN.f32 max.NaN.f32 "
                          "min.abs.NaN.f32 max.abs.NaN.f32").split():
            yield f"redux.sync.{operation} >32, <32, {mask};"
        yield f"elect.sync >32|>p, {mask};"
        yield f"elect.sync _|>p, {mask};"
    yield "activemask.b32 >32;"


SPECIAL = ("tid.x tid.y tid.z ntid.x ntid.y ntid.z laneid warpid nwarpid ctaid.x ctaid.y ctaid.z "
           "nctaid.x nctaid.y nctaid.z smid nsmid lanemask_eq lanemask_le lanemask_lt lanemask_ge "
           "lanemask_gt clock clock_hi globaltimer_lo globaltimer_hi clusterid.x nclusterid.y "
           "cluster_ctaid.x cluster_ctaid.z cluster_nctaid.y cluster_ctarank cluster_nctarank "
           "total_smem_size aggr_smem_size dynamic_smem_size pm0 pm3 envreg3 "
           "reserved_smem_offset_0 reserved_smem_offset_begin reserved_smem_offset_end "
           "reserved_smem_offset_cap "
           "current_graph_exec")


def registers():
    for name in SPECIAL.split():
        yield f"mov.u32 >32, %{name};"
        yield f"mov.u64 >64, %{name};"
    for name in "clock64 globaltimer gridid pm0_64 current_graph_exec".split():
        yield f"mov.u64 >64, %{name};"
    yield "mov.pred >p, %is_explicit_cluster;"
    yield from ("mov.b64 >64, {<32, <32};", "mov.b64 {>32, >32}, <64;", "mov.b32 >32, {<16, <16};",
                "mov.b32 {>16, >16}, <32;", "mov.b128 >128, {<64, <64};",
                "mov.b128 {>64, >64}, <128;",
                "mov.u32 >32, smem;", "mov.u64 >64, cmem;", "mov.u64 >64, callee;",
                "stacksave.u64 >64;", "alloca.u64 >64, <64;",
                ".reg .b64 top;\nstacksave.u64 top;\nstackrestore.u64 top;")


def control():
    yield "@<p bra $over;\nst.global.b32 [&g], <32;\n$over:"
    yield "@<p bra.uni $over;\nst.global.b32 [&g], <32;\n$over:"
    yield ("$table: .branchtargets $a, $b, $c, $d;\nbrx.idx <32, $table;\n"
           "$a: st.global.b32 [&g], 1; bra $end;\n$b: st.global.b32 [&g+8], <32; bra $end;\n"
           "$c: st.shared.b32 [&s], 3; bra $end;\n$d: atom.global.add.u32 >32, [&g], 5;\n$end:")
    yield ("$table: .branchtargets $a, $b, $c;\nbrx.idx.uni <32, $table;\n"
           "$a: st.global.b32 [&g], 1; bra $end;\n$b: st.global.b32 [&g+8], 2; bra $end;\n"
           "$c: st.shared.b32 [&s], 3;\n$end:")
    call = (".param .b32 give, take;\nst.param.b32 [give], <32;\n{}\nld.param.b32 >32, [take];")
    yield call.format("call (take), callee, (give);")
    yield call.format("call.uni (take), callee, (give);")
    yield call.format("$shape: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
                      "call (take), <64, (give), $shape;")
    yield (".reg .b32 i;\n.reg .pred more;\nmov.u32 i, 0;\n$loop:\nst.global.b32 [&g], i;\n"
           "bar.sync 0;\nadd.u32 i, i, 1;\nsetp.lt.u32 more, i, <32;\n@more bra $loop;")
    yield (".reg .b32 i;\n.reg .pred more;\nmov.u32 i, <32;\n$loop:\nred.global.add.u32 [&g], i;\n"
           "shr.u32 i, i, 1;\nsetp.ne.u32 more, i, 0;\n@more bra $loop;\nbar.warp.sync 0xffffffff;")
    yield "@<p exit;\nst.global.b32 [&g], <32;"
    yield "@<p ret;\nst.global.b32 [&g], <32;"


def textures():
    shapes = {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4, "cube": 4, "acube": 4}
    for (shape, number), kind, at in itertools.product(
            shapes.items(), ("v4.f32", "v4.s32", "v4.u32", "v2.f16x2"), ("f32", "s32")):
        place = f"<{number}x32"
        yield f"tex.{shape}.{kind}.{at} >{values(kind)}, [<64, {place}];"
        yield f"tex.level.{shape}.{kind}.{at} >{values(kind)}, [<64, {place}], <32;"
        yield f"tex.{shape}.{kind}.{at} >{values(kind)}|>p, [<64, {place}];"
        slope = {"1d": "<1x32", "a1d": "<1x32", "2d": "<2x32", "a2d": "<2x32"}.get(shape, "<4x32")
        yield f"tex.grad.{shape}.{kind}.{at} >{values(kind)}, [<64, {place}], {slope}, {slope};"
        if shape in ("2d", "3d", "a2d"):
            offset = "<4x32" if shape == "3d" else "<2x32"
            yield f"tex.{shape}.{kind}.{at} >{values(kind)}, [<64, {place}], {offset};"
            yield f"tex.{shape}.{kind}.{at} >{values(kind)}, [<64, {place}], {{1, 2}};"
            yield f"tex.{shape}.{kind}.{at} >{values(kind)}, [<64, {place}], <32;"
    for shape in ("2dms", "a2dms"):
        yield f"tex.base.{shape}.v4.f32.s32 >4x32, [<64, <4x32];"
        yield f"tex.{shape}.v4.u32.s32 >4x32, [<64, <4x32];"
    for part, kind, shape in itertools.product("rgba", ("f32", "s32", "u32"),
                                               ("2d", "a2d", "cube")):
        number = 2 if shape == "2d" else 4
        yield f"tld4.{part}.{shape}.v4.{kind}.f32 >4x32, [<64, <{number}x32];"
        yield f"tld4.{part}.{shape}.v4.{kind}.f32 >4x32, [<64, <{number}x32], <2x32;"
    for query in ("width height depth channel_data_type channel_order normalized_coords array_size "
                  "num_mipmap_levels num_samples").split():
        yield f"txq.{query}.b32 >32, [<64];"
        yield f"suq.{query}.b32 >32, [<64];"
    yield "txq.level.width.b32 >32, [<64], <32;"
    yield "istypep.texref >p, <64;"
    for (shape, number), (vector, count), kind, clamp, cached in itertools.product(
            {"1d": 1, "2d": 2, "3d": 4, "a1d": 2, "a2d": 4}.items(), list(VECTORS.items())[:3],
            ("b8", "b16", "b32", "b64"), ("trap", "clamp", "zero"), ("", ".cg", ".cs")):
        place = f"[<64, <{number}x32]"
        yield f"suld.b.{shape}{cached}{vector}.{kind}.{clamp} >{count}{width(kind)}, {place};"
        yield f"sust.b.{shape}{cached}{vector}.{kind}.{clamp} {place}, <{count}{width(kind)};"
    for shape, number in {"1d": 1, "2d": 2, "3d": 4}.items():
        yield f"sust.p.{shape}.v4.b32.trap [<64, <{number}x32], <4x32;"
        for operation in ("add.u32 add.s32 add.u64 min.u32 min.s32 max.u32 max.s32 and.b32 or.b32 "
                          "min.s64 max.u64").split():
            yield f"sured.b.{shape}.{operation}.trap [<64, <{number}x32], <{width(operation)};"
            yield f"sured.p.{shape}.{operation}.clamp [<64, <{number}x32], <{width(operation)};"


FAMILIES = {function.__name__: function for function in (
    loads, stores, atomics, hints, copies, tensor_copies, mbarriers, barriers, matrix_moves,
    warp_products, descriptors, pending_groups, group_products, tensor_memory, tensor_memory_products, floats,
    integers, comparisons, conversions, videos, lanes, registers, control, textures)}
