/* SPDX-License-Identifier: Apache-2.0 */
/* The scanner for any machine. */
#define SCAN_CODE scan_code_scalar
#include <reader/scan_code.h>
