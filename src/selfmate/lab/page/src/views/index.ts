// The views of the lab, in the order of the menu.
import type { FunctionComponent } from "preact";
import type { Place } from "../place";
import { Train } from "./train";

export type View = { name: string; title: string; show: FunctionComponent<{ place: Place }> };

export const VIEWS: View[] = [{ name: "train", title: "Train", show: Train }];
