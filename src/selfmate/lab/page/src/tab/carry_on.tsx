// Weights on their way out of the tab and into it.
import { useEffect, useRef, useState } from "preact/hooks";
import { download } from "../download";
import { Problem, useAttempt } from "../problem";
import type { RunData } from "../types";
import { ask } from "./client";
import { draggedFiles, filesOf, readFiles } from "./dropped";
import { DEFAULTS } from "./settings";
import type { NetSettings } from "./protocol";

type Props = { run: RunData; net: NetSettings };

export function CarryOn({ run, net }: Props) {
  const { problem, busy, attempt } = useAttempt();
  const [loaded, setLoaded] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const save = () =>
    attempt(async () => {
      const { path, bytes } = await ask("download");
      download(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "application/zip" }), path);
    });
  const load = async (files: Promise<File[]>) => {
    setLoaded(null);
    const sure =
      "Put the net of this checkpoint in the place of yours? Download yours first to keep it.";
    if (run.done && !confirm(sure)) return;
    setLoaded(await attempt(async () => ask("load", { files: await readFiles(await files) })));
  };
  const isOver = useDrop(load);
  return (
    <section class={`card carry-on${isOver ? " over" : ""}`} aria-labelledby="carry-on">
      <h2 id="carry-on">Carry on elsewhere</h2>
      <p>
        Your net, its curves, the settings and the game are kept in this browser. Download the
        weights as a run's folder, and everything else of Selfmate can use them:
      </p>
      <pre>
        {[
          "selfmate match selfmate-tab random",
          "selfmate uci selfmate-tab",
          `selfmate train reinforce --load selfmate-tab${flags(net)}`,
        ].join("\n")}
      </pre>
      <p>
        Or bring a run of <code>selfmate train reinforce</code> here: drop its folder, a zip archive
        of it, or <code>card.json</code> with <code>weights.safetensors</code> onto this page.
      </p>
      <div class="line">
        <button disabled={busy} onClick={() => void save()}>
          Download weights
        </button>
        <button disabled={busy} onClick={() => input.current?.click()}>
          Load a checkpoint
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Files of a checkpoint"
          onChange={({ currentTarget }) => {
            void load(Promise.resolve(filesOf(currentTarget)));
            currentTarget.value = "";
          }}
        />
        <span role="status">{loaded}</span>
      </div>
      <Problem text={problem} />
    </section>
  );
}

/** What the command line must be told for a net of the same shape. */
function flags({ encoding, hidden, baseline }: NetSettings): string {
  const shape = {
    encoding,
    hidden: `[${hidden.join(",")}]`,
    baseline: baseline === "value_head" ? baseline : "none",
  };
  const usual = {
    encoding: DEFAULTS.encoding,
    hidden: `[${DEFAULTS.hidden.join(",")}]`,
    baseline: DEFAULTS.baseline,
  };
  const changed = Object.entries(shape).filter(
    ([name, value]) => value !== usual[name as keyof typeof usual],
  );
  return changed.map(([name, value]) => ` --set ${name}=${value}`).join("");
}

/** Files that are dropped anywhere onto the page; whether some are held above it. */
function useDrop(onDrop: (files: Promise<File[]>) => Promise<void>): boolean {
  const [isOver, setOver] = useState(false);
  const latest = useRef(onDrop);
  latest.current = onDrop;
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => event.relatedTarget === null && setOver(false);
    const drop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(false);
      void latest.current(draggedFiles(event.dataTransfer));
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return isOver;
}
