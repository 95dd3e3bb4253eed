// SPDX-License-Identifier: Apache-2.0
//
// A small listing of each kind that NVIDIA's tools print.
#pragma once

#include <string_view>

namespace proofline::test_support {

inline constexpr std::string_view kCuobjdump = R"x(
Fatbin elf code:
================
arch = sm_90a
code version = [1,8]
host = linux
compile_size = 64bit

	code for sm_90a
	.target	sm_90a

		Function : _Z5firstPf
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   LDC R1, c[0x0][0x28] ;              /* 0x00000a00ff017b82 */
                                                                       /* 0x000fe20000000800 */
        /*0010*/              @!P0 BRA 0x0 ;                           /* 0x00000000000c8947 */
                                                                       /* 0x041fea0003800000 */
        /*0020*/                   NOP;                                /* 0x0000000000007918 */
                                                                       /* 0x000fc00000000000 */
		..........


		Function : _Z6secondPf
	.headerflags	@"EF_CUDA_ACCELERATORS EF_CUDA_SM90 EF_CUDA_VIRTUAL_SM(EF_CUDA_SM90)"
        /*0000*/                   EXIT ;                              /* 0x000000000000794d */
                                                                       /* 0x000fea0003800000 */
		..........
)x";

inline constexpr std::string_view kNvdisasm =
    R"(	.headerflags	@"EF_CUDA_TEXMODE_UNIFIED EF_CUDA_64BIT_ADDRESS EF_CUDA_SM80"
	.elftype	@"ET_EXEC"


//--------------------- .nv.info                  --------------------------
	.section	.nv.info,"",@"SHT_CUDA_INFO"
	.align	4


	//----- nvinfo : EIATTR_REGCOUNT
	.align		4
        /*0000*/ 	.byte	0x04, 0x2f
        /*0002*/ 	.short	(.L_1 - .L_0)
	.align		4
.L_0:
        /*0004*/ 	.word	index@(_Z4kernPf)
        /*0008*/ 	.word	0x0000000e


	//----- nvinfo : EIATTR_FRAME_SIZE
        /*000c*/ 	.byte	0x04, 0x11
        /*000e*/ 	.short	(.L_3 - .L_2)
        /*0010*/ 	.word	index@(_Z4kernPf)
        /*0014*/ 	.word	0x00000020


//--------------------- .nv.info._Z4kernPf --------------------------
	.section	.nv.info._Z4kernPf,"",@"SHT_CUDA_INFO"


	//----- nvinfo : EIATTR_KPARAM_INFO
        /*0008*/ 	.byte	0x04, 0x17
        /*000c*/ 	.word	0x00000000


	//----- nvinfo : EIATTR_CBANK_PARAM_SIZE
        /*0064*/ 	.byte	0x03, 0x19
        /*0066*/ 	.short	0x0010


	//----- nvinfo : EIATTR_MAX_THREADS
        /*0068*/ 	.byte	0x04, 0x05
        /*006c*/ 	.word	0x00000080
        /*0070*/ 	.word	0x00000002
        /*0074*/ 	.word	0x00000001


//--------------------- .text._Z4kernPf          --------------------------
	.section	.text._Z4kernPf,"ax",@progbits
	.sectionflags	@"SHF_BARRIERS=1"
	.align	128
        .global         _Z4kernPf
        .type           _Z4kernPf,@function
        .size           _Z4kernPf,($__internal_0_$__cuda_sm20_rem_u64 - _Z4kernPf)
        .other          _Z4kernPf,@"STO_CUDA_ENTRY STV_DEFAULT"
_Z4kernPf:
.text._Z4kernPf:
	//## File "/src/kern.cu", line 10
        /*0000*/                   MOV R1, c[0x0][0x28] ;
	//## File "/src/inner.cuh", line 3 inlined at "/src/kern.cu", line 12
	//## File "/src/kern.cu", line 12
        /*0010*/               @P0 BRA `(.L_x_1) ;
        /*0020*/                   CALL.REL.NOINC `($__internal_0_$__cuda_sm20_rem_u64) ;
.L_x_0:
	//## File "/src/kern.cu", line 10
        /*0030*/                   BRX R2 -0x40 (*"BRANCH_TARGETS .L_x_0,.L_x_1"*) ;
.L_x_1:
        /*0040*/                   CALL.ABS.NOINC `(vprintf) ;
        /*0050*/                   EXIT ;
        .weak           $__internal_0_$__cuda_sm20_rem_u64
        .type           $__internal_0_$__cuda_sm20_rem_u64,@function
        .size           $__internal_0_$__cuda_sm20_rem_u64,(.L_x_9 - $__internal_0_$__cuda_sm20_rem_u64)
$__internal_0_$__cuda_sm20_rem_u64:
        /*0060*/                   RET.REL.NODEC R4 `(_Z4kernPf) ;
.L_x_9:


//--------------------- .text._Z6helperf         --------------------------
	.section	.text._Z6helperf,"ax",@progbits
	.sectioninfo	@"SHI_REGISTERS=24"
.text._Z6helperf:
        .weak           _Z6helperf
        .type           _Z6helperf,@function
        .size           _Z6helperf,(.L_x_12 - _Z6helperf)
_Z6helperf:
        /*0000*/                   RET.ABS.NODEC R20 0x0 ;
.L_x_12:


//--------------------- SYMBOLS --------------------------
)";

inline constexpr std::string_view kDot = R"dot(digraph f {
subgraph "cluster__Z4kernPf" {
node [fontname="Courier",fontsize=10,shape=Mrecord];
"_Z4kernPf"
[label="{<entry>	.global		_Z4kernPf\l	.other		_Z4kernPf,\<no\ object\>\l_Z4kernPf:\l.text._Z4kernPf:\l\ \ MOV\ R1,\ c\[0x0\]\[0x28\]\ ;\l|<exit0>\ \ @P0\ BRA\ `(.L_x_1)\ ;\l}"]
"_Z4kernPf":exit0:e -> ".L_x_1":entry:n [style=solid];
"_Z4kernPf":exit0:s -> "BB0":entry:n [style=solid];
node [fontname="Courier",fontsize=10,shape=Mrecord];
"BB0"
[label="{<entry>\ \ NOP;\l}"]
"BB0":entry:s -> ".L_x_1":entry:n [style=solid];
node [fontname="Courier",fontsize=10,shape=Mrecord];
".L_x_1"
[label="{<entry>.L_x_1:\l|<exit0>\ \ EXIT\ ;\l}"]
}
subgraph "cluster_other" {
node [fontname="Courier",fontsize=10,shape=Mrecord];
"other"
[label="{<entry>	.weak		other\l	.type		other,@function\lother:\l|<exit0>\ \ EXIT\ ;\l}"]
}
}
)dot";

}  // namespace proofline::test_support
