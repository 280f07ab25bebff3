// What is shown: whose values, on which board, of which piece.
import { Choice } from "../../choice";
import type { RunRow } from "../../runs";
import type { Shown } from "./types";

export const SIZES = [4, 5, 6];
const SHOWN: [Shown, string][] = [
  ["all", "All moves"],
  ["K", "King"],
  ["Q", "Queen"],
  ["enemy", "Lone king"],
];

type ControlsProps = {
  runs: RunRow[];
  run: string | null;
  size: number;
  onRun: (run: string | null) => void;
  onSize: (size: number) => void;
};

export function Controls({ runs, run, size, onRun, onSize }: ControlsProps) {
  return (
    <div class="line controls">
      <label>
        <span>Learned values of</span>
        <select value={run ?? ""} onChange={(event) => onRun(event.currentTarget.value || null)}>
          <option value="">nobody, exact values only</option>
          {runs.map((row) => (
            <option key={row.name} value={row.name}>
              {row.name} ({row.state})
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Board</span>
        <select value={size} onChange={(event) => onSize(Number(event.currentTarget.value))}>
          {SIZES.map((one) => (
            <option key={one} value={one}>
              {one} x {one}
            </option>
          ))}
        </select>
      </label>
    </div>
  );
}

export function ShownChoice({ shown, onShow }: { shown: Shown; onShow: (shown: Shown) => void }) {
  return (
    <Choice legend="Colours show" options={SHOWN} value={shown} onChoose={onShow} />
  );
}
