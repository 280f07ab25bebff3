// The lab's page: its views, and a line when the server is away.
import { show, Shell, type View } from "./shell";
import { type Connection, useConnection, useTopic } from "./topics";
import { Analyse } from "./views/analyse";
import { Endgame } from "./views/endgame";
import { Ladder } from "./views/ladder";
import { Match } from "./views/match";
import { Play } from "./views/play";
import { Puzzles } from "./views/puzzles";
import { Review } from "./views/review";
import { Train } from "./views/train";

const VIEWS: View[] = [
  { name: "play", title: "Play", show: Play },
  { name: "train", title: "Train", show: Train },
  { name: "match", title: "Match", show: Match },
  { name: "ladder", title: "Ladder", show: Ladder },
  { name: "analyse", title: "Analyse", show: Analyse },
  { name: "puzzles", title: "Puzzles", show: Puzzles },
  { name: "endgame", title: "Endgame", show: Endgame },
  { name: "review", title: "Review", show: Review, isHidden: true },
];

const MESSAGES: Record<Connection, string> = {
  open: "",
  lost: "Looking for the lab ... If it was closed, start it again with selfmate lab: this page reconnects by itself.",
  locked: "The lab has a new key. Open the link that selfmate lab printed last: this page then reconnects by itself.",
};

function Lab() {
  const connection = useConnection();
  useTopic("runs"); // keeps the socket open in every view
  return <Shell views={VIEWS} message={MESSAGES[connection]} />;
}

// The cookie is set now; the key should not stay where it can be copied by mistake.
if (location.search) history.replaceState(null, "", `${location.pathname}${location.hash}`);
show(Lab);
