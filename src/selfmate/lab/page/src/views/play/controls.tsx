// The buttons of a game.
import { useState } from "preact/hooks";
import type { Game } from "./game";
import { copyPgn, downloadPgn } from "./pgn";
import { PACES, type Pace, type Watching } from "./use_watching";

type Props = {
  game: Game;
  busy: boolean;
  onHint: () => void;
  onBack: () => void;
  onFlip: () => void;
  onResign: () => void;
  onNew: () => void;
  /** Where the game can be analysed. */
  analysis: string;
  onProblem: (sentence: string) => void;
};

export function Controls(props: Props) {
  const { game, busy } = props;
  const isMine = game.turn === game.person && game.end === null;
  const hasMoved = game.moves.some((ply) => ply.side === game.person);
  const flip = (
    <button type="button" onClick={props.onFlip}>
      Flip
    </button>
  );
  return (
    <div class="controls" role="group" aria-label="What to do">
      {game.person !== null && (
        <div>
          <button type="button" disabled={!isMine || busy} onClick={props.onHint}>
            Hint
          </button>
          <button type="button" disabled={!hasMoved} onClick={props.onBack}>
            Take back
          </button>
          <button type="button" disabled={game.end !== null} onClick={props.onResign}>
            Resign
          </button>
          {flip}
        </div>
      )}
      <div>
        {game.person === null && flip}
        <button type="button" onClick={props.onNew}>
          New game
        </button>
        <a class="button" href={props.analysis}>
          Analyse
        </a>
        <CopyButton game={game} onProblem={props.onProblem} />
        <button type="button" onClick={() => downloadPgn(game)}>
          Download PGN
        </button>
      </div>
    </div>
  );
}

function CopyButton({ game, onProblem }: { game: Game; onProblem: (sentence: string) => void }) {
  const [copied, setCopied] = useState<string | null>(null);
  const copy = () =>
    copyPgn(game).then(
      () => setCopied(game.pgn),
      (error: Error) => onProblem(error.message),
    );
  return (
    <button type="button" onClick={copy}>
      {copied === game.pgn ? "Copied" : "Copy PGN"}
    </button>
  );
}

export function WatchControls({ watching, onStep }: { watching: Watching; onStep: () => void }) {
  return (
    <div class="watching" role="group" aria-label="Pace">
      <button type="button" onClick={() => watching.setPaused(!watching.isPaused)}>
        {watching.isPaused ? "Go on" : "Pause"}
      </button>
      <button type="button" disabled={!watching.isPaused || !watching.isWaiting} onClick={onStep}>
        Step
      </button>
      <label>
        <span>Pace</span>
        <select
          value={watching.pace}
          onChange={(event) => watching.setPace(event.currentTarget.value as Pace)}
        >
          {Object.keys(PACES).map((pace) => (
            <option key={pace}>{pace}</option>
          ))}
        </select>
      </label>
    </div>
  );
}
