// A move by keyboard, as people write it.
import { useState } from "preact/hooks";

export function TypedMove({ onMove }: { onMove: (text: string) => Promise<boolean> }) {
  const [text, setText] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    if (text.trim() && (await onMove(text.trim()))) setText("");
  };
  return (
    <form class="line typed" onSubmit={submit}>
      <label>
        <span>A move, such as Nf3 or e2e4</span>
        <input
          value={text}
          maxLength={12}
          autocomplete="off"
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button>Play</button>
    </form>
  );
}
