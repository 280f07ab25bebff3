#include "nets/dispatch.h"

#include <cstdlib>
#include <string>
#include <vector>

#include "chess/notation.h"

namespace selfmate {

// The build sets these macros where it compiles kernels.cpp for a processor.
namespace portable {
extern const Kernels kKernels;
}
#if SELFMATE_WITH_AVX2
namespace avx2 {
extern const Kernels kKernels;
}
#endif
#if SELFMATE_WITH_AVX512
namespace avx512 {
extern const Kernels kKernels;
}
#endif

namespace {

using Choice = std::span<const Kernels* const>;

std::vector<const Kernels*> find_kernels() {
  std::vector<const Kernels*> found;
#if SELFMATE_WITH_AVX512
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    found.push_back(&avx512::kKernels);
#endif
#if SELFMATE_WITH_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    found.push_back(&avx2::kKernels);
#endif
  found.push_back(&portable::kKernels);
  return found;
}

// Those of this name and what is slower; all for an empty name.
Choice from_name(Choice all, std::string_view name) {
  if (name.empty()) return all;
  std::string names;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i]->name == name) return all.subspan(i);
    names += (i ? ", " : "") + std::string(all[i]->name);
  }
  throw BadInput("there are no kernels " + std::string(name) + " for this processor; there are " +
                 names);
}

}  // namespace

Choice available_kernels() {
  static const std::vector<const Kernels*> found = find_kernels();
  static const char* name = std::getenv("SELFMATE_KERNELS");
  static const Choice allowed = from_name(found, name ? name : "");
  return allowed;
}

const Kernels& portable_kernels() {
  return portable::kKernels;
}

const Kernels& best_kernels() {
  return *available_kernels().front();
}

const Kernels& kernels_for(int width, std::string_view name) {
  for (const Kernels* kernels : from_name(available_kernels(), name))
    if (width % kernels->lanes == 0) return *kernels;
  return portable_kernels();
}

bool has_fast_kernels() {
  return &best_kernels() != &portable_kernels();
}

}  // namespace selfmate
