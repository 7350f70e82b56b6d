// SPDX-License-Identifier: Apache-2.0
// count - counts events by category. A stage in C++11, to show that the interface takes it.
#include <map>
#include <new>
#include <string>

#include <tav/sheet.h>

namespace
{
tav_status each(tav_self *self) noexcept
try {
	const tav_host *host = self->host;
	auto label = static_cast<const uint32_t *>(host->column(self, 0, TAV_COL_LABEL));
	std::map<std::string, int64_t> counts;
	int64_t total = 0;

	for (tav_row row = 0; row < host->source(self, 0)->row_count; row++) {
		tav_text category;

		host->label(self, 0, label[row], &category);
		counts[std::string(category.data, category.size)]++;
		total++;
	}
	tav_sheet sheet;
	uint64_t row = 0;

	tav_sheet_init(&sheet, self, counts.size());
	const uint32_t name = tav_sheet_column(&sheet, "category", TAV_TYPE_STRING, TAV_UNIT_NONE, TAV_SHOW_KEY);
	const uint32_t count = tav_sheet_column(&sheet, "count", TAV_TYPE_INT, TAV_UNIT_COUNT, TAV_SHOW_COLUMN);
	for (const auto &pair : counts) {
		tav_sheet_text(&sheet, name, row, tav_text{pair.first.data(), pair.first.size()});
		tav_sheet_int(&sheet, count, row++, pair.second);
	}
	if (tav_sheet_send(&sheet, 0, "categories", "Events by category", 0) ||
	    tav_measure(self, 0, "events", total, TAV_UNIT_COUNT, TAV_BETTER_UNKNOWN))
		return TAV_FAILED;
	return tav_tell(self, 0, "count", total ? TAV_RESULT_PASS : TAV_RESULT_SKIP, 0, static_cast<uint64_t>(total),
	                "%lld events counted", static_cast<long long>(total));
} catch (const std::bad_alloc &) {
	return tav_fail(self, "out of memory"); // no exception leaves a plugin
}

tav_stage make_stage()
{
	tav_stage stage = tav_stage();

	stage.struct_size = sizeof(stage);
	stage.name = "count";
	stage.summary = "Counts events by category";
	stage.each = each;
	return stage;
}
const tav_stage stage = make_stage();
const tav_stage *const stages[] = {&stage, nullptr};
} // namespace

extern "C" TAV_EXPORT const struct tav_plugin tav_plugin = {
        TAV_PLUGIN_HEAD, "count", "1.0.0", "Apache-2.0", nullptr, stages,
};
