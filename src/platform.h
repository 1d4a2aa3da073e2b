/* platform.h - what systems have each in their own way.  Everything else is C17 and POSIX 2008;
 * HACKING.md lists what is left. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* path <- the file that is being run, of at most n - 1 bytes; false where the system does not tell.
 */
bool sh_platform_self(char *path, size_t n);

/* line <- what the processor calls itself; "" where the system does not tell. */
void sh_platform_processor(char *line, size_t n);

/* The address space that the process takes now, in bytes; 0 where the system does not tell. */
unsigned long long sh_platform_memory(void);

/* Ends this process with its parent, where the system can; false where it cannot. */
bool sh_platform_end_with_parent(void);

/* Two ends of a pipe that no child inherits; false sets errno. */
bool sh_platform_pipe(int ends[2]);

/* Returns new: a stream whose bytes go to `write`, which returns how many it took; NULL where
 * memory is out. */
typedef ssize_t ShPlatformWrite(void *to, const char *bytes, size_t n);
FILE *sh_platform_stream(void *to, ShPlatformWrite *write);
