import { chart, INK, legend, named, Plot, SOFT, tip } from "./chart";
import { h, lead, section } from "./dom";
import { count, percent } from "./format";
import { tableOf } from "./table";
import type { Shown } from "./types";

interface Row {
  series: string;
  network: string;
  gpu: string;
  total_gpus: number;
  measured: number;
  predicted: number;
  low: number;
  high: number;
  error: number;
  inside: boolean;
  source: string;
}

interface Group {
  by: string;
  name: string;
  mape: number;
  rows: number;
}

function scatter(rows: Row[]): HTMLElement {
  const ends = [
    Math.min(...rows.map((row) => Math.min(row.measured, row.predicted))),
    Math.max(...rows.map((row) => Math.max(row.measured, row.predicted))),
  ];
  const inside = rows.filter((row) => row.inside).length;
  return h(
    "div",
    {},
    chart(`Predicted against published rates of ${rows.length} rows; ${inside} lie inside their interval`, (width) => ({
      height: Math.min(width, 460),
      marginLeft: 64,
      marginRight: 20,
      x: { type: "log", domain: ends, nice: true, label: "published, samples/s", grid: true, tickFormat: "~s" },
      y: { type: "log", domain: ends, nice: true, label: "predicted, samples/s", grid: true, tickFormat: "~s" },
      color: { type: "identity" },
      marks: [
        Plot.line(
          [
            [ends[0], ends[0]],
            [ends[1], ends[1]],
          ],
          { stroke: SOFT, strokeDasharray: "5 4" },
        ),
        Plot.ruleX(rows, { x: "measured", y1: "low", y2: "high", stroke: SOFT, strokeOpacity: 0.35 }),
        Plot.dot(rows, {
          x: "measured",
          y: "predicted",
          r: 3.2,
          fill: (d: Row) => (d.inside ? "var(--forward)" : "var(--network)"),
          stroke: INK,
          strokeWidth: 0.6,
        }),
        Plot.tip(
          rows,
          Plot.pointer({
            x: "measured",
            y: "predicted",
            title: (d: Row) =>
              `${d.network} on ${d.total_gpus} ${d.gpu}\n${d.source}\npublished ${count(Math.round(d.measured))}, predicted ${count(Math.round(d.predicted))} (${count(Math.round(d.low))} to ${count(Math.round(d.high))})\nerror ${percent(d.error)}`,
            ...tip,
          }),
        ),
      ],
    })),
    legend([
      { color: "var(--forward)", name: "inside its 95 % interval" },
      { color: "var(--network)", name: "outside" },
    ]),
  );
}

function groupChart(groups: Group[], by: string): HTMLElement {
  const own = groups
    .filter((group) => group.by === by)
    .sort((a, b) => b.rows - a.rows)
    .slice(0, 24);
  const names = own.map((group) => group.name);
  return h(
    "div",
    { class: "small-plot" },
    h("h4", {}, `by ${by}`),
    chart(
      `Mean absolute error by ${by}: ${own.map((group) => `${group.name} ${percent(group.mape)}`).join(", ")}`,
      (width) => ({
        height: 20 * own.length + 40,
        ...named(names, width, 7.6),
        marginRight: 84,
        x: { label: null, tickFormat: (share: number) => `${Math.round(100 * share)} %`, grid: true, zero: true, ticks: 2 },
        marks: [
          Plot.barX(own, { x: "mape", y: "name", fill: "var(--forward)" }),
          Plot.text(own, {
            x: "mape",
            y: "name",
            text: (d: Group) => `${percent(d.mape)} of ${d.rows}`,
            textAnchor: "start",
            dx: 4,
            fill: SOFT,
          }),
        ],
      }),
    ),
  );
}

export function validationSections(shown: Shown): (HTMLElement | null)[] {
  const rows: Row[] = shown.document.rows
    .filter((row: Shown["document"]) => !row.known && row.measured > 0 && row.predicted > 0)
    .map((row: Shown["document"]) => ({ ...row, inside: row.measured >= row.low && row.measured <= row.high }));
  const groups: Group[] = shown.document.groups;
  const kinds = [...new Set(groups.map((group) => group.by))].filter(
    (by) => groups.filter((group) => group.by === by).length > 1,
  );
  return [
    rows.length > 0
      ? section(
          "Predicted against published",
          lead(
            "Every dot is a published rate; the line through the corners is a perfect prediction, the strokes are 95 % intervals.",
          ),
          scatter(rows),
        )
      : null,
    section("How far predictions are off", tableOf(shown, "errors", false), tableOf(shown, "rules")),
    kinds.length > 0
      ? section(
          "Errors by group",
          lead("Mean absolute error of the predicted rate, and of how many rows."),
          h("div", { class: "small-plots" }, ...kinds.map((by) => groupChart(groups, by))),
          h("details", {}, h("summary", {}, "As a table"), tableOf(shown, "groups")),
        )
      : null,
    section("Every row", tableOf(shown, "rows", false)),
    section("Parameters", tableOf(shown, "parameters", false)),
    section("Where these numbers come from", tableOf(shown, "facts", false)),
  ];
}
