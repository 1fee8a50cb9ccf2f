// The law of communication stalls: what was measured, what the law says of it, and how far off it is.
import { chart, INK, legend, named, Plot, SOFT, tip } from "./chart";
import { h, lead, section } from "./dom";
import { bytes, count, percent, rangeOf, seconds } from "./format";
import { tableElement, tableOf } from "./table";
import type { Estimate, Shown } from "./types";

interface Place {
  bucket: string;
  link: string;
  ranks: number;
}

interface Point extends Place {
  network: string;
  all_reduces: number;
  stall_s: Estimate;
  law?: { stall_s: number; error: number };
  law_left_out?: { stall_s: number; error: number };
  parts?: Record<string, number>;
}

interface Depth extends Place {
  gradient_bytes: number;
  rows: { network: string; layers: number; all_reduces: number; stall_s: Estimate; law_s?: number }[];
  per_layer_s: Estimate;
  distinguishable: boolean;
}

const COLORS = ["var(--network)", "var(--forward)", "var(--fetch)", "var(--interconnect)", "var(--prep)"];
const PARTS: [string, string, string][] = [
  ["wire_s", "the wire", "var(--network)"],
  ["calls_s", "starting all-reduces", "var(--prep)"],
  ["processors_s", "processors", "var(--forward)"],
  ["stragglers_s", "slower computing (slowest rank, colder caches)", "var(--interconnect)"],
];

const distinct = <Value>(values: Value[]) => [...new Set(values)];
const colorOf = (names: string[], name: string) => COLORS[names.indexOf(name) % COLORS.length];
const bucketName = (bucket: string) =>
  bucket === "tensor" || bucket === "model" ? `one all-reduce per ${bucket}` : `buckets of ${bucket}`;
const placeName = (place: { link: string; ranks: number }) => `${place.link}, ${place.ranks} ranks`;

function depthChart(all: Depth[], place: string, buckets: string[]): HTMLElement {
  const own = all.filter((depth) => placeName(depth) === place);
  const rows = own.flatMap((depth) => depth.rows.map((row) => ({ ...row, ...row.stall_s, bucket: depth.bucket })));
  const slopes = own.map(
    (depth) =>
      `${bucketName(depth.bucket)}: ${rangeOf(depth.per_layer_s, seconds)} a layer${depth.distinguishable ? "" : ", indistinguishable from zero"}`,
  );
  return h(
    "div",
    { class: "small-plot" },
    h("h4", {}, `${place}, ${bytes(own[0].gradient_bytes)} of gradients`),
    chart(`Stall against layers, ${place}: ${slopes.join("; ")}`, (width) => ({
      height: 280,
      marginLeft: 62,
      marginRight: 16,
      x: { type: "log", label: "layers", grid: true, ticks: 5, tickFormat: "~s" },
      y: { label: "stall of a step, measured", tickFormat: seconds, grid: true, zero: true, ticks: 5 },
      color: { type: "identity" },
      marks: [
        Plot.lineY(
          rows.filter((row) => row.law_s !== undefined),
          { x: "layers", y: "law_s", z: "bucket", stroke: (d) => colorOf(buckets, d.bucket), strokeDasharray: "5 4" },
        ),
        // Side by side: bucketings that do not differ would hide each other.
        ...buckets.flatMap((bucket, i) => {
          const of = rows.filter((row) => row.bucket === bucket);
          const dx = 8 * (i - (buckets.length - 1) / 2);
          return [
            Plot.ruleX(of, { x: "layers", y1: "low", y2: "high", stroke: INK, strokeWidth: 1.5, dx }),
            Plot.dot(of, { x: "layers", y: "mean", r: 4, fill: colorOf(buckets, bucket), stroke: INK, dx }),
          ];
        }),
        Plot.tip(
          rows,
          Plot.pointer({
            x: "layers",
            y: "mean",
            title: (d) =>
              `${d.network}, ${bucketName(d.bucket)}\n${count(d.layers)} layers, ${count(d.all_reduces)} all-reduces\nmeasured ${rangeOf(d, seconds)}${d.law_s === undefined ? "" : `\nthe law: ${seconds(d.law_s)}`}`,
            ...tip,
            lineWidth: width < 500 ? 24 : 34,
          }),
        ),
      ],
    })),
    h("ul", { class: "notes" }, ...slopes.map((slope) => h("li", {}, slope))),
  );
}

