/* SPDX-License-Identifier: Apache-2.0 */
/* Section 12: Python scopes: how a frame is written, which frames say something, and which of a stack says most. */
#include <string.h>

#include "triage.h"

/* Files of the machinery: a frame there never names the source of a kernel. */
static const char *const machinery[] = {"threading.py(",
                                        "selectors.py(",
                                        "contextlib.py(",
                                        "queue.py(",
                                        "socket.py(",
                                        "logging/",
                                        "logging/__init__.py(",
                                        "asyncio/",
                                        "concurrent/futures/",
                                        "tqdm/",
                                        "uvicorn/",
                                        "fastapi/",
                                        "starlette/",
                                        "http/",
                                        "torch/_ops.py(",
                                        "torch/nn/modules/module.py(",
                                        "torch/utils/_contextlib.py(",
                                        "torch/autograd/",
                                        "torch/_tensor.py(",
                                        "torch/distributed/",
                                        "torch/_dynamo/",
                                        "torch/_inductor/",
                                        NULL};

/* Frames that pass work on: dispatchers and graph runners. */
static const char *const dispatchers[] = {"__torch_function__", "__torch_dispatch__", "__call__",
                                          "_call_impl",         "_wrapped_call_impl", NULL};
static const char *const runners[] = {"model_executor/parameter.py", "model_executor/cuda_graph_runner.py",
                                      "compilation/cuda_graph.py",   "pyexecutor/cuda_graph_runner.py",
                                      "pyexecutor/py_executor.py",   "_torch/utils.py",
                                      "torch/fx/graph_module.py",    NULL};

enum {
	SCORE_ROOT = 50,   /* a frame under one of the source roots */
	SCORE_PYTHON = 10, /* any other Python frame */
	SCORE_UTILS_CALL = -15,
	SCORE_PROFILER = -20,
	SCORE_LOW_SIGNAL = -25,
	PRIORITY_ROOT = 300,
	PRIORITY_PYTHON = 120,
	PRIORITY_LOW_SIGNAL = -80
};

/* ---- Paths --------------------------------------------------------------------------------------------- */

struct tav_text path_from(struct tav_text path, size_t at)
{
	while (at < path.size && path.data[at] == '/')
		at++;
	return text_after(path, at);
}

/* Where a path enters the first source root that it has; SIZE_MAX: in none. A root starts at the path or a folder. */
static size_t find_root(const struct triage *triage, struct tav_text path, size_t *root)
{
	for (size_t i = 0; i < triage->root_count; i++) {
		size_t from = 0, at;

		while ((at = text_find_lower(text_after(path, from), triage->roots[i].data)) != SIZE_MAX) {
			at += from;
			if (!at || path.data[at - 1] == '/' || triage->roots[i].data[0] == '/') {
				*root = i;
				return at;
			}
			from = at + 1;
		}
	}
	return SIZE_MAX;
}

static struct tav_text path_by_roots(const struct triage *triage, struct tav_text path)
{
	static const char packages[] = "site-packages/";
	size_t root, at = find_root(triage, path, &root);

	if (at != SIZE_MAX)
		return path_from(path, at);
	at = text_find(path, packages);
	return path_from(path, at == SIZE_MAX ? 0 : at + sizeof(packages) - 1);
}

/* ---- One frame ----------------------------------------------------------------------------------------- */

/* Splits "path(12): function": `line` at the '(', `function` behind "): ". Lazy: the first place that fits. */
bool scope_split(struct tav_text scope, size_t *line, size_t *function)
{
	for (size_t i = 1; i < scope.size; i++) {
		size_t digits = 0, end;

		if (scope.data[i] != '(')
			continue;
		while (i + 1 + digits < scope.size && scope.data[i + 1 + digits] >= '0' &&
		       scope.data[i + 1 + digits] <= '9')
			digits++;
		end = i + 1 + digits;
		if (digits && end + 2 < scope.size && scope.data[end] == ')' && scope.data[end + 1] == ':' &&
		    scope.data[end + 2] == ' ' && end + 3 < scope.size) {
			*line = i;
			*function = end + 3;
			return true;
		}
	}
	return false;
}

/* The name of a frame in the one spelling that everything compares: "path(line): function". */
static struct tav_text scope_name(const struct triage *triage, struct tav_text raw)
{
	struct tav_text name = text_normal(triage->self, raw), path;
	size_t line, function;
	char *slash;

