// The pass by AVX2. Only functions below the pragma use it, and only after the processor was asked.
#include "model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#pragma GCC target("avx2,fma,f16c")
#include <immintrin.h>
#define INLINE static inline __attribute__((always_inline))
#define NAME(function) function##_avx2
#include "vec256.h"
#include "product.h"
#include "ops.h"
#include "attention.h"
#include "pass.h"
