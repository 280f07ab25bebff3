// The buttons of a game: hint, take back, PGN, and the pace of a watched game.
import { useEffect, useState } from "preact/hooks";
import { download } from "../../download";
import type { GameData } from "../../types";

type Props = {
  game: GameData;
  busy: boolean;
  onHint: () => void;
  onBack: () => void;
  onFlip: () => void;
  /** Where a draw can be offered. */
  onDraw: (() => void) | undefined;
  onResign: () => void;
  onNew: () => void;
  /** To the same game in the Analyse view, where there is one. */
  analysisLink: string | undefined;
  onProblem: (message: string) => void;
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
    <div class="controls" role="group" aria-label="Game controls">
      {game.person !== null && (
        <div>
          <button type="button" disabled={!isMine || busy} onClick={props.onHint}>
            Hint
          </button>
          <button type="button" disabled={!hasMoved} onClick={props.onBack}>
            Take back
          </button>
          {props.onDraw !== undefined && (
            <button type="button" disabled={!isMine || busy || game.draw_declined} onClick={props.onDraw}>
              {game.draw_declined ? "Draw declined" : "Offer draw"}
            </button>
          )}
          <Resign key={game.moves.length} disabled={game.end !== null} onResign={props.onResign} />
          {flip}
        </div>
      )}
      <div>
        {game.person === null && flip}
        <button type="button" onClick={props.onNew}>
          New game
        </button>
        {props.analysisLink !== undefined && (
          <a class="button" href={props.analysisLink}>
            Analyse
          </a>
        )}
        <CopyButton game={game} onProblem={props.onProblem} />
        <button type="button" onClick={() => downloadPgn(game)}>
          Download PGN
        </button>
      </div>
    </div>
  );
}

/** Asks again before the game is given up. */
function Resign({ disabled, onResign }: { disabled: boolean; onResign: () => void }) {
  const [isAsking, setAsking] = useState(false);
  if (!isAsking || disabled)
    return (
      <button type="button" disabled={disabled} onClick={() => setAsking(true)}>
        Resign
      </button>
    );
  return (
    <>
      <button type="button" class="danger" autoFocus onClick={onResign}>
        Yes, resign
      </button>
      <button type="button" onClick={() => setAsking(false)}>
        Play on
      </button>
    </>
  );
}

function CopyButton({ game, onProblem }: { game: GameData; onProblem: (message: string) => void }) {
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

const PACES = { slow: 2500, normal: 1000, fast: 250 } as const;
type Pace = keyof typeof PACES;

export function useWatching(game: GameData, step: () => void) {
  const [isPaused, setPaused] = useState(false);
  const [pace, setPace] = useState<Pace>("normal");
  const isWaiting =
    game.person === null && game.end === null && !game.thinking && game.problem === null;
  useEffect(() => {
    if (!isWaiting || isPaused) return;
    const waiting = setTimeout(step, PACES[pace]);
    return () => clearTimeout(waiting);
  }, [isWaiting, isPaused, pace, game.version]);
  return { isPaused, setPaused, pace, setPace, isWaiting };
}

type Watching = ReturnType<typeof useWatching>;

export function WatchControls({ watching, onStep }: { watching: Watching; onStep: () => void }) {
  return (
    <div class="watching" role="group" aria-label="Pace">
      <button type="button" onClick={() => watching.setPaused(!watching.isPaused)}>
        {watching.isPaused ? "Continue" : "Pause"}
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

function copyPgn(game: GameData): Promise<void> {
  return navigator.clipboard.writeText(game.pgn).catch(() => {
    throw new Error("The browser does not let us copy here; download the game instead.");
  });
}

function downloadPgn(game: GameData): void {
  download(new Blob([game.pgn], { type: "application/x-chess-pgn" }), fileName(game));
}

/** Such as selfmate-2026-11-16-random.pgn */
function fileName(game: GameData): string {
  const date = /\[Date "([\d.]+)"\]/.exec(game.pgn)?.[1]?.replaceAll(".", "-") ?? "game";
  const player = game.names[game.person === "white" ? "black" : "white"];
  return `selfmate-${date}-${player.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "")}.pgn`;
}
