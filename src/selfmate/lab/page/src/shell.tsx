// What every view has around it: the menu, a line that says what is wrong, and the title.
import { type FunctionComponent, render } from "preact";
import { useEffect } from "preact/hooks";
import "chessgroundx/assets/chessground.base.css";
import "chessgroundx/assets/chessground.cburnett.css";
import "uplot/dist/uPlot.min.css";
import { linkTo, type Place, usePlace } from "./place";
import "./style.css";

export type View = {
  name: string;
  title: string;
  show: FunctionComponent<{ place: Place }>;
  /** Not in the menu: other views lead there. */
  isHidden?: boolean;
};

type ShellProps = {
  /** In the order of the menu; the first one is open at first. */
  views: View[];
  /** What concerns all views, such as that a server is away. */
  message: string;
};

export function Shell({ views, message }: ShellProps) {
  const place = usePlace();
  const open = views.find((view) => view.name === place.view) ?? views[0]!;
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
        <a class="name" href={linkTo(views[0]!.name)}>
          <img src="icon.svg" alt="" width="28" height="28" /> Selfmate
        </a>
        <nav aria-label="Views">
          {views.filter((view) => !view.isHidden).map((view) => (
            <a href={linkTo(view.name)} aria-current={view === open ? "page" : undefined}>
              {view.title}
            </a>
          ))}
        </nav>
      </header>
      <p class="connection" role="status">
        {message}
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

export function show(App: FunctionComponent): void {
  render(<App />, document.body);
}
