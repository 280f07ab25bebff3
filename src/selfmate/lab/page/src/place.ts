// Where the reader is: `#/play?player=random` is the view "play" with a setting.
import { useEffect, useState } from "preact/hooks";

export type Place = { view: string; settings: URLSearchParams };

export function parsePlace(hash: string): Place {
  const [view = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return { view, settings: new URLSearchParams(query) };
}

export function linkTo(view: string, settings: Record<string, string> = {}): string {
  const query = new URLSearchParams(settings).toString();
  return query ? `#/${view}?${query}` : `#/${view}`;
}

/** The address of what a view shows now, without another step back. Nothing happens when the reader has left the view
 * meanwhile. */
export function replacePlace(view: string, settings: URLSearchParams): void {
  if (parsePlace(location.hash).view === view) history.replaceState(null, "", `${linkTo(view)}?${settings}`);
}

/** A game, from the position of a FEN, to be looked at after so many of its moves. */
export function linkToGame(fen: string, moves: string[], ply: number, player?: string): string {
  const about = { fen, moves: moves.join(" "), ply: String(ply) };
  return linkTo("analyse", player === undefined ? about : { ...about, player });
}

type Reviewed = { fen: string; moves: string[]; ply?: number; side?: string | null; player?: string };

/** A game to be reviewed: the side that the reader played, and against whom. */
export function linkToReview({ fen, moves, ply, side, player }: Reviewed): string {
  const about: Record<string, string> = { fen, moves: moves.join(" ") };
  if (ply !== undefined) about.ply = String(ply);
  if (side) about.side = side;
  if (player !== undefined) about.player = player;
  return linkTo("review", about);
}

export function usePlace(): Place {
  const [place, setPlace] = useState(() => parsePlace(location.hash));
  useEffect(() => {
    const move = () => setPlace(parsePlace(location.hash));
    addEventListener("hashchange", move);
    return () => removeEventListener("hashchange", move);
  }, []);
  return place;
}
