// Two players, many games: a new match, the earlier ones, or one of them as it goes on.
import { useTopic } from "../news";
import type { Place } from "../place";
import "./match.css";
import { NewMatch } from "./match/form";
import { MatchList } from "./match/list";
import { OneMatch } from "./match/one";
import type { MatchRow } from "./match/types";

export function Match({ place }: { place: Place }) {
  const id = place.settings.get("id");
  return id === null ? <Matches place={place} /> : <OneMatch key={id} id={id} />;
}

function Matches({ place }: { place: Place }) {
  const matches = useTopic<MatchRow[]>("matches");
  return (
    <div class="matches">
      <NewMatch
        key={place.settings.toString()}
        a={place.settings.get("a")}
        b={place.settings.get("b")}
      />
      <MatchList matches={matches} />
    </div>
  );
}
