/* SPDX-License-Identifier: Apache-2.0 */
/* yajl: its events without a tree, numbers as text; only map keys are counted. */
#include <yajl/yajl_parse.h>

#include "peer.h"

static int count_key(void *user, const unsigned char *key, size_t size)
{
	(void)key;
	(void)size;
	++*(unsigned long long *)user;
	return 1;
}

static int take_text(void *user, const char *text, size_t size)
{
	(void)user;
	(void)text;
	(void)size;
	return 1;
}

static int take_string(void *user, const unsigned char *text, size_t size)
{
	return take_text(user, (const char *)text, size);
}

int main(int argc, char **argv)
{
	static const yajl_callbacks callbacks = {
	        .yajl_map_key = count_key, .yajl_number = take_text, .yajl_string = take_string};
	unsigned long long keys = 0;
	size_t size;
	char *data = peer_load(argc > 1 ? argv[1] : "", 0, &size);
	yajl_handle handle = yajl_alloc(&callbacks, NULL, &keys);
	struct peer_time begin = peer_now();
	yajl_status status = handle ? yajl_parse(handle, (const unsigned char *)data, size) : yajl_status_error;

	if (status == yajl_status_ok)
		status = yajl_complete_parse(handle);
	if (status != yajl_status_ok) {
		fprintf(stderr, "yajl cannot parse it\n");
		return 2;
	}
	return peer_report(begin, keys);
}
