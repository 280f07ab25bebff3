// What a run has said: alarms with what to do about them, and the rest.
import type { Note, Run } from "./types";

const RECENT_STEPS = 20;

/** Alarms of the last steps: an alarm is given when it begins, not in every step. */
export function Alarms({ run }: { run: Run }) {
  const since = (run.step ?? 0) - RECENT_STEPS;
  const alarms = (run.notes ?? []).filter((note) => note.alarm && note.step > since);
  if (alarms.length === 0) return null;
  return (
    <section class="alarms" aria-label="Alarms">
      {alarms.slice(0, 3).map((note) => (
        <p key={`${note.step} ${note.text}`} role="alert">
          {note.text}
        </p>
      ))}
    </section>
  );
}

export function Notes({ notes }: { notes: Note[] }) {
  if (notes.length === 0) return null;
  return (
    <details class="card notes" open>
      <summary>Notes ({notes.length})</summary>
      <ol>
        {notes.map((note) => (
          <li key={`${note.step} ${note.text}`} class={note.alarm ? "alarm" : ""}>
            <small>step {note.step}</small> {note.text}
          </li>
        ))}
      </ol>
    </details>
  );
}
