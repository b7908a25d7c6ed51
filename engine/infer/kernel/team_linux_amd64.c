// The threads of a model, one a core, made once. A pass starts them, and they meet at barriers. Who waits spins for
// about 20 microseconds, which is longer than most waits, and then sleeps, so that neither a third runnable thread nor
// an idle model costs a core. Where another program has a core for itself, the system puts two of the threads on one:
// then who waits sleeps at once, as spinning would only keep the other from running.
#define _GNU_SOURCE
#include "model.h"
#include <immintrin.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A number that only grows, and those who sleep until it does.
struct gate {
    _Alignas(128) _Atomic uint32_t count;
    _Atomic int32_t asleep;
};

// The processor that a thread was seen on when it last waited or came to a barrier.
struct place {
    _Alignas(128) _Atomic int cpu;
};

struct team {
    struct gate start, met;
    _Alignas(128) _Atomic int32_t arrived;
    struct model *model;
    int threads, made;
    _Atomic int quit;
    pthread_t *list;
    struct place *places;
};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

enum { SPIN_NS = 20000, LOOKS = 32 };

static int here(struct team *t, int thread) {
    int cpu = sched_getcpu();
    atomic_store_explicit(&t->places[thread].cpu, cpu, memory_order_relaxed);
    return cpu;
}

// crowded reports whether another thread of the team was last seen on the same processor.
static int crowded(struct team *t, int thread) {
    int cpu = here(t, thread);
    for (int i = 0; i < t->threads; i++)
        if (i != thread && atomic_load_explicit(&t->places[i].cpu, memory_order_relaxed) == cpu) return 1;
    return 0;
}

// wait_past returns when the gate's count is no longer seen.
static void wait_past(struct team *t, int thread, struct gate *g, uint32_t seen) {
    int64_t until = 0;
    while (!crowded(t, thread)) {
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&g->count, memory_order_acquire) != seen) return;
            _mm_pause();
        }
        int64_t time = now();
        if (until == 0) until = time + SPIN_NS;
        if (time > until) break;
    }
    // Sequentially consistent, as is the pair in open_gate: either the opener sees the sleeper, or the kernel sees
    // the new count and does not let it sleep.
    atomic_fetch_add(&g->asleep, 1);
    while (atomic_load(&g->count) == seen) syscall(SYS_futex, &g->count, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&g->asleep, 1);
}

static void open_gate(struct gate *g) {
    atomic_fetch_add(&g->count, 1);
    if (atomic_load(&g->asleep) > 0) syscall(SYS_futex, &g->count, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

// team_meet returns when all threads of the team have called it.
void team_meet(struct team *t, int thread) {
    if (t->threads == 1) return;
    here(t, thread);
    uint32_t seen = atomic_load_explicit(&t->met.count, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&t->arrived, 1, memory_order_acq_rel) + 1 < t->threads) {
        wait_past(t, thread, &t->met, seen);
        return;
    }
    atomic_store_explicit(&t->arrived, 0, memory_order_relaxed);
    open_gate(&t->met);
}

struct member {
    struct team *team;
    int thread;
};

static void *work(void *arg) {
    struct member me = *(struct member *)arg;
    free(arg);
    for (uint32_t seen = 0;; seen++) {
        wait_past(me.team, me.thread, &me.team->start, seen);
        if (atomic_load(&me.team->quit)) return NULL;
        me.team->model->pass(me.team->model, me.thread);
        team_meet(me.team, me.thread);
    }
}

// run_alone runs a pass on the calling thread; the others go on sleeping.
static void run_alone(struct model *m) {
    int threads = m->threads;
    m->threads = 1;
    m->pass(m, 0);
    m->threads = threads;
}

// team_run runs the model's pass on all threads; the caller is thread 0.
void team_run(struct team *t) {
    if (t->model->light && t->model->job.n == 1) {
        run_alone(t->model);
        return;
    }
    if (t->threads > 1) open_gate(&t->start);
    t->model->pass(t->model, 0);
    team_meet(t, 0);
}

void team_free(struct team *t) {
    atomic_store(&t->quit, 1);
    open_gate(&t->start);
    for (int i = 0; i < t->made; i++) pthread_join(t->list[i], NULL);
    free(t->list);
    free(t->places);
    free(t);
}

// team_new returns NULL if the system has no more threads.
struct team *team_new(struct model *m) {
    struct team *t = aligned_alloc(128, (sizeof *t + 127) / 128 * 128);
    if (!t) return NULL;
    *t = (struct team){.model = m, .threads = m->threads};
    t->list = calloc(m->threads, sizeof *t->list);
    t->places = aligned_alloc(128, m->threads * sizeof *t->places);
    for (int i = 0; t->places && i < m->threads; i++) t->places[i].cpu = -1;
    for (int i = 1; t->list && t->places && i < m->threads; i++, t->made++) {
        struct member *who = malloc(sizeof *who);
        if (!who) break;
        *who = (struct member){t, i};
        if (pthread_create(&t->list[t->made], NULL, work, who)) {
            free(who);
            break;
        }
    }
    if (t->list && t->places && t->made == m->threads - 1) return t;
    team_free(t);
    return NULL;
}
