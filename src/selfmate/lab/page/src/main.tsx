// The page: a menu, the view that is open, and a line when the server is away.
import { render } from "preact";
import "chessgroundx/assets/chessground.base.css";
import "chessgroundx/assets/chessground.cburnett.css";
import "uplot/dist/uPlot.min.css";
import { useEffect } from "preact/hooks";
import { useConnected, useTopic } from "./news";
import { linkTo, usePlace } from "./place";
import "./style.css";
import { VIEWS } from "./views";

function Lab() {
  const place = usePlace();
  const connected = useConnected();
  useTopic("runs"); // keeps the socket open in every view
  const open = VIEWS.find((view) => view.name === place.view) ?? VIEWS[0]!;
  const subject = place.settings.get("run") ?? place.settings.get("id");
  useEffect(() => {
    document.title = [subject, open.title, "Selfmate"].filter(Boolean).join(" – ");
    scrollTo({ top: 0 });
  }, [open, subject]);
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
        <span class="connection" role="status">
          {connected ? "" : "Looking for the lab ..."}
        </span>
      </header>
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

// The cookie is set now; the key need not stay where it can be seen or copied by mistake.
if (location.search) history.replaceState(null, "", `${location.pathname}${location.hash}`);
render(<Lab />, document.body);
