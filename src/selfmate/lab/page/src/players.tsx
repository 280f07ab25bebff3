// The choice of a player and its strength.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { elo, playerTitle } from "./format";
import { useConnection } from "./topics";
import type { Offer } from "./types";

/** All players, null until known; asked for again when `again` changes or the lab is back. */
export function useOffers(again: unknown = null): Offer[] | null {
  const connection = useConnection();
  const [offers, setOffers] = useState<Offer[] | null>(null);
  useEffect(() => {
    let current = true;
    get<Offer[]>("players")
      .then((found) => current && setOffers(found))
      .catch(() => null); // the page says that the lab is away
    return () => {
      current = false;
    };
  }, [again, connection]);
  return offers;
}

/** The strongest net that ships, null if none does. */
export function strongestNet(offers: Offer[]): string | null {
  const rated = offers.filter((offer) => offer.ships).flatMap((offer) => offer.strengths);
  return rated.sort((one, other) => (other.elo ?? -Infinity) - (one.elo ?? -Infinity))[0]?.name ?? null;
}

/** The newest run that has learned something, null if there is none. */
export function newestRun(offers: Offer[]): string | null {
  const run = offers.find((offer) => offer.trained && isRun(offer));
  return run?.strengths[0]?.name ?? null;
}

type PickerProps = {
  offers: Offer[];
  label: string;
  name: string;
  /** Whether there is room for what the player is. */
  detailed?: boolean;
  onChoose: (name: string) => void;
};

/** The name of an offered player without the settings of its strengths. */
export function nameOf(offer: Offer): string {
  return offer.strengths[0]!.name.replace(/:[^:]*=.*$/, "");
}

/** The rating that a name such as `alphazero-tiny:elo=1200` asks for. */
function askedElo(offer: Offer, name: string): number | null {
  const [kind, rating] = name.split(":elo=");
  return offer.elo_range !== null && kind === nameOf(offer) && rating !== undefined ? Number(rating) : null;
}

/** Whether the lab offers a player under this name. */
export function isOffered(offers: Offer[], name: string): boolean {
  return offers.some((offer) => hasName(offer, name));
}

function hasName(offer: Offer, name: string): boolean {
  return askedElo(offer, name) !== null || offer.strengths.some((one) => one.name === name);
}

/** `name` is the full name of the chosen strength, such as `teacher:depth=2`. */
export function PlayerPicker({ offers, label, name, detailed = false, onChoose }: PickerProps) {
  const offered = offers.find((offer) => hasName(offer, name));
  const chosen = offered ?? linked(name);
  const choose = (title: string) => {
    const strength = offers.find((offer) => offer.title === title)?.strengths[0];
    if (strength) onChoose(strength.name);
  };
  return (
    <>
      <label>
        <span>{label}</span>
        <select value={chosen.title} onChange={(event) => choose(event.currentTarget.value)}>
          {offered === undefined && <PlayerOption offer={chosen} />}
          {offers.length <= FEW
            ? offers.map((offer) => <PlayerOption key={offer.title} offer={offer} />)
            : groupsOf(offers).map(({ title, members }) => (
                <optgroup key={title} label={title}>
                  {members.map((offer) => (
                    <PlayerOption key={offer.title} offer={offer} />
                  ))}
                </optgroup>
              ))}
        </select>
      </label>
      {chosen.elo_range === null ? (
        <StrengthSelect offer={chosen} name={name} onChoose={onChoose} />
      ) : (
        <>
          <RatingSlider offer={chosen} name={name} onChoose={onChoose} />
          <details class="by-settings">
            <summary>Strength by settings</summary>
            <StrengthSelect offer={chosen} name={name} onChoose={onChoose} />
          </details>
        </>
      )}
      <small class="quiet rated">
        {detailed && chosen.ships && <span>{chosen.about}</span>}
        <span>
          {ratingText(chosen, name)}
          {detailed && isRated(chosen) && " Chess sites count on other scales."}
        </span>
      </small>
    </>
  );
}

const FEW = 4; // so many are in sight without groups

type Group = { title: string; members: Offer[] };

