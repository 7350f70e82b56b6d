/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdlib.h>

#include <reader/digest.h>
#include <reader/digest_code.h>

struct digest {
	XXH3_state_t *state;
	bool has_avx2;
};

struct digest *digest_new(void)
{
	struct digest *digest = calloc(1, sizeof(*digest));

	if (!digest)
		return NULL;
	digest->state = XXH3_createState();
	if (!digest->state) {
		free(digest);
		return NULL;
	}
	XXH3_64bits_reset(digest->state);
#if defined(__x86_64__) && !defined(TAV_SCALAR)
	digest->has_avx2 = __builtin_cpu_supports("avx2");
#endif
	return digest;
}

uint64_t digest_add(struct digest *digest, const char *data, size_t size)
{
#if defined(__x86_64__) && !defined(TAV_SCALAR)
	if (digest->has_avx2)
		return digest_add_avx2(digest->state, data, size);
#endif
	return digest_all(digest->state, data, size);
}

uint64_t digest_hash(const struct digest *digest)
{
	return XXH3_64bits_digest(digest->state);
}

void digest_free(struct digest *digest)
{
	if (!digest)
		return;
	XXH3_freeState(digest->state);
	free(digest);
}
