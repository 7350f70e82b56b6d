/* SPDX-License-Identifier: Apache-2.0 */
/* What a fuzz target offers: to libFuzzer, or to the driver that runs it over a corpus in any build. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
