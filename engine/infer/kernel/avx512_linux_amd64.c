// The pass by AVX-512 with VNNI. Only functions below the pragma use it, and only after the processor was asked.
#include "model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512vnni,avx2,fma,f16c,prfchw")
#include <immintrin.h>
#define INLINE static inline __attribute__((always_inline))
#define NAME(function) function##_avx512
#define WIDE
#include "vec512.h"
#include "product.h"
#include "ops.h"
#include "attention.h"
#include "pass.h"