	if (name.data)
		name = text_addresses(triage->self, name);
	if (!name.data || !scope_split(name, &line, &function))
		return name;
	path = text_normal(triage->self, (struct tav_text){name.data, line});
	if (!path.data)
		return path;
	for (slash = (char *)path.data; (slash = memchr(slash, '\\', path.size - (size_t)(slash - path.data)));)
		*slash = '/';
	path = !triage->is_reference ? path_by_roots(triage, path) : reference_path(triage->self, path);
	if (!path.data)
		return path;
	return text_format(triage->self, "%.*s%.*s", (int)path.size, path.data, (int)(name.size - line),
	                   name.data + line);
}

static bool is_under_root(const struct triage *triage, struct tav_text scope)
{
	size_t root;

	return find_root(triage, scope, &root) == 0;
}

static bool is_preferred(const struct triage *triage, struct tav_text scope)
{
	return !triage->is_reference ? is_under_root(triage, scope) : reference_is_known(scope);
}

static bool is_meaningful(const struct triage *triage, struct tav_text scope)
{
	if (!scope.size || text_starts(scope, "<built-in method") || text_starts(scope, "nn.Module:"))
		return false;
	/* Who names a folder as a root wants its frames, machinery or not. */
	if (!triage->is_reference && is_under_root(triage, scope))
		return true;
	for (const char *const *prefix = machinery; *prefix; prefix++)
		if (text_starts(scope, *prefix))
			return false;
	return is_preferred(triage, scope) || text_has(scope, ".py(");
}

static bool is_fallback(struct tav_text scope)
{
	if (!scope.size || text_starts(scope, "<built-in method") || text_starts(scope, "nn.Module:") ||
	    text_starts(scope, "threading.py("))
		return false;
	return text_has(scope, ".py(") || text_starts(scope, "python/");
}

static bool is_low_signal(const struct triage *triage, struct tav_text scope)
{
	if (text_has_any_lower(scope, dispatchers))
		return true;
	/* Who replays a graph stands above all its kernels; the caller says more. */
	if (!triage->is_reference && text_starts(scope, "torch/cuda/graphs.py("))
		return true;
	for (const char *const *runner = runners; *runner; runner++) {
		size_t from = 0, at, size = strlen(*runner);

		while ((at = text_find_lower(text_after(scope, from), *runner)) != SIZE_MAX) {
			from += at + size;
			if (from < scope.size && (scope.data[from] == '(' || scope.data[from] == ':'))
				return true;
		}
	}
	return false;
}

static int32_t scope_score(const struct triage *triage, struct tav_text scope)
{
	int32_t score = text_has(scope, ".py(") ? SCORE_PYTHON : 0, priority;

	if (!triage->is_reference) {
		if (is_under_root(triage, scope))
			score = SCORE_ROOT;
	} else {
		reference_worth(scope, &score, &priority);
	}
	if (text_has(scope, "utils.py") && text_has(scope, "__call__"))
		score += SCORE_UTILS_CALL;
	if (text_has(scope, "scheduler_profiler_mixin.py"))
		score += SCORE_PROFILER;
	if (is_low_signal(triage, scope))
		score += SCORE_LOW_SIGNAL;
	return score;
}

int32_t scope_priority(const struct triage *triage, struct tav_text scope)
{
	int32_t priority = text_has(scope, ".py(") ? PRIORITY_PYTHON : 0, score;

	if (!scope.size)
		return 0;
	if (!triage->is_reference) {
		if (is_under_root(triage, scope))
			priority = PRIORITY_ROOT;
	} else {
		reference_worth(scope, &score, &priority);
	}
	return priority + (is_low_signal(triage, scope) ? PRIORITY_LOW_SIGNAL : 0);
}

/* What is known of a label as a Python frame, found at first use. */
tav_status scope_of(struct analysis *analysis, uint32_t label, struct label_facts **out)
{
	struct triage *triage = analysis->triage;
	struct label_facts *facts = &analysis->labels[label];

	*out = facts;
	if (!facts->scope) {
		struct tav_text category,
		        name = triage->self->host->label(triage->self, analysis->source, label, &category);
		struct tav_text scope = scope_name(triage, name);

		facts->scope = scope.data ? text_id(&triage->texts, scope) : 0;
		if (!facts->scope)
			return TAV_FAILED;
		facts->scope_flags = (uint8_t)((is_meaningful(triage, scope) ? SCOPE_MEANINGFUL : 0) |
		                               (is_fallback(scope) ? SCOPE_FALLBACK : 0));
		facts->scope_score = (int16_t)scope_score(triage, scope);
	}
	return TAV_OK;
}
