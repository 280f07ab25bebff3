// Bundles the page: `node build.mjs OUT` writes index.html, page.js, page.css and icon.svg to OUT.
import { build } from "esbuild";
import { copyFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const here = import.meta.dirname;
const out = process.argv[2] ?? join(here, "..", "static");

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

await mkdir(out, { recursive: true });
await build({
  entryPoints: { page: join(here, "src", "main.tsx") },
  outdir: out,
  bundle: true,
  minify: true,
  target: "es2022",
  legalComments: "eof",
  loader: { ".svg": "dataurl" },
  plugins: [pieces],
  logLevel: "warning",
});
for (const name of ["index.html", "icon.svg"]) await copyFile(join(here, name), join(out, name));
