// No clock, a usual one, or one's own.
import { useState } from "preact/hooks";
import type { Choice } from "./game";

type Setting = Choice["clock"];

const USUAL = [
  { name: "none", title: "No clock", clock: null },
  { name: "3+2", title: "3 minutes, and 2 seconds a move", clock: of(3, 2) },
  { name: "10+5", title: "10 minutes, and 5 seconds a move", clock: of(10, 5) },
] as const;
const OWN = "own";

export function ClockPicker({ clock, onChoose }: { clock: Setting; onChoose: (clock: Setting) => void }) {
  const usual = USUAL.find((one) => same(one.clock, clock));
  const [isOwn, setOwn] = useState(usual === undefined);
  const choose = (name: string) => {
    setOwn(name === OWN);
    onChoose(name === OWN ? (clock ?? of(5, 3)) : (USUAL.find((one) => one.name === name)?.clock ?? null));
  };
  return (
    <>
      <label>
        <span>Clock</span>
        <select
          value={isOwn ? OWN : usual?.name}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {USUAL.map((one) => (
            <option key={one.name} value={one.name}>
              {one.title}
            </option>
          ))}
          <option value={OWN}>Another ...</option>
        </select>
      </label>
      {isOwn && clock !== null && (
        <div class="line">
          <Figure label="Minutes" value={clock.minutes} least={0.5} most={180} onChange={(minutes) => onChoose({ ...clock, minutes })} />
          <Figure label="Seconds a move" value={clock.increment_seconds} least={0} most={180} onChange={(increment_seconds) => onChoose({ ...clock, increment_seconds })} />
        </div>
      )}
    </>
  );
}

type FigureProps = {
  label: string;
  value: number;
  least: number;
  most: number;
  onChange: (value: number) => void;
};

function Figure({ label, value, least, most, onChange }: FigureProps) {
  return (
    <label>
      <span>{label}</span>
      <input
        type="number"
        value={value}
        min={least}
        max={most}
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
