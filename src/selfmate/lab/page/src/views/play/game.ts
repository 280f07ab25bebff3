// The game of this tab: what the server says about it, what can be done with it, and what is stored
// so that a reload continues it, even after a restart of the lab.
import type { Color } from "chessgroundx/types";
import { useEffect, useRef, useState } from "preact/hooks";
import { post, RequestError } from "../../api";
import { useTopic } from "../../topics";
import type { ClockSetting, GameData, GameHint, NewGame } from "../../types";

export type Side = NonNullable<NewGame["side"]>;
export type ClockChoice = Required<Pick<ClockSetting, "minutes" | "increment_seconds">>;

/** The settings of a new game; `opponent` is for watching. */
export type GameChoice = {
  player: string;
  side: Side;
  opponent: string | null;
  fen: string | null;
  clock: ClockChoice | null;
  /** With which the game begins. */
  moves?: string[];
};

export function opposite(side: Color): Color {
  return side === "white" ? "black" : "white";
}

/** The side to move in a FEN. */
export function turnOf(fen: string): Color {
  return fen.split(" ")[1] === "b" ? "black" : "white";
}

const NOT_FOUND = 404;

export function useGame() {
  const [id, setId] = useState<string | null>(() => storedGame()?.id ?? null);
  const currentId = useRef(id); // up to date before the next render
  const [game, setGame] = useState<GameData | null>(null);
  const choice = useRef<GameChoice | null>(storedGame()?.choice ?? null);
  const [opened, setOpened] = useState(0);
  const restoring = useRef<Promise<GameData> | null>(null);
  const { data: update, error } = useTopic<GameData>(id === null ? null : `game:${id}`);

  function switchTo(other: GameData): GameData {
    currentId.current = other.id;
    setId(other.id);
    return receive(other);
  }

  /** Updates of another game, and older ones, come too late. */
  function receive(newer: GameData): GameData {
    if (newer.id === currentId.current)
      setGame((old) => (old?.id === newer.id && old.version > newer.version ? old : newer));
    return newer;
  }

  async function open(chosen: GameChoice): Promise<GameData> {
    const fresh = await post<GameData>("games", chosen satisfies NewGame);
    choice.current = chosen;
    setOpened((times) => times + 1);
    return switchTo(fresh);
  }

  /** The lab was restarted, or has closed the game: the same moves are played again. */
  function restore(): Promise<GameData> {
    restoring.current ??= openAgain().finally(() => (restoring.current = null));
    return restoring.current;
  }

  async function openAgain(): Promise<GameData> {
    const stored = storedGame();
    if (stored === null) throw new Error("This game is no longer there.");
    return switchTo(await post<GameData>("games", restored(stored)));
  }

  async function request<Answer>(verb: string, body: object = {}): Promise<Answer> {
    try {
      return await post<Answer>(`games/${id}/${verb}`, body);
    } catch (problem) {
      if (!(problem instanceof RequestError) || problem.status !== NOT_FOUND) throw problem;
      return post<Answer>(`games/${(await restore()).id}/${verb}`, body);
    }
  }

  function leave(): void {
    sessionStorage.removeItem(KEY);
    currentId.current = null;
    setId(null);
    setGame(null);
  }

  useEffect(() => {
    if (update !== null) receive(update);
    else if (error !== null && id === currentId.current) restore().catch(leave);
  }, [update, error]);
  useEffect(() => {
    if (game !== null && choice.current !== null) store(game, choice.current);
  }, [game]);

  return {
    game,
    isLoading: id !== null && game === null,
    choice: choice.current,
    opened, // how many games were started here; a restored game is the same game
    open,
    act: async (verb: string, body: object = {}) => receive(await request<GameData>(verb, body)),
    hint: () => request<GameHint>("hint"),
  };
}

export type CurrentGame = ReturnType<typeof useGame>;

type StoredGame = {
  id: string;
  choice: GameChoice;
  moves: string[];
  left_seconds: [number, number] | null;
  ended: NonNullable<NewGame["ended"]> | null;
};

const KEY = "selfmate-game";

function store(game: GameData, choice: GameChoice): void {
  const left = game.clock?.left_seconds;
  const reason = game.end?.reason;
  const stored: StoredGame = {
    id: game.id,
    choice: { ...choice, side: game.person ?? "watch" },
    moves: game.moves.map((ply) => ply.move),
    left_seconds: left ? [left.white, left.black] : null,
    ended: reason === "resignation" || reason === "agreement" ? reason : null,
  };
  sessionStorage.setItem(KEY, JSON.stringify(stored));
}

function storedGame(): StoredGame | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? "null") as StoredGame | null;
  } catch {
    return null;
  }
}

/** The request that resumes a game which the lab no longer knows. */
function restored({ choice, moves, left_seconds, ended }: StoredGame): NewGame {
  const clock = choice.clock && { ...choice.clock, left_seconds };
  return { ...choice, clock, moves, ended };
}
