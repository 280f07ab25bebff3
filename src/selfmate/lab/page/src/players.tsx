// The choice of a player and its strength.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { playerTitle } from "./format";
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

type PickerProps = {
  offers: Offer[];
  label: string;
  name: string;
  onChoose: (name: string) => void;
};

/** `name` is the full name of the chosen strength, such as `teacher:depth=2`. */
export function PlayerPicker({ offers, label, name, onChoose }: PickerProps) {
  const offered = offers.find((offer) => offer.strengths.some((one) => one.name === name));
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
          {(offered ? offers : [chosen, ...offers]).map((offer) => (
            <option key={offer.title} value={offer.title}>
              {offer.title} ({offer.about})
            </option>
          ))}
        </select>
      </label>
      {chosen.strengths.length > 1 && (
        <label>
          <span>Strength</span>
          <select value={name} onChange={(event) => onChoose(event.currentTarget.value)}>
            {chosen.strengths.map((one) => (
              <option key={one.name} value={one.name}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
      )}
    </>
  );
}

/** A player named by a link can be chosen although it is not offered. */
function linked(name: string): Offer {
  const title = playerTitle(name);
  return { title, about: "from the link", strengths: [{ name, title }] };
}
