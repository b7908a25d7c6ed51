// What Go calls.
#ifndef WAFERPAIR_KERNEL_H
#define WAFERPAIR_KERNEL_H
#include "model.h"

void *wp_map(int64_t bytes);
void wp_unmap(void *p, int64_t bytes);
void wp_fence(void *p, int64_t bytes);
int wp_level(void);
int64_t wp_room(struct model *m, uint8_t *room, int64_t tokens, int hidden_floats);
int wp_start(struct model *m, int level);
void wp_end(struct model *m);
int wp_run(struct model *m, const int32_t *tokens, int n, int first, uint16_t *const *blocks, const float *turns,
           float *logits, int rows, const uint32_t *stop);
void wp_product(int level, const struct matrix *m, const float *x, int n, float *out);
#endif
