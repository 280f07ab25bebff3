// The page's side of the worker: questions that are answered, and what changes by itself.
import { useEffect, useState } from "preact/hooks";
import type { Message, Requests, Update, Verb } from "./protocol";

type About = Update["about"];
type UpdateOf<Kind extends About> = Extract<Update, { about: Kind }>;
type Waiting = { resolve: (answer: never) => void; reject: (error: Error) => void };

const worker = new Worker("worker.js");
const waiting = new Map<number, Waiting>();
const newest = new Map<About, Update>();
const listeners = new Map<About, Set<(update: Update) => void>>();
let asked = 0;

worker.onmessage = ({ data }: MessageEvent<Message>) => {
  if ("about" in data) {
    newest.set(data.about, data);
    for (const listener of listeners.get(data.about) ?? []) listener(data);
    return;
  }
  const { resolve, reject } = waiting.get(data.id)!;
  waiting.delete(data.id);
  if ("error" in data) reject(new Error(data.error));
  else resolve(data.answer as never);
};

worker.onerror = (event) => {
  event.preventDefault();
  const error = new Error(
    `The worker of this page failed: ${event.message || "it could not be loaded"}. Reload the page.`,
  );
  for (const { reject } of waiting.values()) reject(error);
  waiting.clear();
};

/** Throws an Error with a sentence when it is refused. */
export function ask<V extends Verb>(verb: V, body: Requests[V][0] = {}): Promise<Requests[V][1]> {
  const id = ++asked;
  return new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
    worker.postMessage({ id, verb, body });
  });
}

/** The newest update of a kind; null until one comes. */
export function useUpdate<Kind extends About>(about: Kind): UpdateOf<Kind> | null {
  const [update, setUpdate] = useState(() => newest.get(about) ?? null);
  useEffect(() => {
    setUpdate(newest.get(about) ?? null);
    const followers = listeners.get(about) ?? new Set();
    listeners.set(about, followers.add(setUpdate));
    return () => void followers.delete(setUpdate);
  }, [about]);
  return update as UpdateOf<Kind> | null;
}
