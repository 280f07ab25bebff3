// Moving by typing, for whoever has no mouse at hand.
import { useState } from "preact/hooks";

type Props = {
  /** What people call the moves there are, by what the server calls them. */
  legal: Record<string, string>;
  example?: string;
  disabled?: boolean;
  onMove: (move: string) => void;
};

export function TypedMove({ legal, example = "Nf3 or g1f3", disabled = false, onMove }: Props) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.trim() === "" || disabled) return;
    const found = readMove(text, legal);
    setProblem(found === null ? `${text.trim()} is not possible here.` : null);
    if (found === null) return;
    setText("");
    onMove(found);
  };
  return (
    <form class="typed" onSubmit={submit}>
      <label>
        <span>
          Type a move, such as {example}.{" "}
          <span class="refused" role="status">
            {problem}
          </span>
        </span>
        <span class="row">
          <input
            value={text}
            autocomplete="off"
            spellcheck={false}
            maxLength={12}
            onInput={(event) => {
              setText(event.currentTarget.value);
              setProblem(null);
            }}
          />
          <button type="submit" disabled={disabled}>
            Move
          </button>
        </span>
      </label>
    </form>
  );
}

/** The legal move that was meant, if there is just one; capitals matter only where they must
 * (b7 takes c8 or the bishop does). */
function readMove(text: string, legal: Record<string, string>): string | null {
  const typed = bare(text);
  const lower = typed.toLowerCase();
  const spelled = Object.entries(legal);
  const exact = spelled.filter(([move, san]) => move === lower || bare(san) === typed);
  const alike = exact.length > 0 ? exact : spelled.filter(([, san]) => bare(san).toLowerCase() === lower);
  return alike.length === 1 ? alike[0]![0] : null;
}

function bare(text: string): string {
  return text.replace(/[\s+#!?=x-]/g, "").replace(/0/g, "O");
}
