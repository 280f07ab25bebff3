// Bundles the pages: `node build.mjs OUT` writes the lab's page to OUT, `node build.mjs OUT CORE` the
// page that learns without a server, with core.js and core.wasm from the folder CORE.
import { build } from "esbuild";
import { copyFile, cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

const here = import.meta.dirname;
const [out = join(here, "..", "static"), core] = process.argv.slice(2);

// The piece set names its classes as chessground does, the board as its successor chessgroundx.
const letters = { pawn: "p", knight: "n", bishop: "b", rook: "r", queen: "q", king: "k" };
const pieces = {
  name: "pieces",
  setup(of) {
    of.onLoad({ filter: /chessground\.cburnett\.css$/ }, async ({ path }) => {
      const css = await readFile(path, "utf8");
      const renamed = css.replace(
        /piece\.(pawn|knight|bishop|rook|queen|king)\b/g,
        (_, role) => `piece.${letters[role]}-piece`,
      );
      return { contents: renamed, loader: "css" };
    });
  },
};

const bundle = (entryPoints, options = {}) =>
  build({
    entryPoints,
    outdir: out,
    bundle: true,
    minify: true,
    target: "es2022",
    legalComments: "eof",
    loader: { ".svg": "dataurl" },
    plugins: [pieces],
    logLevel: "warning",
    ...options,
  });

await mkdir(out, { recursive: true });
await copyFile(join(here, "icon.svg"), join(out, "icon.svg"));
if (core === undefined) {
  await bundle({ page: join(here, "src", "main.tsx") });
  await copyFile(join(here, "index.html"), join(out, "index.html"));
} else {
  const tab = join(here, "src", "tab");
  await bundle({ tab: join(tab, "main.tsx") });
  await bundle({ worker: join(tab, "worker.ts") }, { alias: { "selfmate-core": resolve(core, "core.js") } });
  // Browsers fetch an icon again whenever the address changes; the server may be gone by then.
  const icon = encodeURIComponent(await readFile(join(here, "icon.svg"), "utf8"));
  const html = await readFile(join(here, "tab.html"), "utf8");
  await writeFile(join(out, "index.html"), html.replace('"icon.svg"', `"data:image/svg+xml,${icon}"`));
  await copyFile(join(core, "core.wasm"), join(out, "core.wasm"));
  for (const net of ["alphazero-tiny", "searchless-tiny"])
    await cp(join(here, "..", "..", "weights", net), join(out, "nets", net), { recursive: true });
}
