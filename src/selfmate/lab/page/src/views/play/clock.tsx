// A running clock, and the choice of one for a new game.
import type { Color } from "chessgroundx/types";
import { useEffect, useState } from "preact/hooks";
import type { ClockData } from "../../types";
import type { ClockChoice } from "./game";

const HURRY_SECONDS = 20;
const TICK_MS = 100;

export function ClockFace({ clock, side }: { clock: ClockData; side: Color }) {
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

function timeOf(seconds: number): string {
  if (seconds < HURRY_SECONDS) return `0:${(Math.floor(seconds * 10) / 10).toFixed(1).padStart(4, "0")}`;
  const whole = Math.ceil(seconds);
  const minutes = Math.floor(whole / 60);
  const rest = String(whole % 60).padStart(2, "0");
  if (minutes < 60) return `${minutes}:${rest}`;
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}`;
}

type Setting = ClockChoice | null;

const COMMON = [
  { name: "none", title: "No clock", clock: null },
  { name: "3+2", title: "3 minutes + 2 seconds per move", clock: of(3, 2) },
  { name: "10+5", title: "10 minutes + 5 seconds per move", clock: of(10, 5) },
] as const;
const OWN = "own";

export function ClockPicker({ clock, onChoose }: { clock: Setting; onChoose: (clock: Setting) => void }) {
  const common = COMMON.find((one) => same(one.clock, clock));
  const [isOwn, setOwn] = useState(common === undefined);
  const choose = (name: string) => {
    setOwn(name === OWN);
    onChoose(name === OWN ? (clock ?? of(5, 3)) : (COMMON.find((one) => one.name === name)?.clock ?? null));
  };
  return (
    <>
      <label>
        <span>Clock</span>
        <select
          value={isOwn ? OWN : common?.name}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {COMMON.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
          <option value={OWN}>Another ...</option>
        </select>
      </label>
      {isOwn && clock !== null && (
        <div class="line">
          <NumberField label="Minutes" value={clock.minutes} min={0.5} max={180} onChange={(minutes) => onChoose({ ...clock, minutes })} />
          <NumberField label="Seconds per move" value={clock.increment_seconds} min={0} max={180} onChange={(increment_seconds) => onChoose({ ...clock, increment_seconds })} />
        </div>
      )}
    </>
  );
}

type NumberFieldProps = {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
};

function NumberField({ label, value, min, max, onChange }: NumberFieldProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        value={value}
        min={min}
        max={max}
        step="any"
        required
        onInput={(event) => onChange(event.currentTarget.valueAsNumber || 0)}
      />
    </label>
  );
}

function of(minutes: number, increment_seconds: number): NonNullable<Setting> {
  return { minutes, increment_seconds };
}

function same(one: Setting, other: Setting): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
