// Beside the board: what is going on, what the player thinks, the moves, and what can be done.
import type { ComponentChildren } from "preact";
import { Moves, Steps } from "../../moves";
import { resultText } from "../../numbers";
import { Problem } from "../../problem";
import { type Game, opposite } from "./game";
import { Judgement, Minded, thoughtAt } from "./thinking";
import type { Title } from "./titles";

type Props = {
  game: Game;
  shown: number;
  titles: Record<"white" | "black", Title>;
  showsThoughts: boolean;
  hint: string | null;
  problem: string | null;
  onGo: (to: number) => void;
  onStep: (by: number) => void;
  onShowThoughts: (shows: boolean) => void;
  onAgain: () => void;
  onOtherColour: () => void;
  onRetry: () => void;
  children: ComponentChildren;
};

export function Panel(props: Props) {
  const { game, shown, hint } = props;
  const ply = thoughtAt(game, shown);
  return (
    <section class="panel card" aria-label="Game">
      <div class={`status${game.end ? " over" : ""}`} role="status">
        {game.end ? <End {...props} /> : <p>{hint ?? happening(game, props.titles)}</p>}
      </div>
      {game.problem !== null && (
        <div class="failed">
          <Problem text={game.problem} />
          <button type="button" onClick={props.onRetry}>
            Ask it again
          </button>
        </div>
      )}
      <Problem text={props.problem} />
      <div class="mind">
        {ply !== null && <Judgement ply={ply} name={props.titles[ply.side].name} />}
        <label class="switch">
          <input
            type="checkbox"
            checked={props.showsThoughts}
            onChange={(event) => props.onShowThoughts(event.currentTarget.checked)}
          />
          <span>Show what {game.person ? "it thinks" : "they think"}</span>
        </label>
        {props.showsThoughts && ply !== null && <Minded ply={ply} name={props.titles[ply.side].name} />}
        {props.showsThoughts && ply === null && <p class="quiet">{silence(game, shown)}</p>}
      </div>
      <Moves
        start={game.start.fen}
        sans={game.moves.map((ply) => ply.san)}
        shown={shown}
        empty="No moves yet."
        onGo={props.onGo}
      />
      <Steps shown={shown} last={game.moves.length} onStep={props.onStep} />
      {props.children}
    </section>
  );
}

function End({ game, onAgain, onOtherColour }: Props) {
  return (
    <>
      <p class="result">
        <span class="score">{resultText(game.end!.score)}</span> {game.end!.words}
      </p>
      <div class="line">
        <button type="button" class="main" onClick={onAgain}>
          {game.person ? "Rematch" : "Watch another"}
        </button>
        {game.person !== null && (
          <button type="button" onClick={onOtherColour}>
            Play {opposite(game.person)}
          </button>
        )}
      </div>
    </>
  );
}

function happening(game: Game, titles: Props["titles"]): string {
  const last = game.moves.at(-1);
  const said = last && last.side !== game.person ? `${titles[last.side].name} played ${last.san}. ` : "";
  if (game.turn === game.person) return `${said}${game.moves.at(-1)?.check ? "Check! " : ""}Your move.`;
  if (game.person === null) return said || `${titles.white.name} against ${titles.black.name}.`;
  return `${titles[game.turn].name} is thinking ...`;
}

function silence(game: Game, shown: number): string {
  const made = game.moves.slice(0, shown).some((ply) => ply.side !== game.person);
  return made ? "It moved without giving a reason." : "It has not moved yet.";
}
