// Who else solves a puzzle: what players of the lab answer, one after the other.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { elo, playerTitle } from "../../format";
import { newestRun } from "../../players";
import type { Offer, PlayerAnswer } from "../../types";

type Answered = { name: string; answer: PlayerAnswer | string };

export function Answers({ number, offers }: { number: number; offers: Offer[] }) {
  const [answers, setAnswers] = useState<Answered[] | null>(null);
  const [asking, setAsking] = useState<string | null>(null);
  async function askAll(): Promise<void> {
    setAnswers([]);
    for (const name of askedNames(offers)) {
      setAsking(name);
      const answer = await post<PlayerAnswer>(`puzzles/${number}/answer`, { player: name }).catch(
        (error: Error) => error.message,
      );
      setAnswers((now) => [...(now ?? []), { name, answer }]);
    }
    setAsking(null);
  }
  if (answers === null)
    return (
      <button type="button" onClick={() => void askAll()}>
        Who else solves it?
      </button>
    );
  return (
    <section aria-label="Who else solves it">
      <h2>Who else solves it</h2>
      <table class="answers">
        <tbody>
          {answers.map(({ name, answer }) => (
            <tr key={name}>
              <th scope="row">
                {playerTitle(name)} <span class="quiet">{ratingOf(offers, name)}</span>
              </th>
              {typeof answer === "string" ? (
                <td>{answer}</td>
              ) : (
                <td class={answer.solves ? "solves" : "fails"}>
                  {answer.solves ? "✓ solves it" : "✗ plays"} {answer.moves.join(" ")}
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {asking !== null && <p class="quiet">{playerTitle(asking)} is thinking ...</p>}
    </section>
  );
}

/** The nets that ship, the newest run, and the teacher at all depths. */
function askedNames(offers: Offer[]): string[] {
  const nets = offers.filter((offer) => offer.ships).map((offer) => offer.strengths[0]!.name);
  const teachers = offers.find((offer) => offer.title === "Teacher")?.strengths.map((one) => one.name) ?? [];
  return [...new Set([...nets, newestRun(offers), ...teachers].filter((name) => name !== null))];
}

function ratingOf(offers: Offer[], name: string): string {
  const rated = offers.flatMap((offer) => offer.strengths).find((one) => one.name === name);
  return rated === undefined || rated.elo === null ? "" : elo(rated.elo);
}
