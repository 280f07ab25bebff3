// Players in plain words: `teacher:depth=1` is "Teacher, depth 1", `runs/x:version=5` "x, version 5".

const RUNS = "runs/";

export function playerTitle(name: string): string {
  const colon = name.lastIndexOf(":");
  const hasSettings = colon > 0 && name.includes("=", colon);
  const kind = hasSettings ? name.slice(0, colon) : name;
  const title = kind.startsWith(RUNS) ? kind.slice(RUNS.length) : kind[0]?.toUpperCase() + kind.slice(1);
  const settings = hasSettings ? name.slice(colon + 1).split(",") : [];
  return [title, ...settings.map(inWords)].join(", ");
}

function inWords(setting: string): string {
  const [key = "", value = ""] = setting.split("=");
  if (key === "random") return `${value} % random moves`;
  return `${key === "elo" ? "Elo" : key} ${value}`;
}
