// Beside the board: the state of the game, the player's analysis, the moves and the controls.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Arrow } from "../../board";
import { percent, resultText } from "../../format";
import { Moves, Steps } from "../../moves";
import { Problem } from "../../problem";
import { soundIsOn, switchSound } from "../../sound";
import type { ConsideredMove, GameData, MoveAnalysis, Ply } from "../../types";
import { type ResultShares, WdlBar, wdlText } from "../../wdl";
import type { Title } from "./board";
import { opposite } from "./game";

type Props = {
  game: GameData;
  shown: number;
  titles: Record<"white" | "black", Title>;
  showsAnalysis: boolean;
  hint: string | null;
  problem: string | null;
  onGo: (to: number) => void;
  onStep: (by: number) => void;
  onShowAnalysis: (shows: boolean) => void;
  onAgain: () => void;
  onOtherColour: () => void;
  onRetry: () => void;
  reviewLink: string | undefined;
  children: ComponentChildren;
};

export function Panel(props: Props) {
  const { game, shown, hint } = props;
  const ply = moveWithAnalysis(game, shown);
  return (
    <section class="panel card" aria-label="Game">
      <div class={`status${game.end ? " over" : ""}`} role="status">
        {game.end ? <End {...props} /> : <p>{hint ?? statusText(game, props.titles)}</p>}
      </div>
      {game.problem !== null && (
        <div class="failed">
          <Problem text={game.problem} />
          <button type="button" onClick={props.onRetry}>
            Try again
          </button>
        </div>
      )}
      <Problem text={props.problem} />
      <div class="analysis">
        {ply !== null && <Judgement ply={ply} name={props.titles[ply.side].name} />}
        <div class="switches">
          <label class="switch">
            <input
              type="checkbox"
              checked={props.showsAnalysis}
              onChange={(event) => props.onShowAnalysis(event.currentTarget.checked)}
            />
            <span>Show {game.person ? "its" : "their"} analysis</span>
          </label>
          <SoundSwitch />
        </div>
        {props.showsAnalysis && ply !== null && <ConsideredMoves ply={ply} name={props.titles[ply.side].name} />}
        {props.showsAnalysis && ply === null && <p class="quiet">{noAnalysisText(game, shown)}</p>}
      </div>
      {game.opening !== null && <p class="opening">{game.opening}</p>}
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

function SoundSwitch() {
  const [isOn, setOn] = useState(soundIsOn);
  const change = (on: boolean) => {
    switchSound(on);
    setOn(on);
  };
  return (
    <label class="switch">
      <input type="checkbox" checked={isOn} onChange={(event) => change(event.currentTarget.checked)} />
      <span>Sounds</span>
    </label>
  );
}

function End({ game, onAgain, onOtherColour, reviewLink }: Props) {
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
        {reviewLink !== undefined && (
          <a class="button" href={reviewLink}>
            Review
          </a>
        )}
      </div>
    </>
  );
}

function statusText(game: GameData, titles: Props["titles"]): string {
  const last = game.moves.at(-1);
  const played = last && last.side !== game.person ? `${titles[last.side].name} played ${last.san}. ` : "";
  if (game.turn === game.person) return `${played}${game.moves.at(-1)?.check ? "Check! " : ""}Your move.`;
  if (game.person === null) return played || `${titles.white.name} against ${titles.black.name}.`;
  return `${titles[game.turn].name} is thinking ...`;
}

function noAnalysisText(game: GameData, shown: number): string {
  const made = game.moves.slice(0, shown).some((ply) => ply.side !== game.person);
  return made ? "It gave no analysis with its move." : "It has not moved yet.";
}

/** The last move of a player up to the one shown, if it has an analysis. */
export function moveWithAnalysis(game: GameData, shown: number): Ply | null {
  const made = game.moves.slice(0, shown).findLast((ply) => ply.side !== game.person);
  const analysis = made?.analysis;
  if (!made || !analysis) return null;
  return analysis.value !== null || analysis.considered.some((one) => one.share !== null) ? made : null;
}

/** Without the moves to which a search gave no visit: it did not consider these. */
function consideredIn({ considered, san }: MoveAnalysis): ConsideredMove[] {
  return considered.filter((one) => one.share !== 0 || one.san === san);
}

export function arrowsOf(analysis: MoveAnalysis): Arrow[] {
  const considered = consideredIn(analysis);
  const highest = Math.max(...considered.map((one) => one.share ?? 0));
  return considered.map((one, rank) => ({
    from: one.move.slice(0, 2),
    to: one.move.slice(2, 4),
    brush: one.san === analysis.san ? "green" : "blue",
    width: one.share === null || highest === 0 ? 9 - 1.5 * rank : 2.5 + 7 * (one.share / highest),
  }));
}

/** Whether it is ahead or behind, and how it expects the game to continue. */
function Judgement({ ply, name }: { ply: Ply; name: string }) {
  const analysis = ply.analysis!;
  if (analysis.value === null) return null;
  return (
    <div class="judgement">
      <WdlBar shares={sharesOf(ply, analysis)} label={judgementText(sharesOf(ply, analysis), analysis)} />
      <p>
        {name}: {analysis.judgement ?? judgementText(sharesOf(ply, analysis), analysis)}
      </p>
      {analysis.line.length > 1 && (
        <p>
          <span class="quiet">It expects</span> {analysis.line.join(" ")}
        </p>
      )}
    </div>
  );
}

/** The moves it considered, the likeliest first. */
function ConsideredMoves({ ply, name }: { ply: Ply; name: string }) {
  const analysis = ply.analysis!;
  return (
    <table class="considered" aria-label={`Moves that ${name} considered`}>
      <tbody>
        {consideredIn(analysis).map((one) => (
          <Row key={one.move} one={one} chosen={one.san === analysis.san} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ one, chosen }: { one: ConsideredMove; chosen: boolean }) {
  return (
    <tr class={chosen ? "chosen" : undefined}>
      <th scope="row">{one.san}</th>
      {one.share !== null && (
        <td class="share">
          <span style={{ width: `${100 * one.share}%` }} />
        </td>
      )}
      <td class="number">{one.share !== null ? percent(one.share) : (one.score ?? "")}</td>
      {one.visits !== null && (
        <td class="visits quiet">
          {one.visits.toLocaleString("en")} {one.visits === 1 ? "visit" : "visits"}
        </td>
      )}
    </tr>
  );
}

function sharesOf(ply: Ply, analysis: MoveAnalysis): ResultShares {
  const half = (1 + (analysis.value ?? 0)) / 2;
  const [win, draw, loss] = analysis.wdl ?? [half, 0, 1 - half];
  return ply.side === "white" ? [win, draw, loss] : [loss, draw, win];
}

function judgementText(shares: ResultShares, analysis: MoveAnalysis): string {
  if (analysis.wdl !== null) return wdlText(shares);
  return `Value: White ${percent(shares[0])}, Black ${percent(shares[2])}`;
}
