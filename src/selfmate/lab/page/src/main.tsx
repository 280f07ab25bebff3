// The page: a menu, the open view, and a line when the server is away.
import { type FunctionComponent, render } from "preact";
import { useEffect } from "preact/hooks";
import "chessgroundx/assets/chessground.base.css";
import "chessgroundx/assets/chessground.cburnett.css";
import "uplot/dist/uPlot.min.css";
import { linkTo, type Place, usePlace } from "./place";
import "./style.css";
import { type Connection, useConnection, useTopic } from "./topics";
import { Analyse } from "./views/analyse";
import { Endgame } from "./views/endgame";
import { Ladder } from "./views/ladder";
import { Match } from "./views/match";
import { Play } from "./views/play";
import { Train } from "./views/train";

type View = { name: string; title: string; show: FunctionComponent<{ place: Place }> };

// In the order of the menu.
const VIEWS: View[] = [
  { name: "play", title: "Play", show: Play },
  { name: "train", title: "Train", show: Train },
  { name: "match", title: "Match", show: Match },
  { name: "ladder", title: "Ladder", show: Ladder },
  { name: "analyse", title: "Analyse", show: Analyse },
  { name: "endgame", title: "Endgame", show: Endgame },
];

const MESSAGES: Record<Connection, string> = {
  open: "",
  lost: "Looking for the lab ... If it was closed, start it again with selfmate lab: this page reconnects by itself.",
  locked: "The lab has a new key. Open the link that selfmate lab printed last: this page then reconnects by itself.",
};

function Lab() {
  const place = usePlace();
  const connection = useConnection();
  useTopic("runs"); // keeps the socket open in every view
  const open = VIEWS.find((view) => view.name === place.view) ?? VIEWS[0]!;
  const run = place.settings.get("run");
  useEffect(() => {
    document.title = [run, open.title, "Selfmate"].filter(Boolean).join(" – ");
  }, [open, run]);
  useEffect(() => scrollTo({ top: 0 }), [open, run, place.settings.get("id")]);
  return (
    <>
      <a class="skip" href="#main" onClick={skipToMain}>
        Skip to the content
      </a>
      <header>
        <a class="name" href={linkTo(VIEWS[0]!.name)}>
          <img src="icon.svg" alt="" width="28" height="28" /> Selfmate
        </a>
        <nav aria-label="Views">
          {VIEWS.map((view) => (
            <a href={linkTo(view.name)} aria-current={view === open ? "page" : undefined}>
              {view.title}
            </a>
          ))}
        </nav>
      </header>
      <p class="connection" role="status">
        {MESSAGES[connection]}
      </p>
      <main id="main" class={`view-${open.name}`} tabIndex={-1}>
        <open.show key={open.name} place={place} />
      </main>
    </>
  );
}

function skipToMain(event: Event): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

// The cookie is set now; the key should not stay where it can be copied by mistake.
if (location.search) history.replaceState(null, "", `${location.pathname}${location.hash}`);
render(<Lab />, document.body);
