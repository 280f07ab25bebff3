// Who is asked: up to four players, each with a colour and its newest thought.
import { useEffect, useState } from "preact/hooks";
import type { Offer } from "../../players";
import { COLOURS } from "./card";
import type { Thought } from "./types";

export type Seat = { key: number; colour: number; player: string; thought: Thought | null };

const FIRST = ["teacher:depth=2", "greedy"]; // when nobody is trained yet

export function useSeats(given: string[], offers: Offer[] | null) {
  const [seats, setSeats] = useState<Seat[]>([]);
  const asked = given.join("\n");
  useEffect(() => {
    if (offers === null) return;
    const players = given.length > 0 ? given.slice(0, COLOURS.length) : firstOf(offers);
    setSeats(players.map((player, at) => ({ key: at, colour: at, player, thought: null })));
  }, [asked, offers === null]);
  const change = (key: number, fields: Partial<Seat>) =>
    setSeats((now) => now.map((seat) => (seat.key === key ? { ...seat, ...fields } : seat)));
  return {
    seats,
    add: () => setSeats((now) => [...now, freshSeat(now, offers ?? [])]),
    remove: (key: number) => setSeats((now) => now.filter((seat) => seat.key !== key)),
    choose: (key: number, player: string) => change(key, { player, thought: null }),
    hear: (key: number, thought: Thought | null) => change(key, { thought }),
  };
}

/** The newest trained one, and the teacher beside it. */
function firstOf(offers: Offer[]): string[] {
  const trained = offers[0]?.strengths[0]?.name;
  return trained?.startsWith("runs/") ? [trained, FIRST[0]!] : FIRST;
}

function freshSeat(seats: Seat[], offers: Offer[]): Seat {
  const names = offers.map((offer) => offer.strengths[0]!.name);
  const player = names.find((name) => !seats.some((seat) => seat.player === name)) ?? names[0] ?? "random";
  const colour = COLOURS.findIndex((_, at) => !seats.some((seat) => seat.colour === at));
  return { key: Math.max(-1, ...seats.map((seat) => seat.key)) + 1, colour, player, thought: null };
}
