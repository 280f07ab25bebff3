// A clock that ticks by itself between what the server tells.
import type { Color } from "chessgroundx/types";
import { useEffect, useState } from "preact/hooks";
import type { Clock } from "./game";

const HURRY_SECONDS = 20;
const TICK_MS = 100;

export function ClockFace({ clock, side }: { clock: Clock; side: Color }) {
  const [spent, setSpent] = useState(0);
  const isRunning = clock.running === side;
  useEffect(() => {
    setSpent(0);
    if (!isRunning) return;
    const since = performance.now();
    const ticking = setInterval(() => setSpent((performance.now() - since) / 1000), TICK_MS);
    return () => clearInterval(ticking);
  }, [clock, isRunning]);
  const left = Math.max(0, clock.left_seconds[side] - spent);
  const hurry = left < HURRY_SECONDS ? " hurry" : "";
  return (
    <span class={`clock${isRunning ? " running" : ""}${hurry}`} role="timer" aria-label={`${side}'s clock`}>
      {timeOf(left)}
    </span>
  );
}

export function timeOf(seconds: number): string {
  if (seconds < HURRY_SECONDS) return `0:${(Math.floor(seconds * 10) / 10).toFixed(1).padStart(4, "0")}`;
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}
