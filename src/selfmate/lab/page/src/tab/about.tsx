// What the tab takes, and that its rules are right.
import { useState } from "preact/hooks";
import { whole } from "../format";
import { Problem, useAttempt } from "../problem";
import { ask } from "./client";
import type { TrainingData } from "./protocol";

const DEPTH = 5;
const MEGABYTE = 2 ** 20;

export function About({ memory }: { memory: TrainingData["memory"] }) {
  const { problem, busy, attempt } = useAttempt();
  const [counted, setCounted] = useState<{ nodes: number; seconds: number } | null>(null);
  const check = async () => setCounted(await attempt(() => ask("perft", { depth: DEPTH })));
  return (
    <section class="card about" aria-label="About">
      <p class="memory">
        Memory: <b>{megabytes(memory.usedBytes)}</b> in use, {megabytes(memory.heapBytes)} reserved.
      </p>
      <div class="line">
        <button disabled={busy} onClick={() => void check()}>
          Check the rules
        </button>
        <span class="quiet" role="status">
          {counted === null
            ? `Counts the positions after ${DEPTH} plies (perft ${DEPTH}): there are 4,865,609.`
            : `${whole(counted.nodes)} positions after ${DEPTH} plies, in ${counted.seconds.toFixed(2)} s.`}
        </span>
      </div>
      <Problem text={problem} />
    </section>
  );
}

function megabytes(bytes: number): string {
  return `${(bytes / MEGABYTE).toFixed(1)} MB`;
}
