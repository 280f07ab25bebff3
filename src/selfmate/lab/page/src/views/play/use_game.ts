// The game of this tab: what is known of it, and what can be done to it.
import { useEffect, useRef, useState } from "preact/hooks";
import { post, Refusal } from "../../api";
import { useTopic } from "../../news";
import type { Choice, Game } from "./game";
import { forget, keep, kept, restoring } from "./kept";

export type Hint = {
  plies: number;
  by: string;
  move: string;
  san: string;
  judgement: string | null;
};

const NOT_THERE = 404;

export function useGame() {
  const [id, setId] = useState<string | null>(() => kept()?.id ?? null);
  const inHand = useRef(id); // known at once, and not only when drawn
  const [game, setGame] = useState<Game | null>(null);
  const choice = useRef<Choice | null>(kept()?.choice ?? null);
  const [opened, setOpened] = useState(0);
  const restored = useRef<Promise<Game> | null>(null);
  const news = useTopic<Game | { error: string }>(id === null ? null : `game:${id}`);

  function take(other: Game): Game {
    inHand.current = other.id;
    setId(other.id);
    return learn(other);
  }

  /** News of a game that is no longer in hand come too late. */
  function learn(newer: Game): Game {
    if (newer.id === inHand.current)
      setGame((old) => (old?.id === newer.id && old.version > newer.version ? old : newer));
    return newer;
  }

  async function open(wanted: Choice): Promise<Game> {
    const fresh = await post<Game>("games", wanted);
    choice.current = wanted;
    setOpened((times) => times + 1);
    return take(fresh);
  }

  /** The lab was restarted, or has closed the game: the same moves are played again. */
  function restore(): Promise<Game> {
    restored.current ??= openAgain().finally(() => (restored.current = null));
    return restored.current;
  }

  async function openAgain(): Promise<Game> {
    const old = kept();
    if (old === null) throw new Error("This game is no longer there.");
    const fresh = await post<Game>("games", restoring(old));
    return take(old.resigned ? await post<Game>(`games/${fresh.id}/resign`) : fresh);
  }

  async function ask<Answer>(verb: string, body: object = {}): Promise<Answer> {
    try {
      return await post<Answer>(`games/${id}/${verb}`, body);
    } catch (error) {
      if (!(error instanceof Refusal) || error.status !== NOT_THERE) throw error;
      return post<Answer>(`games/${(await restore()).id}/${verb}`, body);
    }
  }

  useEffect(() => {
    if (news === null) return;
    if (!("error" in news)) learn(news);
    else if (id === inHand.current) restore().catch(leave);
  }, [news]);

  useEffect(() => {
    if (game !== null && choice.current !== null) keep(game, choice.current);
  }, [game]);

  function leave(): void {
    forget();
    inHand.current = null;
    setId(null);
    setGame(null);
  }

  return {
    game,
    isAwaited: id !== null && game === null,
    choice: choice.current,
    opened, // how many games were begun here; one that is restored is the same game
    open,
    act: async (verb: string, body: object = {}) => learn(await ask<Game>(verb, body)),
    hint: () => ask<Hint>("hint"),
  };
}

export type GameInHand = ReturnType<typeof useGame>;
