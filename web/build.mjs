// Bundles src/ into one HTML file: node build.mjs FOLDER_WITH_NODE_MODULES OUTPUT. Beside it, licences.txt has the
// licences of the packages that are in it.
// The command fills @TITLE@, @FALLBACK@ and @DATA@ (stallscope/report/page.cpp).
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const [packages = here, output = join(here, "dist/page.html")] = process.argv.slice(2).map((path) => resolve(path));
const { buildSync } = createRequire(join(packages, "package.json"))("esbuild");

const bundled = new Set();
const bundle = (entry) => {
  const result = buildSync({
    entryPoints: [join(here, "src", entry)],
    absWorkingDir: packages,
    nodePaths: [join(packages, "node_modules")],
    bundle: true,
    minify: true,
    write: false,
    charset: "utf8",
    target: ["es2020"],
    format: "iife",
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  });
  for (const input of Object.keys(result.metafile.inputs)) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input);
    if (name) bundled.add(name[1]);
  }
  return result.outputFiles[0].text.trim();
};

const script = bundle("main.ts");
const style = bundle("style.css");
if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style)) throw new Error("the bundle would end its own element");
for (const text of [script, style]) {
  if (/@(TITLE|FALLBACK|DATA)@/.test(text) || text.includes(')EMBEDDED"'))
    throw new Error("the bundle holds a mark of the template");
}
// Nothing is loaded and nothing is sent; only this very script runs, also where a name in a document should
// ever get past the escaping.
const hash = createHash("sha256").update(script).digest("base64");
const policy =
  `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; ` +
  "base-uri 'none'; form-action 'none'";

mkdirSync(dirname(output), { recursive: true });
writeFileSync(
  output,
  `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="stallscope">
<title>@TITLE@</title>
<style>${style}</style>
</head>
<body>
<noscript>@FALLBACK@</noscript>
<div id="app"></div>
<script type="application/json" id="data">@DATA@</script>
<script>${script}</script>
</body>
</html>
`,
);

const licenceOf = (name) => {
  const folder = join(packages, "node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one));
  const text = file && existsSync(join(folder, file)) ? readFileSync(join(folder, file), "utf8").trim() : license;
  return `${name} ${version}\n\n${text}\n`;
};
writeFileSync(
  join(dirname(output), "licences.txt"),
  ["The report page contains these packages.\n", ...[...bundled].sort().map(licenceOf)].join(`\n${"-".repeat(72)}\n\n`),
);
