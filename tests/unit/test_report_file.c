/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <report/file.h>

#include "report_sample.h"
#include "suite.h"

static const struct report_style plain = {.width = 100};
static char directory[] = "/tmp/tav-report-XXXXXX";

static char *in_directory(char path[64], const char *name)
{
	snprintf(path, 64, "%s/%s", directory, name);
	return path;
}

static unsigned count_files(void)
{
	DIR *open = opendir(directory);
	unsigned count = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(open);
	for (struct dirent *entry; (entry = readdir(open));)
		count += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(open);
	return count;
}

static void put(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(out);
	fputs(text, out);
	CU_ASSERT_EQUAL(fclose(out), 0);
}

/* The writer's bytes, and nothing else. */
static bool holds_report(const char *path, struct sample *sample, const char *format)
{
	char *wanted = sample_write(sample, format, &plain);
	size_t size = wanted ? strlen(wanted) : 0;
	char *found = calloc(1, size + 2);
	FILE *in = fopen(path, "r");
	bool is_same = wanted && found && in && fread(found, 1, size + 1, in) == size && !strcmp(wanted, found);

	if (in)
		fclose(in);
	free(wanted);
	free(found);
	return is_same;
}

static tav_status write_json_to(struct sample *sample, const char *path, struct causes *causes)
{
	return report_write(&sample->report, report_format_find("json"), path, &plain, causes);
}

static void a_report_replaces_a_file_whole(void)
{
	struct sample sample;
	struct causes causes = {0};
	struct stat status;
	char path[64], link[64];

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	umask(022);
	CU_ASSERT_EQUAL(write_json_to(&sample, in_directory(path, "new.json"), &causes), TAV_OK);
	CU_ASSERT_TRUE(holds_report(path, &sample, "json"));
	CU_ASSERT_EQUAL(stat(path, &status), 0);
	CU_ASSERT_EQUAL(status.st_mode & 0777, 0644);

	put(in_directory(path, "old.json"), "much older text");
	CU_ASSERT_EQUAL(chmod(path, 0600), 0);
	CU_ASSERT_EQUAL(symlink("old.json", in_directory(link, "link.json")), 0);
	CU_ASSERT_EQUAL(write_json_to(&sample, link, &causes), TAV_OK);
	CU_ASSERT_TRUE(holds_report(path, &sample, "json"));
	CU_ASSERT_EQUAL(lstat(link, &status), 0);
	CU_ASSERT_TRUE(S_ISLNK(status.st_mode));
	CU_ASSERT_EQUAL(stat(path, &status), 0);
	CU_ASSERT_EQUAL(status.st_mode & 0777, 0600);
	CU_ASSERT_EQUAL(count_files(), 3); /* and no temporary one */
	CU_ASSERT_PTR_NULL(causes.outermost);
	sample_fini(&sample);
}

static void what_cannot_be_written_is_named(void)
{
	static const struct {
		const char *path, *why;
	} cases[] = {
	        {"/dev/full", "cannot write the json report to '/dev/full': No space left on device"},
	        {"/tmp", "cannot write the json report to '/tmp': Is a directory"},
	        {"/no/such/folder/x", "cannot write the json report to '/no/such/folder/x': No such file or directory"},
	        {"", "cannot write the json report to '': No such file or directory"}};
	struct sample sample;

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct causes causes = {0};

		CU_ASSERT_EQUAL(write_json_to(&sample, cases[i].path, &causes), TAV_FAILED);
		CU_ASSERT_PTR_NOT_NULL_FATAL(causes.outermost);
		CU_ASSERT_STRING_EQUAL(causes.outermost->text, cases[i].why);
		causes_clear(&causes);
	}
	sample_fini(&sample);
}

/* A limit on the size of files stands in for a full disk: the old report stays, and no part of the new one. */
static void a_full_disk_leaves_the_old_report(void)
{
	struct sample sample;
	char path[64];

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	put(in_directory(path, "full.json"), "old");
	unsigned before = count_files();
	pid_t child = fork();
	CU_ASSERT_FATAL(child >= 0);
	if (!child) {
		struct causes causes = {0};
		const struct rlimit limit = {500, 500};

		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit))
			_exit(2);
		_exit(write_json_to(&sample, path, &causes) == TAV_FAILED && causes.outermost &&
		                      strstr(causes.outermost->text, strerror(EFBIG))
		              ? 0
		              : 1);
	}
	int status;
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_EQUAL(status, 0);
	CU_ASSERT_EQUAL(count_files(), before);
	CU_ASSERT_FALSE(holds_report(path, &sample, "json"));
	sample_fini(&sample);
}

