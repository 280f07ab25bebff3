// What changes by itself: one socket a tab, and hooks that follow topics through it.
import { useEffect, useState } from "preact/hooks";

type Listener = (data: unknown) => void;

const listeners = new Map<string, Set<Listener>>();
const newest = new Map<string, unknown>();
/** Lost: nobody answers. Locked: the lab is there, but with another key than this browser's. */
export type Connection = "stands" | "lost" | "locked";

const watchers = new Set<(connection: Connection) => void>();
const PAUSES_MS = [250, 500, 1000, 2000];
const NO_KEY = 401;
let socket: WebSocket | null = null;
let connection: Connection = "stands";
let failures = 0;

function connect(): void {
  socket = new WebSocket(`ws://${location.host}/api/news`);
  socket.onopen = () => {
    failures = 0;
    setConnection("stands");
    tellTopics();
  };
  socket.onmessage = (event: MessageEvent<string>) => {
    const { news } = JSON.parse(event.data) as { news: Record<string, unknown> };
    for (const [topic, data] of Object.entries(news)) {
      newest.set(topic, data);
      for (const hear of listeners.get(topic) ?? []) hear(data);
    }
  };
  socket.onclose = () => {
    void whyClosed().then(setConnection);
    const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)];
    failures += 1;
    setTimeout(connect, pause);
  };
}

/** A socket does not say why it was refused; anything else that is asked for does. */
async function whyClosed(): Promise<Connection> {
  const answer = await fetch("icon.svg", { cache: "no-store" }).catch(() => null);
  if (socket?.readyState === WebSocket.OPEN) return "stands";
  return answer?.status === NO_KEY ? "locked" : "lost";
}

function setConnection(now: Connection): void {
  connection = now;
  for (const watch of watchers) watch(now);
}

function tellTopics(): void {
  if (socket?.readyState === WebSocket.OPEN)
    socket.send(JSON.stringify({ follow: [...listeners.keys()] }));
}

function follow(topic: string, hear: Listener): () => void {
  const hearing = listeners.get(topic) ?? new Set<Listener>();
  hearing.add(hear);
  if (hearing.size === 1) {
    listeners.set(topic, hearing);
    if (socket === null) connect();
    tellTopics();
  }
  return () => {
    hearing.delete(hear);
    if (hearing.size > 0) return;
    listeners.delete(topic);
    newest.delete(topic);
    tellTopics();
  };
}

/** The newest data of a topic, null until it comes; no topic, no data. */
export function useTopic<Data>(topic: string | null): Data | null {
  const [heard, setHeard] = useState<{ topic: string | null; data: Data | null }>({
    topic,
    data: null,
  });
  useEffect(() => {
    if (topic === null) return;
    const hear = (data: unknown) => setHeard({ topic, data: data as Data });
    if (newest.has(topic)) hear(newest.get(topic));
    return follow(topic, hear);
  }, [topic]);
  return heard.topic === topic ? heard.data : null;
}

export function useConnection(): Connection {
  const [now, setNow] = useState(connection);
  useEffect(() => {
    setNow(connection);
    watchers.add(setNow);
    return () => void watchers.delete(setNow);
  }, []);
  return now;
}
