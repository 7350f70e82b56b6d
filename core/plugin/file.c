/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What can be seen of a plugin file from outside: whose it is, who else could have written it, and whether it is a
 * whole shared object of this machine, for the loader trusts its headers and maps pages that a cut file does not have.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <plugin/look.h>

static bool is_trusted(uid_t owner)
{
	return owner == geteuid() || owner == 0;
}

bool look_is_trouble(int error)
{
	static const int ours[] = {ENOMEM, EMFILE, ENFILE, EAGAIN, EIO, EINTR};
	bool is_ours = false;

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		is_ours |= error == ours[i];
	return is_ours;
}

/* In `errno`: 0 where the file ends too early. */
static bool read_at(int fd, void *data, size_t size, uint64_t offset)
{
	errno = 0;
	return pread(fd, data, size, (off_t)offset) == (ssize_t)size;
}

static bool is_inside(uint64_t offset, uint64_t size, uint64_t limit)
{
	return offset <= limit && size <= limit - offset;
}

/* The class, byte order and machine of this program, from its own header. */
static bool is_of_this_machine(const ElfW(Ehdr) * header)
{
	static ElfW(Ehdr) own;

	if (!own.e_machine) {
		int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
		bool is_read = fd >= 0 && read_at(fd, &own, sizeof(own), 0);

		if (fd >= 0)
			close(fd);
		if (!is_read)
			return true; /* the loader will see */
	}
	return header->e_ident[EI_CLASS] == own.e_ident[EI_CLASS] && header->e_ident[EI_DATA] == own.e_ident[EI_DATA] &&
	       header->e_machine == own.e_machine;
}

/* Of what could not be read `errno` tells why. */
static const char *elf_error(int fd, uint64_t size)
{
	ElfW(Ehdr) header;
	ElfW(Phdr) part;

	if (!read_at(fd, &header, SELFMAG, 0) || memcmp(header.e_ident, ELFMAG, SELFMAG))
		return "not a shared object (no ELF header)";
	if (!read_at(fd, &header, sizeof(header), 0))
		return "cut short: its header is not whole";
	if (!is_of_this_machine(&header))
		return "made for another kind of machine";
	if (header.e_type != ET_DYN)
		return "an ELF file, but no shared object";
	if (header.e_phentsize != sizeof(part) || !header.e_phnum ||
	    !is_inside(header.e_phoff, (uint64_t)header.e_phnum * sizeof(part), size))
		return "cut short or damaged: its program headers lie outside of the file";
	for (unsigned i = 0; i < header.e_phnum; i++) {
		if (!read_at(fd, &part, sizeof(part), header.e_phoff + i * sizeof(part)))
			return "cut short: its program headers cannot be read";
		if ((part.p_type == PT_LOAD || part.p_type == PT_DYNAMIC) &&
		    !is_inside(part.p_offset, part.p_filesz, size))
			return "cut short or damaged: what is to be loaded lies outside of the file";
	}
	/* The section headers stand at the end: who lost them lost a part of the file. */
	if (header.e_shoff && !is_inside(header.e_shoff, (uint64_t)header.e_shnum * header.e_shentsize, size))
		return "cut short: its end is missing";
	return NULL;
}

const char *look_at_file(struct registry *registry, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *error = NULL;
	int trouble = 0;

	if (fd < 0 || fstat(fd, &status)) {
		trouble = errno;
		error = arena_printf(&registry->arena, "cannot be read: %s", strerror(errno));
		if (!error)
			registry->trouble = "out of memory";
	} else if (!S_ISREG(status.st_mode)) {
		error = "not a regular file";
	} else if (!is_trusted(status.st_uid)) {
		error = "it belongs to another user (neither you nor root)";
	} else if (status.st_mode & S_IWOTH) {
		error = "writable by everyone (chmod o-w)";
	} else if (status.st_mode & S_IWGRP) {
		error = "writable by its group (chmod g-w)";
	} else {
		errno = 0;
		error = elf_error(fd, (uint64_t)status.st_size);
		trouble = error ? errno : 0;
	}
	if (fd >= 0)
		close(fd);
	if (look_is_trouble(trouble))
		registry->trouble = strerror(trouble);
	return error;
}

/*
 * Whoever may write to a folder can put another file in the place of one in it; where it is sticky, as /tmp is, only
 * its own. So a folder of plugins, and every folder above it, must be closed to everyone else.
 */
const char *look_at_folder(struct registry *registry, const char *directory)
{
	char *path = realpath(*directory ? directory : ".", NULL);
	const char *error = NULL;
	struct stat status;

	if (!path && look_is_trouble(errno))
		registry->trouble = strerror(errno);
	for (bool is_first = true; path && !error; is_first = false) {
		if (!stat(path, &status) && status.st_mode & S_IWOTH && (is_first || !(status.st_mode & S_ISVTX)))
			error = is_first ? "its directory is writable by everyone (chmod o-w)"
			                 : arena_printf(&registry->arena,
			                                "the directory %s above it is writable by everyone", path);
		char *slash = strrchr(path, '/');
		if (!slash || !path[1])
			break;
		slash[slash == path] = '\0';
	}
	free(path);
	return error;
}
