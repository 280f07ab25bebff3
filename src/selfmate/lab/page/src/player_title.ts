// Players in plain words: `teacher:depth=1` is "teacher, depth 1", `runs/x:version=5` "x, version 5".

export function playerTitle(name: string): string {
  const colon = name.lastIndexOf(":");
  const hasSettings = colon > 0 && name.includes("=", colon);
  const kind = (hasSettings ? name.slice(0, colon) : name).replace(/^runs\//, "");
  const settings = hasSettings ? name.slice(colon + 1).split(",") : [];
  const words = settings.map((setting) => setting.replace("=", " ").replace(/^elo /, "Elo "));
  return [kind, ...words].join(", ");
}
