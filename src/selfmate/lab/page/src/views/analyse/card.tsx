// One player's opinion: what it would play, how it likes the position, and for whom.
import { Chances, chancesInWords } from "../../chances";
import { percent } from "../../numbers";
import type { Offer } from "../../players";
import { PlayerPicker } from "../../players";
import { Problem } from "../../problem";
import { useOpinion } from "./thought";
import type { Desk, Judgement, JudgedMove, Thought } from "./types";

export const COLOURS = ["green", "blue", "yellow", "red"];

type CardProps = {
  desk: Desk;
  offers: Offer[];
  player: string;
  colour: string;
  number: number;
  onChoose: (player: string) => void;
  onRemove: () => void;
  onThought: (thought: Thought | null) => void;
  onMove: (uci: string) => void;
};

export function Card(props: CardProps) {
  const { desk, player, number } = props;
  const { thought, problem, thinking } = useOpinion(desk, player, props.onThought);
  return (
    <section class={`card opinion ${props.colour}`} aria-label={`Player ${number}`}>
      <div class="line who">
        <PlayerPicker
          offers={props.offers}
          label={`Player ${number}`}
          name={player}
          onChoose={props.onChoose}
        />
        <button class="remove" onClick={props.onRemove} aria-label={`Remove player ${number}`}>
          ✕
        </button>
      </div>
      <Problem text={problem} />
      {thinking && thought === null && <p class="quiet">Thinking ...</p>}
      {thought && (
        <fieldset class="thought" disabled={thinking} aria-busy={thinking}>
          <Opinion desk={desk} thought={thought} onMove={props.onMove} />
        </fieldset>
      )}
      {desk.ending !== null && <p class="quiet">Nothing is left to decide.</p>}
    </section>
  );
}

type OpinionProps = { desk: Desk; thought: Thought; onMove: (uci: string) => void };

function Opinion({ desk, thought, onMove }: OpinionProps) {
  const effort = [
    thought.depth !== null && `${thought.depth} plies deep`,
    thought.nodes !== null && `${thought.nodes.toLocaleString("en")} positions looked at`,
  ].filter(Boolean);
  return (
    <>
      <Verdict thought={thought} turn={desk.turn} />
      <MoveBars moves={thought.moves} onMove={onMove} />
      {thought.legal_mass !== null && <Lawful mass={thought.legal_mass} />}
      {thought.line.length > 1 && <p class="variation">{numbered(thought.line, desk.fen)}</p>}
      {effort.length > 0 && <p class="quiet effort">{effort.join(", ")}</p>}
    </>
  );
}

function Verdict({ thought, turn }: { thought: Thought; turn: Desk["turn"] }) {
  const mover = turn === "white" ? "White" : "Black";
  const white = inWords(thought.white);
  if (white === null) return <p class="verdict quiet">It does not say who is better.</p>;
  return (
    <div class="verdict">
      <p>
        White: <b>{white}</b>
        {turn === "black" && <span class="quiet"> (Black, to move: {inWords(thought.mover)})</span>}
      </p>
      {thought.white.wdl && (
        <Chances shares={thought.white.wdl} words={chancesInWords(thought.white.wdl)} />
      )}
      {thought.mover.wdl && (
        <p class="quiet small">
          {mover} to move: {thought.mover.wdl.map(percent).join(" / ")} win, draw, loss
        </p>
      )}
    </div>
  );
}

/** Nobody tells it the rules: what it would try if it might. */
function Lawful({ mass }: { mass: number }) {
  return (
    <p class="quiet small">
      Legal mass {percent(mass)}: of all moves there are, so likely it picks a legal one.
    </p>
  );
}

function inWords(view: Judgement): string | null {
  if (view.mate_in !== null)
    return view.mate_in > 0 ? `mates in ${view.mate_in}` : `is mated in ${-view.mate_in}`;
  if (view.pawns !== null) return `${view.pawns > 0 ? "+" : ""}${view.pawns.toFixed(2)} pawns`;
  if (view.wdl !== null) return `${percent(view.wdl[0] + view.wdl[1] / 2)} of the points`;
  return null;
}

/** As chess programs write it. */
function inNumbers(view: Judgement): string | null {
  if (view.mate_in !== null) return `#${view.mate_in}`;
  if (view.pawns === null) return null;
  const tenths = Math.round(10 * view.pawns) / 10 || 0; // no minus before nothing
  return `${tenths > 0 ? "+" : ""}${tenths.toFixed(1)}`;
}

function MoveBars({ moves, onMove }: { moves: JudgedMove[]; onMove: (uci: string) => void }) {
  const most = Math.max(...moves.map((move) => move.probability ?? 0));
  const searched = moves.some((move) => move.visits !== null);
  return (
    <ol class={searched ? "bars searched" : most > 0 ? "bars" : "bars scores"}>
      <li class="quiet small">
        <span>Move</span>
        <span>{searched ? "Visits" : most > 0 ? "How likely it plays it" : "How good, for White"}</span>
        {searched && <span class="number">For White</span>}
      </li>
      {moves.slice(0, 6).map((move) => (
        <li key={move.uci}>
          <button onClick={() => onMove(move.uci)} aria-label={`Play ${move.san}`}>
            {move.san}
          </button>
          {move.probability !== null && (
            <span class="track">
              <i style={{ width: `${(100 * move.probability) / most}%` }} />
            </span>
          )}
          <span class="number">
            {move.visits !== null
              ? move.visits.toLocaleString("en")
              : move.probability !== null
                ? percent(move.probability)
                : move.white && inWords(move.white)}
          </span>
          {searched && <span class="number">{move.white && inNumbers(move.white)}</span>}
        </li>
      ))}
    </ol>
  );
}

/** 12. Nf3 Nc6 13. Bb5 */
function numbered(sans: string[], fen: string): string {
  const fields = fen.split(" ");
  const first = 2 * (Number(fields[5] ?? 1) - 1) + (fields[1] === "b" ? 1 : 0);
  return sans
    .map((san, at) => {
      const ply = first + at;
      const number = Math.floor(ply / 2) + 1;
      if (ply % 2 === 0) return `${number}. ${san}`;
      return at === 0 ? `${number}... ${san}` : san;
    })
    .join(" ");
}
