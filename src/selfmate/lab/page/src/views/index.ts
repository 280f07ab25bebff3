// The views of the lab, in the order of the menu.
import type { FunctionComponent } from "preact";
import type { Place } from "../place";
import { Analyse } from "./analyse";
import { Endgame } from "./endgame";
import { Ladder } from "./ladder";
import { Match } from "./match";
import { Play } from "./play";
import { Train } from "./train";

export type View = { name: string; title: string; show: FunctionComponent<{ place: Place }> };

export const VIEWS: View[] = [
  { name: "play", title: "Play", show: Play },
  { name: "train", title: "Train", show: Train },
  { name: "match", title: "Match", show: Match },
  { name: "ladder", title: "Ladder", show: Ladder },
  { name: "analyse", title: "Analyse", show: Analyse },
  { name: "endgame", title: "Endgame", show: Endgame },
];
