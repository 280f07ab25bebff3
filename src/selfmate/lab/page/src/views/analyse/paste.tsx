// A position or games to analyse: typed, pasted or from a file.
import { useState } from "preact/hooks";
import { count } from "../../format";
import { Problem } from "../../problem";
import type { PastedGames, PastedGame } from "../../types";

const MAX_CHARACTERS = 500_000;

type PasteProps = {
  pasted: PastedGames | null;
  game: PastedGame | null;
  onRead: (text: string) => Promise<boolean>;
  onOpen: (game: PastedGame) => void;
};

export function Paste({ pasted, game, onRead, onOpen }: PasteProps) {
  const [text, setText] = useState("");
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (found: string) => {
    const tooLong = found.length > MAX_CHARACTERS;
    setProblem(tooLong ? `That is too long: ${MAX_CHARACTERS.toLocaleString("en")} characters at most.` : null);
    if (!tooLong && (await onRead(found))) setText("");
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void read(text);
  };
  return (
    <form class="paste" onSubmit={submit}>
      <label>
        <span>A position (FEN) or games (PGN)</span>
        <textarea
          rows={2}
          value={text}
          spellcheck={false}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="line">
        <button disabled={!text.trim()}>Show</button>
        <label class="button file">
          <span>Open a PGN file</span>
          <input
            type="file"
            accept=".pgn,.txt"
            onChange={async (event) => {
              const file = event.currentTarget.files?.[0];
              event.currentTarget.value = "";
              if (file) await read(await file.slice(0, 4 * MAX_CHARACTERS + 4).text());
            }}
          />
        </label>
      </div>
      <Problem text={problem} />
      {pasted && pasted.games.length > 1 && (
        <label>
          <span>{count(pasted.games.length, "games")}</span>
          <select
            value={game === null ? 0 : pasted.games.indexOf(game)}
            onChange={(event) => onOpen(pasted.games[Number(event.currentTarget.value)]!)}
          >
            {pasted.games.map((one, at) => (
              <option key={at} value={at}>
                {at + 1}. {one.title}
              </option>
            ))}
          </select>
        </label>
      )}
      {pasted?.left_out.map((reason) => <p key={reason} class="quiet">{reason}</p>)}
    </form>
  );
}
