// Opens pages in Chromium and answers what was asked of them: node drive.mjs PACKAGES CHROMIUM
// Each line that comes in is a list of jobs, and each that goes out the list of their answers.
// A job: {file, width, height, scheme, shot, pdf, axe, ask: [functions as text], download}. The answer of each: {console, requests,
// overflow, values, violations, load_ms}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const [packages, executablePath] = process.argv.slice(2);
const require = createRequire(join(packages, "package.json"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

// Every job has a context of its own: no cookie, no cache and no setting of another one's.
const open = async (job) => {
  const context = await browser.newContext({
    viewport: { width: job.width ?? 1280, height: job.height ?? 900 },
    colorScheme: job.scheme ?? "light",
    // axe is put into the page by the test, past the page's own policy; all else is looked at with the policy in force.
    bypassCSP: job.axe ?? false,
    acceptDownloads: true,
  });
  const page = await context.newPage();
  const answer = { console: [], requests: [], values: [] };
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) answer.console.push(message.text());
  });
  page.on("pageerror", (error) => answer.console.push(`${error.message}\n${error.stack}`));
  const address = pathToFileURL(job.file).href;
  page.on("request", (request) => {
    if (request.url() !== address) answer.requests.push(request.url());
  });
  const begin = Date.now();
  await page.goto(address);
  if (!job.bare) await page.waitForSelector("main section svg, main .table", { timeout: 60_000 });
  // Pictures are drawn when their width is known, a frame later.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  answer.load_ms = Date.now() - begin;
  if (job.drawn) await page.waitForTimeout(job.drawn);
  answer.overflow = await page.evaluate(() => {
    const root = document.documentElement;
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) =>
        !element.closest(".scroll, .skip, .offscreen, svg, noscript, script") &&
        element.getBoundingClientRect().right > root.clientWidth + 1,
    );
    return {
      client: root.clientWidth,
      scroll: root.scrollWidth,
      wide: wide.map((element) => element.outerHTML.slice(0, 90)),
    };
  });
  for (const ask of job.ask ?? []) answer.values.push(await page.evaluate(`(${ask})()`));
  if (job.download) {
    const waiting = page.waitForEvent("download");
    await page.click(job.download);
    answer.download = readFileSync(await (await waiting).path(), "utf8");
  }
  if (job.keys) {
    for (const key of job.keys) await page.keyboard.press(key);
    answer.focus = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200));
  }
  if (job.after) answer.after = await page.evaluate(`(${job.after})()`);
  if (job.axe) {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
    answer.violations = violations
      .filter((violation) => ["serious", "critical"].includes(violation.impact))
      .map(
        (violation) =>
          `${violation.id}: ${violation.help}: ${violation.nodes
            .slice(0, 3)
            .map((node) => `${node.html.slice(0, 160)} ${node.failureSummary ?? ""}`)
            .join(" | ")}`,
      );
  }
  if (job.shot) await page.screenshot({ path: job.shot, fullPage: !job.fold });
  if (job.pdf) await page.pdf({ path: job.pdf });
  await context.close();
  return answer;
};

for await (const line of createInterface({ input: process.stdin })) {
  const answers = [];
  for (const job of JSON.parse(line)) answers.push(await open(job));
  process.stdout.write(`${JSON.stringify(answers)}\n`);
}
await browser.close();
