/* SPDX-License-Identifier: Apache-2.0 */
#include <reader/digest.h>

#if defined(__x86_64__) && !defined(TAV_SCALAR)
#include <reader/digest_code.h>

uint64_t digest_add_avx2(void *state, const char *data, size_t size)
{
	return digest_all(state, data, size);
}
#endif
