// Topics that change by themselves: one socket per tab, and hooks that follow topics through it.
import { useEffect, useState } from "preact/hooks";
import type { TopicError } from "./types";

/** Lost: nothing answers. Locked: the lab is there, but has another key than this browser. */
export type Connection = "open" | "lost" | "locked";
type Listener = (data: unknown) => void;

const RETRY_MS = [250, 500, 1000, 2000];
const UNAUTHORIZED = 401;

const listeners = new Map<string, Set<Listener>>();
const newest = new Map<string, unknown>();
const watchers = new Set<(connection: Connection) => void>();
let socket: WebSocket | null = null;
let connection: Connection = "open";
let failures = 0;

/** The newest data of a topic, or its error; both null until one comes, and without a topic. */
export function useTopic<Data>(topic: string | null): { data: Data | null; error: string | null } {
  const [received, setReceived] = useState<{ topic: string | null; data: unknown }>({
    topic,
    data: null,
  });
  useEffect(() => {
    if (topic === null) return;
    const receive = (data: unknown) => setReceived({ topic, data });
    if (newest.has(topic)) receive(newest.get(topic));
    return follow(topic, receive);
  }, [topic]);
  const data = received.topic === topic ? received.data : null;
  if (isError(data)) return { data: null, error: data.error };
  return { data: data as Data | null, error: null };
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

function isError(data: unknown): data is TopicError {
  return typeof data === "object" && data !== null && "error" in data;
}

function follow(topic: string, listener: Listener): () => void {
  const followers = listeners.get(topic) ?? new Set<Listener>();
  followers.add(listener);
  if (followers.size === 1) {
    listeners.set(topic, followers);
    if (socket === null) connect();
    sendTopics();
  }
  return () => {
    followers.delete(listener);
    if (followers.size > 0) return;
    listeners.delete(topic);
    newest.delete(topic);
    sendTopics();
  };
}

function connect(): void {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/api/news`);
  socket.onopen = () => {
    failures = 0;
    setConnection("open");
    sendTopics();
  };
  socket.onmessage = (event: MessageEvent<string>) => {
    const { news } = JSON.parse(event.data) as { news: Record<string, unknown> };
    for (const [topic, data] of Object.entries(news)) {
      newest.set(topic, data);
      for (const listener of listeners.get(topic) ?? []) listener(data);
    }
  };
  socket.onclose = () => {
    void whyClosed().then(setConnection);
    const pause = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)];
    failures += 1;
    setTimeout(connect, pause);
  };
}

/** A socket does not say why it was refused; an HTTP request does. */
async function whyClosed(): Promise<Connection> {
  const answer = await fetch("icon.svg", { cache: "no-store" }).catch(() => null);
  if (socket?.readyState === WebSocket.OPEN) return "open";
  return answer?.status === UNAUTHORIZED ? "locked" : "lost";
}

function setConnection(now: Connection): void {
  connection = now;
  for (const watch of watchers) watch(now);
}

function sendTopics(): void {
  if (socket?.readyState === WebSocket.OPEN)
    socket.send(JSON.stringify({ follow: [...listeners.keys()] }));
}
