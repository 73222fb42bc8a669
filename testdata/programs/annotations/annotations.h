// The annotations that programs may call, and the sanitizer interface.
#ifndef ANNOTATIONS_H
#define ANNOTATIONS_H

#include <stddef.h>

void AnnotateHappensBefore(const char *file, int line, const volatile void *place);
void AnnotateHappensAfter(const char *file, int line, const volatile void *place);
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long is_write);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long is_write);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateIgnoreSyncBegin(const char *file, int line);
void AnnotateIgnoreSyncEnd(const char *file, int line);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *place, size_t size, const char *why);
void AnnotateExpectRace(const char *file, int line, const volatile void *place, const char *why);
void AnnotateFlushExpectedRaces(const char *file, int line);
void AnnotateThreadName(const char *file, int line, const char *name);

void __tsan_acquire(void *place);
void __tsan_release(void *place);
void __tsan_mutex_create(void *lock, unsigned flags);
void __tsan_mutex_destroy(void *lock, unsigned flags);
void __tsan_mutex_pre_lock(void *lock, unsigned flags);
void __tsan_mutex_post_lock(void *lock, unsigned flags, int recursion);
int __tsan_mutex_pre_unlock(void *lock, unsigned flags);
void __tsan_mutex_post_unlock(void *lock, unsigned flags);

void *__tsan_external_register_tag(const char *type);
void __tsan_external_register_header(void *tag, const char *header);
void __tsan_external_assign_tag(void *object, void *tag);
void __tsan_external_read(void *object, void *caller, void *tag);
void __tsan_external_write(void *object, void *caller, void *tag);
void __sanitizer_symbolize_pc(void *pc, const char *format, char *text, size_t room);
void __sanitizer_symbolize_global(void *place, const char *format, char *text, size_t room);
int __tsan_java_fini(void);

enum { READ_LOCK = 1 << 3, TRY_LOCK = 1 << 4, TRY_LOCK_FAILED = 1 << 5 };

#endif