function depthSection(shown: Shown): HTMLElement | null {
  const all: Depth[] = shown.document.depth;
  if (all.length === 0) return null;
  const buckets = distinct(all.map((depth) => depth.bucket));
  return section(
    "Stall against layers, at the same bytes of gradients",
    lead("Dots are measured, strokes their 95 % intervals; dashed is what the law says."),
    legend(buckets.map((bucket) => ({ color: colorOf(buckets, bucket), name: bucketName(bucket) }))),
    h("div", { class: "small-plots" }, ...distinct(all.map(placeName)).map((place) => depthChart(all, place, buckets))),
    tableOf(shown, "slopes"),
    h("details", {}, h("summary", {}, "Every network"), tableOf(shown, "depth")),
  );
}

/** The law as it was fitted without the network that it is asked about, where that was done. */
const said = (point: Point) => point.law_left_out ?? point.law;

function scatter(points: Point[], places: string[]): HTMLElement {
  const values = points.flatMap((point) => [point.stall_s.mean, said(point)!.stall_s]);
  const ends: [number, number] = [Math.min(...values), Math.max(...values)];
  return chart(
    `Stalls by the law against ${count(points.length)} measured ones, from ${seconds(ends[0])} to ${seconds(ends[1])}`,
    (width) => ({
      height: Math.min(width, 460),
      marginLeft: 64,
      marginRight: 20,
      x: {
        type: "log",
        domain: ends,
        nice: true,
        label: "measured stall of a step",
        tickFormat: seconds,
        grid: true,
        ticks: width < 500 ? 3 : 6,
      },
      y: { type: "log", domain: ends, nice: true, label: "by the law", tickFormat: seconds, grid: true, ticks: 6 },
      color: { type: "identity" },
      marks: [
        Plot.line([ends, ends].map((_, i) => [ends[i], ends[i]]), { stroke: SOFT, strokeDasharray: "5 4" }),
        Plot.ruleY(points, {
          y: (d: Point) => said(d)!.stall_s,
          x1: (d: Point) => Math.max(d.stall_s.low, ends[0]),
          x2: (d: Point) => d.stall_s.high,
          stroke: SOFT,
          strokeOpacity: 0.5,
        }),
        Plot.dot(points, {
          x: (d: Point) => d.stall_s.mean,
          y: (d: Point) => said(d)!.stall_s,
          r: 3.6,
          fill: (d: Point) => colorOf(places, placeName(d)),
          stroke: INK,
          strokeWidth: 0.6,
        }),
        Plot.tip(
          points,
          Plot.pointer({
            x: (d: Point) => d.stall_s.mean,
            y: (d: Point) => said(d)!.stall_s,
            title: (d: Point) =>
              `${d.network}, ${bucketName(d.bucket)}\n${placeName(d)}, ${count(d.all_reduces)} all-reduces\nmeasured ${rangeOf(d.stall_s, seconds)}\nby the law ${seconds(said(d)!.stall_s)}, off by ${percent(said(d)!.error)} of a step`,
            ...tip,
            lineWidth: 34,
          }),
        ),
      ],
    }),
  );
}

function scatterSection(shown: Shown): HTMLElement | null {
  const all: Point[] = shown.document.points;
  const drawn = all.filter((point) => point.stall_s.mean > 0 && (said(point)?.stall_s ?? 0) > 0);
  if (drawn.length === 0) return null;
  const places = distinct(drawn.map(placeName));
  const left = all.length - drawn.length;
  return section(
    "Measured, and by the law",
    lead(
      `Every dot is a network, a bucketing and a link. The law was fitted without the network that it is asked about, wherever that could be done; the line is a law without error.${left > 0 ? ` ${count(left)} of ${count(all.length)} points have no stall to draw, or none by the law.` : ""}`,
    ),
    scatter(drawn, places),
    legend(places.map((place) => ({ color: colorOf(places, place), name: place }))),
  );
}

function partsChart(points: Point[]): HTMLElement {
  const pieces = points.flatMap((point) => {
    let at = 0;
    return PARTS.map(([key, name, color]) => {
      const value = Math.max(point.parts![key] ?? 0, 0);
      const begin = at;
      at += value;
      return { network: point.network, name, color, begin, end: at, value };
    });
  });
  const networks = points.map((point) => point.network);
  return chart(
    `What each stall is made of, by the law: ${points.map((point) => `${point.network} ${PARTS.map(([key, name]) => `${name} ${seconds(point.parts![key] ?? 0)}`).join(", ")}`).join("; ")}`,
    (width) => ({
      height: 30 * networks.length + 46,
      ...named(networks, width, 6.6),
      marginRight: 20,
      x: { label: "stall of a step, by the law", tickFormat: seconds, grid: true, ticks: width < 500 ? 3 : 6 },
      color: { type: "identity" },
      marks: [
        Plot.barX(pieces, { x1: "begin", x2: "end", y: "network", fill: "color", stroke: "var(--page)" }),
        Plot.tip(
          pieces.filter((piece) => piece.value > 0),
          Plot.pointer({
            x: (d) => (d.begin + d.end) / 2,
            y: "network",
            title: (d) => `${d.network}\n${d.name}: ${seconds(d.value)}`,
            ...tip,
          }),
        ),
      ],
    }),
  );
}

