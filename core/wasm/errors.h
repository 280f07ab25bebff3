// Errors of the core on their way to JavaScript.
//
// They are not thrown through the calls: memory of a call's arguments would be lost. The sentence
// is kept, and core.ts asks for it after each call that may fail.
#pragma once

#include <emscripten/val.h>

#include <exception>
#include <new>
#include <string>

namespace selfmate::wasm {

// Why the last call failed; empty if it did not.
inline std::string last_error;

// What a call that failed returns.
template <class Result>
Result no_result() {
  if constexpr (std::is_same_v<Result, emscripten::val>)
    return emscripten::val::undefined();
  else
    return Result();
}

template <auto F>
struct Guard;
template <class Result, class... Arguments, Result (*F)(Arguments...)>
struct Guard<F> {
  static Result call(Arguments... arguments) {
    last_error.clear();
    try {
      return F(arguments...);
    } catch (const std::bad_alloc&) {
      last_error = "the browser has no more memory for this tab";
    } catch (const std::exception& error) {
      last_error = error.what();
    }
    return no_result<Result>();
  }
};

// The function F, whose exceptions become `last_error`.
template <auto F>
inline constexpr auto guarded = &Guard<F>::call;

}  // namespace selfmate::wasm
