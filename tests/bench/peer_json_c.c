/* SPDX-License-Identifier: Apache-2.0 */
/* json-c: its tree, and nothing done with it. */
#include <json.h>

#include "peer.h"

int main(int argc, char **argv)
{
	size_t size;
	char *data = peer_load(argc > 1 ? argv[1] : "", 0, &size);
	struct json_tokener *tokener = json_tokener_new_ex(1000);
	struct peer_time begin = peer_now();
	struct json_object *tree = tokener ? json_tokener_parse_ex(tokener, data, (int)size) : NULL, *events = NULL;

	if (!tree || !json_object_object_get_ex(tree, "traceEvents", &events)) {
		fprintf(stderr, "json-c cannot parse it\n");
		return 2;
	}
	return peer_report(begin, json_object_array_length(events));
}
