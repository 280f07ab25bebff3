// What the worker said when it had loaded the core and what was stored.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { DEFAULTS } from "./settings";
import type { Started } from "./protocol";

export const StartedContext = createContext<Started>({ settings: DEFAULTS, offers: [] });

export function useStarted(): Started {
  return useContext(StartedContext);
}
