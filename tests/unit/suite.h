/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of a unit test program: a table of tests, and main() that runs them and fails when one fails. */
#ifndef UNIT_SUITE_H
#define UNIT_SUITE_H

#include <CUnit/Basic.h>

#define SUITE(name, ...)                                                                                               \
	int main(void)                                                                                                 \
	{                                                                                                              \
		CU_TestInfo tests[] = {__VA_ARGS__, CU_TEST_INFO_NULL};                                                \
		CU_SuiteInfo suites[] = {{name, NULL, NULL, NULL, NULL, tests}, CU_SUITE_INFO_NULL};                   \
		if (CU_initialize_registry() != CUE_SUCCESS || CU_register_suites(suites) != CUE_SUCCESS)              \
			return 2;                                                                                      \
		CU_basic_set_mode(CU_BRM_VERBOSE);                                                                     \
		CU_basic_run_tests();                                                                                  \
		unsigned failed = CU_get_number_of_failures() + (CU_get_number_of_tests_run() == 0);                   \
		CU_cleanup_registry();                                                                                 \
		return failed ? 1 : 0;                                                                                 \
	}

#endif