function partsSection(shown: Shown): HTMLElement | null {
  const points: Point[] = shown.document.points.filter((point: Point) => point.parts);
  if (points.length === 0) return null;
  const keyOf = (point: Point) => `${bucketName(point.bucket)}, ${placeName(point)}`;
  const keys = distinct(points.map(keyOf));
  const place = h("div");
  const show = (key: string) => place.replaceChildren(partsChart(points.filter((point) => keyOf(point) === key)));
  const select = h(
    "select",
    { id: "law-parts", onchange: () => show(select.value) },
    ...keys.map((key) => h("option", { value: key }, key)),
  );
  show(keys[0]);
  return section(
    "What a stall is made of",
    lead("As the law accounts for it. What hides behind the backward pass is no part of the stall."),
    h("p", {}, h("label", { for: "law-parts" }, "Show "), select),
    place,
    legend(PARTS.map(([, name, color]) => ({ color, name }))),
  );
}

interface Mistake {
  where: string;
  form: string;
  median: number;
  worst: number;
}

function errorsChart(errors: Shown["document"]): HTMLElement | null {
  const rows: Mistake[] = [];
  const add = (where: string, both: Shown["document"]) => {
    for (const [key, form] of [
      ["law", "the law"],
      ["macroscopic", "layers and bytes alone"],
    ]) {
      if (both[key]) rows.push({ where, form, median: both[key].median, worst: both[key].percentile90 });
    }
  };
  add("all points", errors);
  for (const one of errors.by_link ?? []) add(one.link, one);
  for (const one of errors.by_bucket ?? []) add(bucketName(one.bucket), one);
  if (rows.length === 0) return null;
  const color = (form: string) => (form === "the law" ? "var(--fetch)" : "var(--network)");
  const names = distinct(rows.map((row) => row.where));
  const picture = chart(
    `Errors as shares of a step: ${rows.map((row) => `${row.where}, ${row.form}: median ${percent(row.median)}, 90th percentile ${percent(row.worst)}`).join("; ")}`,
    (width) => ({
      height: 44 * names.length + 46,
      ...named(names, width, 6.6),
      marginRight: 20,
      fy: { domain: names, axis: null },
      y: { axis: null, domain: distinct(rows.map((row) => row.form)) },
      x: {
        label: "error, as a share of a step: bar to the median, stroke to the 90th percentile",
        tickFormat: percent,
        grid: true,
        zero: true,
        ticks: width < 500 ? 3 : 6,
      },
      color: { type: "identity" },
      marks: [
        Plot.axisFy({ anchor: "left", label: null, tickFormat: named(names, width, 6.6).y.tickFormat }),
        Plot.barX(rows, { fy: "where", y: "form", x: "median", fill: (d: Mistake) => color(d.form) }),
        Plot.ruleY(rows, { fy: "where", y: "form", x1: "median", x2: "worst", stroke: INK, strokeWidth: 2 }),
        Plot.tip(
          rows,
          Plot.pointer({
            fy: "where",
            y: "form",
            x: "median",
            title: (d: Mistake) =>
              `${d.where}, ${d.form}\nmedian ${percent(d.median)}, 90th percentile ${percent(d.worst)} of a step`,
            ...tip,
          }),
        ),
      ],
    }),
  );
  const forms = distinct(rows.map((row) => row.form));
  return h("div", {}, picture, legend(forms.map((form) => ({ color: color(form), name: form }))));
}

/** Those that stand beside their pictures; the statements stand as a list. */
const SHOWN = ["coefficients", "errors", "slopes", "depth", "extrapolation", "statements"];

/** The tables that no section has shown yet, in the command's own order. */
function otherTables(shown: Shown, used: string[]): HTMLElement[] {
  return shown.tables
    .filter((table) => !used.includes(table.id))
    .map((table) => tableElement(table, `law-${table.id}.csv`, true));
}

export function lawSections(shown: Shown): (HTMLElement | null)[] {
  const law = shown.document;
  return [
    section(
      "What dominates where",
      law.statements.length > 0
        ? h("ul", { class: "notes" }, ...law.statements.map((one: { text: string }) => h("li", {}, one.text)))
        : null,
      tableOf(shown, "coefficients"),
    ),
    depthSection(shown),
    scatterSection(shown),
    section("How far off", errorsChart(law.errors), tableOf(shown, "errors", false)),
    partsSection(shown),
    section("Larger networks than any that was fitted", tableOf(shown, "extrapolation", false)),
    section("Every number", ...otherTables(shown, SHOWN)),
  ];
}
