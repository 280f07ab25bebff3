// How strong everybody is, on one scale, and how strength grew with training time.
import { useTopic } from "../news";
import type { Place } from "../place";
import "./ladder.css";
import { Learning } from "./ladder/learning";
import { RateForm } from "./ladder/rate";
import { Scale } from "./ladder/scale";
import { Problem } from "../problem";
import type { LadderData } from "./ladder/types";

export function Ladder({ place }: { place: Place }) {
  const ladder = useTopic<LadderData>("ladder");
  if (ladder === null) return <p class="quiet">Looking for results ...</p>;
  if (ladder.error !== undefined) return <Problem text={ladder.error} />;
  return (
    <div class="ladder">
      <section class="card" aria-labelledby="ladder-title">
        <h1 id="ladder-title">The ladder</h1>
        {ladder.players.length === 0 ? <Nobody /> : <Scale ladder={ladder} />}
      </section>
      <RateForm ladder={ladder} wanted={place.settings.get("player")} />
      <Learning />
    </div>
  );
}

function Nobody() {
  return (
    <p class="quiet">
      Nobody has been rated yet. Rating lets a player climb a ladder of opponents, from one that
      moves at random up to Stockfish where it is installed, until two in a row are too strong. The
      first rating plays the ladder itself as well, which takes some minutes; later ones only play
      what is missing. <code>selfmate rate</code> does the same.
    </p>
  );
}
