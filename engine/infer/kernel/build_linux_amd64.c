// Memory, and what Go calls.
#define _GNU_SOURCE
#include "kernel.h"
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE = 2 << 20, PAGE = 4096 };

static int64_t whole(int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; }

// wp_map returns zeroed memory that begins at a huge page, or NULL. It costs address space alone until it is written.
void *wp_map(int64_t bytes) {
    int64_t asked = bytes;
    bytes = whole(bytes, PAGE);
    int64_t more = bytes >= HUGE ? HUGE : 0;
    uint8_t *p = mmap(NULL, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) return NULL;
    if (!more) return p;
    int64_t front = (HUGE - (uintptr_t)p % HUGE) % HUGE;
    if (front) munmap(p, front);
    if (front < more) munmap(p + front + bytes, more - front);
    madvise(p + front, bytes, MADV_HUGEPAGE);
    wp_fence(p + front + asked, bytes - asked);
    return p + front;
}

void wp_unmap(void *p, int64_t bytes) {
    if (!p) return;
    ASAN_UNPOISON_MEMORY_REGION(p, whole(bytes, PAGE));  // the address may come back
    munmap(p, whole(bytes, PAGE));
}

// wp_level returns what this processor and this system can run: 0 nothing, 1 AVX2, 2 AVX-512 with VNNI too.
int wp_level(void) {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("f16c")) return 0;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni")
               ? 2
               : 1;
}

// wp_fence makes every access to bytes a failure, in a build with the address sanitizer.
void wp_fence(void *p, int64_t bytes) {
    (void)p, (void)bytes;  // other builds have an empty macro
    ASAN_POISON_MEMORY_REGION(p, bytes);
}

// carve takes bytes from the room, or only counts them while there is none. A fence follows.
static void *carve(uint8_t *room, int64_t *at, int64_t bytes) {
    int64_t begin = *at;
    *at = begin + whole(bytes, 128) + 128;
    if (!room) return NULL;
    wp_fence(room + begin + bytes, *at - begin - bytes);
    return room + begin;
}

static void carve_acts(struct acts *a, uint8_t *room, int64_t *at, int64_t tokens, int64_t width, int floats) {
    int64_t blocks = width / BLOCK;
    a->width = width;
    a->q = carve(room, at, tokens * width);
    a->scale = carve(room, at, tokens * blocks * sizeof *a->scale);
    a->sum = carve(room, at, tokens * blocks * sizeof *a->sum);
    a->excess = carve(room, at, tokens * blocks * sizeof *a->excess);
    a->halves = carve(room, at, tokens * blocks * 2 * sizeof *a->halves);
    a->x = floats ? carve(room, at, tokens * width * sizeof *a->x) : NULL;
}

// wp_room lays out what a pass of so many tokens works in, and returns its size. The sizes of the model are set.
int64_t wp_room(struct model *m, uint8_t *room, int64_t tokens, int hidden_floats) {
    int64_t at = 0;
    m->wide = whole(m->width, BLOCK);
    m->head_room = whole(m->dim, 16);
    int64_t query = whole((int64_t)m->heads * m->dim, GROUP), kv = whole((int64_t)m->kv_heads * m->dim, GROUP);
    m->k_at = query;
    m->v_at = query + kv;
    m->qkv_wide = query + 2 * kv;
    m->layer = carve(room, &at, m->layers * sizeof *m->layer);
    m->own_in = carve(room, &at, m->threads * sizeof *m->own_in);
    m->own_att = carve(room, &at, m->threads * sizeof *m->own_att);
    m->scratch = carve(room, &at, m->threads * sizeof *m->scratch);
    m->x = carve(room, &at, tokens * m->wide * sizeof *m->x);
    m->qkv = carve(room, &at, tokens * m->qkv_wide * sizeof *m->qkv);
    carve_acts(&m->in, room, &at, tokens, m->wide, 1);
    carve_acts(&m->att, room, &at, tokens, query, 1);
    carve_acts(&m->hidden, room, &at, tokens, whole(m->feed, BLOCK), hidden_floats);
    for (int i = 0; i < m->threads; i++) {
        struct acts in = {0}, att = {0};
        carve_acts(&in, room, &at, PRIVATE, m->wide, 1);
        carve_acts(&att, room, &at, PRIVATE, query, 0);
        att.x = m->att.x;  // attention writes it for all
        float *scratch = carve(room, &at, MOST_ROWS * (2 * m->head_room + POSITIONS) * sizeof(float));
        if (!room) continue;
        m->own_in[i] = in;
        m->own_att[i] = att;
        m->scratch[i] = scratch;
    }
    return at;
}

// wp_start makes the threads; not 0 if the system has none left.
int wp_start(struct model *m, int level) {
    m->pass = level == 2 ? pass_avx512 : pass_avx2;
    m->team = team_new(m);
    return m->team == NULL;
}

void wp_end(struct model *m) {
    if (m->team) team_free(m->team);
}

// wp_run runs a pass, and returns whether it was stopped.
int wp_run(struct model *m, const int32_t *tokens, int n, int first, uint16_t *const *blocks, const float *turns,
           float *logits, int rows, const uint32_t *stop) {
    m->job = (struct job){tokens, blocks, turns, logits, stop, n, first, rows, 0};
    team_run(m->team);
    return m->job.stopped;
}

// wp_product computes a matrix times n tokens on the calling thread, for tests of the kernels.
void wp_product(int level, const struct matrix *m, const float *x, int n, float *out) {
    (level == 2 ? product_alone_avx512 : product_alone_avx2)(m, x, n, out);
}
