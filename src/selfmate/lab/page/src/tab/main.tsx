// Selfmate in a tab: a page that learns chess by itself, without a server.
import { useEffect, useState } from "preact/hooks";
import { Problem } from "../problem";
import { show, Shell, type View } from "../shell";
import { ask, useUpdate } from "./client";
import { Play } from "./play";
import type { Started } from "./protocol";
import { StartedContext } from "./started";
import { Train } from "./train";
import "./tab.css"; // after the views' own

const VIEWS: View[] = [
  { name: "train", title: "Train", show: Train },
  { name: "play", title: "Play", show: Play },
];

function Tab() {
  const [started, setStarted] = useState<Started | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const storage = useUpdate("storage");
  useEffect(() => {
    ask("start").then(setStarted, (error: Error) => setProblem(error.message));
  }, []);
  if (problem !== null)
    return (
      <main>
        <h1>Selfmate in a tab</h1>
        <Problem text={problem} />
      </main>
    );
  if (started === null) return <p class="quiet loading">Loading Selfmate ...</p>;
  return (
    <StartedContext.Provider value={started}>
      <Shell views={VIEWS} message={storage?.problem ?? ""} />
    </StartedContext.Provider>
  );
}

show(Tab);
