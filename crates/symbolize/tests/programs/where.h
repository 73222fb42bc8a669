// What the programs share.
#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))

#ifdef __cplusplus
extern "C" {
#endif
void here(void);
void library(void);
#ifdef __cplusplus
}
#endif
