// The views of the lab, in the order of the menu.
import type { FunctionComponent } from "preact";
import type { Place } from "../place";
import { Play } from "./play";
import { Runs } from "./runs";

export type View = { name: string; title: string; show: FunctionComponent<{ place: Place }> };

export const VIEWS: View[] = [
  { name: "play", title: "Play", show: Play },
  { name: "train", title: "Train", show: Runs },
];