/* What is no device is a file like others, wherever it lies. */
static void shared_memory_is_a_folder(void)
{
	struct sample sample;
	struct causes causes = {0};
	struct stat before, after;
	char path[64];

	snprintf(path, sizeof(path), "/dev/shm/tav-report-%ld", (long)getpid());
	FILE *out = fopen(path, "w");
	if (!out)
		return; /* there is none here */
	fputs("old", out);
	CU_ASSERT_EQUAL(fclose(out), 0);
	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	CU_ASSERT_EQUAL(stat(path, &before), 0);
	CU_ASSERT_EQUAL(write_json_to(&sample, path, &causes), TAV_OK);
	CU_ASSERT_EQUAL(stat(path, &after), 0);
	CU_ASSERT_NOT_EQUAL(before.st_ino, after.st_ino);
	CU_ASSERT_TRUE(holds_report(path, &sample, "json"));
	CU_ASSERT_EQUAL(unlink(path), 0);
	sample_fini(&sample);
}

static void a_reader_that_went_away_is_no_error(void)
{
	struct sample sample;
	struct causes causes = {0};
	char path[64];

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	signal(SIGPIPE, SIG_IGN);
	int ends[2];
	CU_ASSERT_EQUAL_FATAL(pipe(ends), 0);
	close(ends[0]);
	fflush(stdout);
	int standard = dup(STDOUT_FILENO);
	CU_ASSERT_EQUAL(dup2(ends[1], STDOUT_FILENO), STDOUT_FILENO);
	tav_status to_nobody = write_json_to(&sample, "-", &causes);
	CU_ASSERT_EQUAL(dup2(standard, STDOUT_FILENO), STDOUT_FILENO);
	CU_ASSERT_EQUAL(to_nobody, TAV_OK);
	close(standard);
	close(ends[1]);

	/* A FIFO is written to, and stays one. */
	CU_ASSERT_EQUAL(mkfifo(in_directory(path, "fifo"), 0600), 0);
	int reader = open(path, O_RDONLY | O_NONBLOCK);
	CU_ASSERT_EQUAL(write_json_to(&sample, path, &causes), TAV_OK);
	char head[4] = "";
	CU_ASSERT_EQUAL(read(reader, head, 3), 3);
	CU_ASSERT_STRING_EQUAL(head, "{\n ");
	close(reader);
	struct stat status;
	CU_ASSERT_EQUAL(lstat(path, &status), 0);
	CU_ASSERT_TRUE(S_ISFIFO(status.st_mode));
	CU_ASSERT_PTR_NULL(causes.outermost);
	sample_fini(&sample);
}

static bool stop_within(const struct report *report, const struct report_style *style, FILE *out)
{
	(void)report;
	(void)style;
	fputs("half a report", out);
	fflush(out);
	raise(SIGINT);
	return true;
}

static void on_interrupt(int number)
{
	(void)number;
	file_remove_unfinished();
	_exit(130);
}

static void an_interrupted_report_leaves_nothing(void)
{
	static const struct report_format slow = {"slow", "is interrupted", stop_within, NULL, NULL};
	struct sample sample;
	char path[64];

	CU_ASSERT_FATAL(sample_init(&sample, 1, sample_names));
	unsigned before = count_files();
	pid_t child = fork();
	CU_ASSERT_FATAL(child >= 0);
	if (!child) {
		struct causes causes = {0};

		signal(SIGINT, on_interrupt);
		report_write(&sample.report, &slow, in_directory(path, "slow"), &plain, &causes);
		_exit(1);
	}
	int status;
	CU_ASSERT_EQUAL(waitpid(child, &status, 0), child);
	CU_ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 130);
	CU_ASSERT_EQUAL(count_files(), before);
	sample_fini(&sample);
}

static void the_folder_is_there(void)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(directory));
}

static void the_folder_is_gone(void)
{
	DIR *open = opendir(directory);
	char path[512];

	CU_ASSERT_PTR_NOT_NULL_FATAL(open);
	for (struct dirent *entry; (entry = readdir(open));) {
		snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name);
		if (entry->d_name[0] != '.')
			CU_ASSERT_EQUAL(unlink(path), 0);
	}
	closedir(open);
	CU_ASSERT_EQUAL(rmdir(directory), 0);
}

SUITE("report file", {"report file: the folder is there", the_folder_is_there},
      {"report file: a report replaces a file whole", a_report_replaces_a_file_whole},
      {"report file: what cannot be written is named", what_cannot_be_written_is_named},
      {"report file: a full disk leaves the old report", a_full_disk_leaves_the_old_report},
      {"report file: shared memory is a folder", shared_memory_is_a_folder},
      {"report file: a reader that went away is no error", a_reader_that_went_away_is_no_error},
      {"report file: an interrupted report leaves nothing", an_interrupted_report_leaves_nothing},
      {"report file: the folder is gone", the_folder_is_gone})
