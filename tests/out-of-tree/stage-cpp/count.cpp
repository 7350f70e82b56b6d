// SPDX-License-Identifier: Apache-2.0
// count - counts events by category. A stage in C++11, to show that the interface takes it.
#include <map>
#include <new>
#include <string>
#include <vector>

#include <tav/plugin.h>

namespace
{
tav_status run(tav_self *self) noexcept
try {
	const tav_host *host = self->host;
	int64_t total = 0;

	for (uint32_t source = 0; source < host->source_count(self); source++) {
		auto label = static_cast<const uint32_t *>(host->column(self, source, TAV_COL_LABEL));
		std::map<std::string, int64_t> counts;

		for (tav_row row = 0; row < host->source(self, source)->row_count; row++) {
			tav_text category;

			host->label(self, label[row], &category);
			counts[std::string(category.data, category.size)]++;
			total++;
		}
		std::vector<tav_text> names;
		std::vector<int64_t> numbers;
		for (const auto &pair : counts) {
			names.push_back(tav_text{pair.first.data(), pair.first.size()});
			numbers.push_back(pair.second);
		}
		const tav_series columns[] = {
		        {"category", TAV_TYPE_STRING, TAV_UNIT_NONE, names.data(), nullptr},
		        {"count", TAV_TYPE_INT, TAV_UNIT_COUNT, numbers.data(), nullptr},
		};
		tav_table table = tav_table();
		table.struct_size = sizeof(table);
		table.source = source;
		table.id = "categories";
		table.title = "Events by category";
		table.row_count = names.size();
		table.columns = TAV_LIST(columns);
		if (host->table(self, &table))
			return TAV_FAILED;
	}
	if (host->metric(self, TAV_RUN, "events", total, TAV_UNIT_COUNT))
		return TAV_FAILED;
	return tav_check(self, TAV_RUN, "count", total ? TAV_RESULT_PASS : TAV_RESULT_SKIP, "%lld events counted",
	                 static_cast<long long>(total));
} catch (const std::bad_alloc &) {
	return tav_fail(self, "out of memory"); // no exception leaves a plugin
}

tav_stage make_stage()
{
	tav_stage stage = tav_stage();

	stage.struct_size = sizeof(stage);
	stage.name = "count";
	stage.summary = "Counts events by category";
	stage.run = run;
	return stage;
}
const tav_stage stage = make_stage();
const tav_stage *const stages[] = {&stage, nullptr};
} // namespace

extern "C" TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, "count", "1.0.0", "Apache-2.0", nullptr, stages,
};
