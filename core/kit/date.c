/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <kit/date.h>

static uint32_t number_at(const char *digits, unsigned count)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < count; i++)
		number = number * 10 + (uint32_t)(digits[i] - '0');
	return number;
}

bool date_parse(const char *text, uint32_t *day)
{
	static const char form[] = "dddd-dd-dd";
	static const uint8_t lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	for (size_t i = 0; i < sizeof(form); i++) {
		bool is_digit = text[i] >= '0' && text[i] <= '9';

		if (form[i] == 'd' ? !is_digit : text[i] != form[i])
			return false;
	}
	uint32_t year = number_at(text, 4), month = number_at(text + 5, 2), of_month = number_at(text + 8, 2);
	if (!year || month < 1 || month > 12)
		return false;
	bool is_leap = year % 4 == 0 && (year % 100 || year % 400 == 0);
	*day = year * 10000 + month * 100 + of_month;
	return of_month >= 1 && of_month <= lengths[month - 1] + (uint32_t)(is_leap && month == 2);
}

bool date_today(uint32_t *day)
{
	const char *given = getenv("SOURCE_DATE_EPOCH");
	time_t now = time(NULL);
	struct tm parts;

	if (given && *given) {
		if (given[strspn(given, "0123456789")] || strlen(given) > 11)
			return false;
		now = (time_t)strtoll(given, NULL, 10);
	}
	if (!gmtime_r(&now, &parts) || parts.tm_year > 8099)
		return false;
	*day = (uint32_t)((parts.tm_year + 1900) * 10000 + (parts.tm_mon + 1) * 100 + parts.tm_mday);
	return true;
}
