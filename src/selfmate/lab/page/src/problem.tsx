// Errors as sentences, shown where they happened.
import { useState } from "preact/hooks";

export function Problem({ text }: { text: string | null }) {
  return text === null ? null : (
    <p class="problem" role="alert">
      {text}
    </p>
  );
}

/** Runs what may be refused; `problem` is why the last one was, or what was complained of. `busy` while one runs. */
export function useAttempt() {
  const [problem, setProblem] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  async function attempt<Answer>(work: () => Promise<Answer>): Promise<Answer | null> {
    setBusy(true);
    setProblem(null);
    try {
      return await work();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return null;
    } finally {
      setBusy(false);
    }
  }
  return { problem, busy, attempt, complain: setProblem };
}
