// A run as it stands in the list of all of them, topic `runs`.
export type RunRow = {
  name: string;
  learner: string;
  summary: string;
  state: string;
  /** Why the last start came to nothing. */
  problem: string;
  done?: number;
  total?: number;
  unit?: string;
  rate?: number | null;
  seconds_left?: number | null;
  updated?: string;
  message?: string;
  step?: number;
};
