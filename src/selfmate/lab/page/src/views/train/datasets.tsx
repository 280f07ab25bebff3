// Games to pretrain on: imported from folders that the lab may read, or played by the teacher.
import { useState } from "preact/hooks";
import { post } from "../../api";
import { Problem, useAttempt } from "../../problem";
import type { DatasetRow, DatasetsData, NewCollection, NewImport } from "../../types";
import { State } from "./run_list";

export function Datasets({ data }: { data: DatasetsData | null }) {
  if (data === null) return <p class="quiet">Loading ...</p>;
  return (
    <>
      <p class="quiet">Learners named pretrain learn from games before they play themselves.</p>
      {data.datasets.length > 0 && (
        <ul class="rows datasets" aria-label="Datasets">
          {data.datasets.map((one) => (
            <li key={`${one.kind} ${one.name}`}>
              <span class="title">
                <b>{one.name}</b> <State state={one.state} />
              </span>
              <small>{aboutText(one)}</small>
              <Problem text={one.problem} />
            </li>
          ))}
        </ul>
      )}
      <details>
        <summary>Import games</summary>
        <ImportForm files={data.files} />
      </details>
      <details>
        <summary>Collect games of the teacher</summary>
        <CollectForm />
      </details>
    </>
  );
}

function aboutText({ kind, path }: DatasetRow): string {
  const about = kind === "games" ? "imported games" : "games of the teacher, for dqn";
  return path === "" ? about : `${about}: ${path}`;
}

function ImportForm({ files }: { files: string[] }) {
  const [chosen, setChosen] = useState<string[]>([]);
  const [name, setName] = useState("");
  const [leastElo, setLeastElo] = useState(0);
  const [most, setMost] = useState("");
  const { problem, busy, attempt } = useAttempt();
  if (files.length === 0)
    return (
      <p class="quiet">
        There are no PGN files that the lab may read. Name their folder when you start it:{" "}
        <code>selfmate lab --data DIR</code>
      </p>
    );
  const toggle = (file: string) =>
    setChosen(chosen.includes(file) ? chosen.filter((one) => one !== file) : [...chosen, file]);
  const submit = (event: Event) => {
    event.preventDefault();
    const body: NewImport = { name, files: chosen, least_elo: leastElo, max_games: most === "" ? null : Number(most) };
    void attempt(() => post<DatasetsData>("datasets/import", body));
  };
  return (
    <form onSubmit={submit}>
      <fieldset class="files">
        <legend>Files of games</legend>
        {files.map((file) => (
          <label key={file}>
            <input type="checkbox" checked={chosen.includes(file)} onChange={() => toggle(file)} />
            {file}
          </label>
        ))}
      </fieldset>
      <NameField name={name} onName={setName} />
      <div class="line">
        <NumberField label="least rating of both" value={String(leastElo)} onInput={(text) => setLeastElo(Number(text))} />
        <NumberField label="games at most" value={most} onInput={setMost} />
      </div>
      <Problem text={problem} />
      <button type="submit" disabled={busy || chosen.length === 0 || name === ""}>
        Import
      </button>
    </form>
  );
}

function CollectForm() {
  const [name, setName] = useState("");
  const [games, setGames] = useState("200");
  const [depth, setDepth] = useState("2");
  const { problem, busy, attempt } = useAttempt();
  const submit = (event: Event) => {
    event.preventDefault();
    const body: NewCollection = { name, games: Number(games), depth: Number(depth) };
    void attempt(() => post<DatasetsData>("datasets/collect", body));
  };
  return (
    <form onSubmit={submit}>
      <NameField name={name} onName={setName} />
      <div class="line">
        <NumberField label="games" value={games} onInput={setGames} />
        <NumberField label="depth, plies" value={depth} onInput={setDepth} />
      </div>
      <Problem text={problem} />
      <button type="submit" disabled={busy || name === ""}>
        Collect
      </button>
    </form>
  );
}

function NameField({ name, onName }: { name: string; onName: (name: string) => void }) {
  return (
    <label>
      <span>name of the dataset</span>
      <input value={name} maxLength={60} spellcheck={false} onInput={(event) => onName(event.currentTarget.value)} />
    </label>
  );
}

type NumberProps = { label: string; value: string; onInput: (text: string) => void };

function NumberField({ label, value, onInput }: NumberProps) {
  return (
    <label>
      <span>{label}</span>
      <input type="number" min="0" step="1" value={value} onInput={(event) => onInput(event.currentTarget.value)} />
    </label>
  );
}
