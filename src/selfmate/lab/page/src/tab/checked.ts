import type { Module } from "selfmate-core";

/** The result of a call that may fail, or an Error with the core's sentence. */
export function checked<Result>(module: Module, call: () => Result): Result {
  const result = call();
  const problem = module.lastError();
  if (problem) throw new Error(problem);
  return result;
}
