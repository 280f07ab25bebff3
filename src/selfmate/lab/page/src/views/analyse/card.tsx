// One player's analysis: its moves, its judgement, and for which side.
import { count, percent } from "../../format";
import { PlayerPicker } from "../../players";
import { Problem } from "../../problem";
import type { Judgement, Offer, PositionAnalysis, PositionData, RankedMove } from "../../types";
import { WdlBar, wdlText } from "../../wdl";
import { useAnalysis } from "./players";

type CardProps = {
  position: PositionData;
  offers: Offer[];
  player: string;
  colour: string;
  number: number;
  onChoose: (player: string) => void;
  onRemove: () => void;
  onAnalysis: (analysis: PositionAnalysis | null) => void;
  onMove: (uci: string) => void;
};

export function Card(props: CardProps) {
  const { position, player, number } = props;
  const { analysis, problem, thinking } = useAnalysis(position, player, props.onAnalysis);
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
      {thinking && analysis === null && <p class="quiet">Thinking ...</p>}
      {analysis && (
        <fieldset class="analysis" disabled={thinking} aria-busy={thinking}>
          <Details position={position} analysis={analysis} onMove={props.onMove} />
        </fieldset>
      )}
      {position.ending !== null && <p class="quiet">Nothing is left to analyse.</p>}
    </section>
  );
}

type DetailsProps = { position: PositionData; analysis: PositionAnalysis; onMove: (uci: string) => void };

function Details({ position, analysis, onMove }: DetailsProps) {
  const effort = [
    analysis.depth && `${count(analysis.depth, "plies")} deep`,
    analysis.nodes && `${count(analysis.nodes, "positions")} searched`,
  ].filter(Boolean);
  return (
    <>
      <Verdict analysis={analysis} turn={position.turn} />
      <MoveBars moves={analysis.moves} onMove={onMove} />
      {analysis.legal_mass !== null && <LegalMass mass={analysis.legal_mass} />}
      <Lines position={position} analysis={analysis} />
      {effort.length > 0 && <p class="quiet effort">{effort.join(", ")}</p>}
    </>
  );
}

const MAX_LINES = 3;

/** The best lines, each with its score; a player that names one line has one. */
function Lines({ position, analysis }: { position: PositionData; analysis: PositionAnalysis }) {
  const lines = analysis.moves.filter((move) => move.line.length > 1).slice(0, MAX_LINES);
  if (lines.length < 2)
    return analysis.line.length > 1 ? <p class="variation">{numbered(analysis.line, position.fen)}</p> : null;
  return (
    <ol class="lines" aria-label="Lines">
      {lines.map((move) => (
        <li key={move.uci} class="variation">
          {move.white && <b>{scoreText(move.white)}</b>} {numbered(move.line, position.fen)}
        </li>
      ))}
    </ol>
  );
}

function Verdict({ analysis, turn }: { analysis: PositionAnalysis; turn: PositionData["turn"] }) {
  const mover = turn === "white" ? "White" : "Black";
  const white = judgementText(analysis.white);
  if (white === null) return <p class="verdict quiet">It does not judge the position.</p>;
  return (
    <div class="verdict">
      <p>
        White: <b>{white}</b>
        {turn === "black" && <span class="quiet"> (Black, to move: {judgementText(analysis.mover)})</span>}
      </p>
      {analysis.white.wdl ? (
        <WdlBar shares={analysis.white.wdl} label={wdlText(analysis.white.wdl)} />
      ) : (
        analysis.white.points !== null && <PointsBar points={analysis.white.points} />
      )}
      {analysis.mover.wdl && (
        <p class="quiet small">
          {mover} to move: {analysis.mover.wdl.map(percent).join(" / ")} win, draw, loss
        </p>
      )}
    </div>
  );
}

/** Of a player that gives a score and no chances of draws. */
function PointsBar({ points }: { points: number }) {
  return <WdlBar shares={[points, 0, 1 - points]} label={`White expects ${percent(points)} of the points`} />;
}

/** Of a net that is not told the rules: how likely its policy picks a legal move. */
function LegalMass({ mass }: { mass: number }) {
  return (
    <p class="quiet small">
      Legal mass {percent(mass)}: the probability of all legal moves together.
    </p>
  );
}

function judgementText(view: Judgement): string | null {
  if (view.mate_in !== null)
    return view.mate_in > 0 ? `mates in ${view.mate_in}` : `is mated in ${-view.mate_in}`;
  if (view.pawns !== null) return `${view.pawns > 0 ? "+" : ""}${view.pawns.toFixed(2)} pawns`;
  if (view.wdl !== null) return `${percent(view.wdl[0] + view.wdl[1] / 2)} of the points`;
  return null;
}

/** In the notation of chess programs. */
function scoreText(view: Judgement): string | null {
  if (view.mate_in !== null) return `#${view.mate_in}`;
  if (view.pawns === null) return null;
  const tenths = Math.round(10 * view.pawns) / 10 || 0; // no minus before zero
  return `${tenths > 0 ? "+" : ""}${tenths.toFixed(1)}`;
}

function MoveBars({ moves, onMove }: { moves: RankedMove[]; onMove: (uci: string) => void }) {
  const highest = Math.max(...moves.map((move) => move.probability ?? 0));
  const searched = moves.some((move) => move.visits !== null);
  const shown = moves.filter((move) => move.visits !== 0 || move.line.length > 1);
  return (
    <ol class={searched ? "bars searched" : highest > 0 ? "bars" : "bars scores"}>
      <li class="quiet small">
        <span>Move</span>
        <span>{searched ? "Visits" : highest > 0 ? "Probability" : "Score for White"}</span>
        {searched && <span class="number">For White</span>}
      </li>
      {shown.slice(0, 6).map((move) => (
        <li key={move.uci}>
          <button onClick={() => onMove(move.uci)} aria-label={`Play ${move.san}`}>
            {move.san}
          </button>
          {move.probability !== null && (
            <span class="track">
              <i style={{ width: `${100 * move.probability}%` }} />
            </span>
          )}
          <span class="number">
            {move.visits !== null
              ? move.visits.toLocaleString("en")
              : move.probability !== null
                ? percent(move.probability)
                : move.white && judgementText(move.white)}
          </span>
          {searched && <span class="number">{move.white && scoreText(move.white)}</span>}
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
