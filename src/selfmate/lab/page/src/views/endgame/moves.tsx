// Every move of the position and its worth, the best first; a click plays it.
import type { Position } from "./types";

type MovesProps = { position: Position; onPlay: (move: string) => void };

export function Moves({ position, onPlay }: MovesProps) {
  const ranked = position.moves.toSorted((a, b) => b.exact - a.exact);
  const learns = position.learned !== null;
  return (
    <div class="worth">
      <table aria-label="All moves, the best first">
        <thead>
          <tr>
            <th scope="col">Move</th>
            <th scope="col">Exact</th>
            {learns && <th scope="col">Learned</th>}
            <th scope="col">Moves to mate</th>
          </tr>
        </thead>
        <tbody>
          {ranked.map((move) => (
            <tr key={move.name} class={move.is_best ? "best" : ""}>
              <td>
                <button onClick={() => onPlay(move.name)} aria-label={`Play ${move.name}`}>
                  {move.name}
                </button>
              </td>
              <td>{move.exact.toFixed(4)}</td>
              {learns && (
                <td class={move.name === position.learned?.best ? "chosen" : ""}>
                  {move.learned?.toFixed(4)}
                </td>
              )}
              <td>{move.ending === null ? move.expected_moves?.toFixed(2) : move.ending}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