/** Runs as they come, the newest first; nets the strongest first. */
function groupsOf(offers: Offer[]): Group[] {
  const runs = offers.filter(isRun);
  const nets = offers.filter((offer) => offer.ships).sort((one, other) => bestElo(other) - bestElo(one));
  const others = offers.filter((offer) => !isRun(offer) && !offer.ships);
  const groups = [
    { title: "Your runs", members: runs },
    { title: "Nets that ship", members: nets },
    { title: "Other players", members: others },
  ];
  return groups.filter(({ members }) => members.length > 0);
}

function isRun(offer: Offer): boolean {
  return offer.strengths[0]!.name.startsWith("runs/");
}

function bestElo({ strengths }: Offer): number {
  return Math.max(...strengths.map((one) => one.elo ?? -Infinity));
}

/** What a run learned from is short; what a net is stands below the choice, where there is room. */
function PlayerOption({ offer }: { offer: Offer }) {
  const about = offer.ships ? "" : ` (${offer.about})`;
  return (
    <option value={offer.title} title={offer.about}>
      {offer.title}
      {ratingsOf(offer)}
      {about}
    </option>
  );
}

function isRated({ strengths }: Offer): boolean {
  return strengths.some((one) => one.elo !== null);
}

type StrengthProps = { offer: Offer; name: string; onChoose: (name: string) => void };

/** The settings that a player is offered with; nothing if there is no choice. */
function StrengthSelect({ offer, name, onChoose }: StrengthProps) {
  if (offer.strengths.length < 2) return null;
  return (
    <label>
      <span>Strength</span>
      <select value={name} onChange={(event) => onChoose(event.currentTarget.value)}>
        {askedElo(offer, name) !== null && <option value={name}>as strong as the rating says</option>}
        {offer.strengths.map((one) => (
          <option key={one.name} value={one.name}>
            {one.title}
            {one.elo === null ? "" : `, about ${elo(one.elo)}`}
          </option>
        ))}
      </select>
    </label>
  );
}

const ELO_STEP = 25;

/** A rating of a player that was calibrated, between the weakest and the strongest measured. */
function RatingSlider({ offer, name, onChoose }: StrengthProps) {
  const [low, high] = offer.elo_range!;
  const first = ELO_STEP * Math.ceil(low / ELO_STEP);
  const last = ELO_STEP * Math.floor(high / ELO_STEP);
  const strength = offer.strengths.find((one) => one.name === name);
  const rating = askedElo(offer, name) ?? strength?.elo ?? null;
  return (
    <label class="rating">
      <span>
        Rating: <b>{rating === null ? "not known with these settings" : elo(rating)}</b>
      </span>
      <input
        type="range"
        aria-label="Rating"
        min={first}
        max={last}
        step={ELO_STEP}
        value={Math.min(last, Math.max(first, rating ?? high))}
        onInput={(event) => onChoose(`${nameOf(offer)}:elo=${event.currentTarget.value}`)}
      />
    </label>
  );
}

/** Of all its strengths: ", about 930" or ", 874 to 1505"; empty if none is rated. */
function ratingsOf({ strengths, elo_range }: Offer): string {
  const elos = elo_range ?? strengths.flatMap((one) => (one.elo === null ? [] : [one.elo]));
  if (elos.length === 0) return "";
  const [low, high] = [elo(Math.min(...elos)), elo(Math.max(...elos))];
  return low === high ? `, about ${low}` : `, ${low} to ${high}`;
}

function ratingText(offer: Offer, name: string): string {
  if (!offer.trained) return "Not trained yet: it plays as it was made, more or less at random.";
  const rating = askedElo(offer, name) ?? offer.strengths.find((one) => one.name === name)?.elo ?? null;
  return rating === null ? "Not rated yet." : `Rated about ${elo(rating)}: ${offer.scale}.`;
}

/** A player named by a link can be chosen although it is not offered. */
function linked(name: string): Offer {
  const title = playerTitle(name);
  const strengths = [{ name, title, elo: null }];
  const about = "from the link";
  return { title, about, strengths, ships: false, trained: true, scale: "", elo_range: null };
}
