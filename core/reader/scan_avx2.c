/* SPDX-License-Identifier: Apache-2.0 */
#include <reader/scan.h>

#if defined(__x86_64__) && !defined(TAV_SCALAR)
#define SIMD_AVX2 1
#define SCAN_CODE scan_code_avx2
#include <reader/scan_code.h>
#endif
