// The fiber functions of the sanitizer interface.
#ifndef FIBERS_H
#define FIBERS_H

#ifdef __cplusplus
extern "C" {
#endif
void *__tsan_get_current_fiber(void);
void *__tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void *fiber);
void __tsan_switch_to_fiber(void *fiber, unsigned flags);
void __tsan_set_fiber_name(void *fiber, const char *name);
#ifdef __cplusplus
}
#endif

/* A switch that orders nothing. */
enum { NO_SYNC = 1 };

#endif
