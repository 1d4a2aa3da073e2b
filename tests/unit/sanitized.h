/* sanitized.h - is this built with the address sanitizer, which makes it slow?  Tests of many
 * random cases, or of long runs, then take a part of them: what touches memory that is not its own
 * does so in the first hundreds. */
#ifndef TEST_UNIT_SANITIZED_H
#define TEST_UNIT_SANITIZED_H

#ifdef __has_feature
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#endif
