import { chart, INK, legend, Plot, SOFT, tip } from "./chart";
import { h, lead } from "./dom";
import { counted, count, seconds, secondsOf } from "./format";
import type { Series, Shown, StepSeries } from "./types";

export const RUNGS = ["solo", "crowd", "node", "cluster", "warm", "cold"];

const MEANING: Record<string, string> = {
  solo: "one device alone",
  crowd: "all devices of a machine, each for itself",
  node: "gradients averaged as within one machine",
  cluster: "gradients averaged over all machines",
  warm: "real data, from memory",
  cold: "real data, from the disk",
};

interface Rung {
  name: string;
  mean: number;
  low: number;
  high: number;
  rounds: number;
  steps?: StepSeries;
}

function rungsOf(profile: Shown["document"], series: Series): Rung[] {
  return RUNGS.filter((name) => profile.conditions[name]).map((name) => ({
    name,
    ...profile.conditions[name].step_time_s,
    rounds: profile.conditions[name].rounds,
    steps: series.steps?.[name] ?? undefined,
  }));
}

interface Slice {
  rung: string;
  x1: number;
  x2: number;
  weight: number;
}

/** The histogram of a rung's steps as a strip whose darkness is how many there were. */
const stripOf = (rung: Rung): Slice[] => {
  if (!rung.steps) return [];
  const { from, to, counts } = rung.steps.histogram;
  const width = (to - from) / counts.length;
  const most = Math.max(...counts);
  return counts.flatMap((number, i) =>
    number > 0 ? [{ rung: rung.name, x1: from + i * width, x2: from + (i + 1) * width, weight: number / most }] : [],
  );
};

export function ladderChart(profile: Shown["document"], series: Series): HTMLElement {
  const rungs = rungsOf(profile, series);
  const names = rungs.map((rung) => rung.name);
  const spread = rungs.some((rung) => rung.steps);
  const end = Math.max(...rungs.map((rung) => Math.max(rung.high, rung.steps?.q95 ?? 0))) * 1.04;
  const says =
    "Step time of every rung: " +
    rungs.map((rung) => `${rung.name} ${secondsOf(rung)}, ${MEANING[rung.name]}`).join("; ");
  const figure = chart(says, (width) => ({
    height: 44 * rungs.length + 46,
    marginLeft: 62,
    marginRight: 16,
    y: { domain: names, label: null, tickSize: 0 },
    x: {
      domain: [0, end],
      label: "step time",
      tickFormat: seconds,
      grid: true,
      ticks: width < 500 ? 4 : 8,
      clamp: true,
    },
    color: { type: "identity" },
    marks: [
      Plot.ruleX([0], { stroke: SOFT }),
      Plot.rect(
        rungs.flatMap(stripOf).flatMap((slice) => [slice]),
        {
          x1: "x1",
          x2: "x2",
          y: "rung",
          fill: "var(--forward)",
          fillOpacity: (d: Slice) => 0.12 + 0.88 * d.weight,
          insetTop: 9,
          insetBottom: 9,
        },
      ),
      Plot.tickX(
        rungs.filter((rung) => rung.steps),
        {
          x: (d: Rung) => d.steps!.q50,
          y: "name",
          stroke: "var(--on-forward)",
          strokeWidth: 2,
          insetTop: 9,
          insetBottom: 9,
        },
      ),
      // The mean's own interval: what the ladder's differences are made of.
      Plot.ruleY(rungs, { x1: "low", x2: "high", y: "name", stroke: INK, strokeWidth: 3, dy: 16 }),
      Plot.dot(rungs, { x: "mean", y: "name", r: 4.5, fill: "var(--network)", stroke: INK, dy: 16 }),
      ...[true, false].map((before) =>
        Plot.text(
          rungs.filter((rung) => rung.mean > 0.7 * end === before),
          {
            x: before ? "low" : "high",
            y: "name",
            text: (d: Rung) => seconds(d.mean),
            fill: INK,
            fontWeight: 600,
            textAnchor: before ? "end" : "start",
            dx: before ? -9 : 9,
            dy: 16,
            stroke: "var(--page)",
            strokeWidth: 3,
          },
        ),
      ),
      Plot.tip(
        rungs,
        Plot.pointerY({
          x: "mean",
          y: "name",
          title: (d: Rung) =>
            [
              `${d.name}: ${MEANING[d.name]}`,
              `mean ${secondsOf(d)}, ${counted(d.rounds, "round")}`,
              d.steps
                ? `single steps: ${seconds(d.steps.least)} to ${seconds(d.steps.largest)}, median ${seconds(d.steps.q50)}`
                : "",
            ]
              .filter(Boolean)
              .join("\n"),
          ...tip,
        }),
      ),
    ],
  }));
  return h(
    "div",
    {},
    figure,
    legend([
      { color: "var(--network)", name: "mean over rounds, with its 95 % interval" },
      ...(spread ? [{ color: "var(--forward)", name: "single steps (the darker, the more), the median marked" }] : []),
    ]),
  );
}

const PARTS = [
  { key: "data_wait_s", name: "data wait", color: "var(--fetch)" },
  { key: "copy_s", name: "copy", color: "var(--prep)" },
  { key: "forward_s", name: "forward", color: "var(--forward)" },
  { key: "backward_s", name: "backward", color: "var(--compute)" },
  { key: "exposed_communication_s", name: "exposed communication", color: "var(--network)" },
  { key: "optimizer_s", name: "optimizer", color: "var(--optimizer)" },
];

interface Piece {
  row: string;
  part: string;
  color: string;
  x1: number;
  x2: number;
}

/** Rows of parts, one behind the other. */
export function piecesOf(rows: { name: string; parts: Record<string, unknown> }[]): Piece[] {
  return rows.flatMap(({ name, parts }) => {
    let at = 0;
    return PARTS.flatMap((part) => {
      const value = Math.max(Number(parts[part.key] ?? 0), 0);
      if (value === 0) return [];
      const piece = { row: name, part: part.name, color: part.color, x1: at, x2: at + value };
      at += value;
      return [piece];
    });
  });
}

export function partsBars(
  rows: { name: string; parts: Record<string, unknown> }[],
  what: string,
  rowHeight: number,
): HTMLElement {
  const pieces = piecesOf(rows);
  const byRow = (name: string) => pieces.filter((piece) => piece.row === name);
  const says = `${what}: ${rows
    .slice(0, 12)
    .map(
      ({ name }) =>
        `${name}: ${byRow(name)
          .map((piece) => `${piece.part} ${seconds(piece.x2 - piece.x1)}`)
          .join(", ")}`,
    )
    .join("; ")}`;
  const used = PARTS.filter((part) => pieces.some((piece) => piece.part === part.name));
  return h(
    "div",
    {},
    chart(says, (width) => ({
      height: rowHeight * rows.length + 46,
      marginLeft: 62,
      marginRight: 16,
      y: {
        domain: rows.map((row) => row.name),
        label: null,
        tickSize: 0,
        padding: rowHeight > 16 ? 0.25 : 0.05,
        axis: rowHeight >= 11 ? "left" : null,
      },
      x: { label: null, tickFormat: seconds, grid: true, ticks: width < 500 ? 4 : 8 },
      color: { type: "identity" },
      marks: [
        Plot.barX(pieces, {
          x1: "x1",
          x2: "x2",
          y: "row",
          fill: "color",
          stroke: "var(--page)",
          strokeWidth: rowHeight > 16 ? 1 : 0,
        }),
        Plot.ruleX([0], { stroke: SOFT }),
        Plot.tip(
          pieces,
          Plot.pointer({
            x: (d: Piece) => (d.x1 + d.x2) / 2,
            y: "row",
            title: (d: Piece) => `${d.row}\n${d.part} ${seconds(d.x2 - d.x1)}`,
            ...tip,
          }),
        ),
      ],
    })),
    legend(used.map((part) => ({ color: part.color, name: part.name }))),
  );
}

export function partsChart(profile: Shown["document"]): HTMLElement {
  const rows = RUNGS.filter((name) => profile.conditions[name]).map((name) => ({
    name,
    parts: profile.conditions[name].parts,
  }));
  return partsBars(rows, "What a step of every rung is made of", 34);
}

interface Course {
  step: number;
  least: number;
  mean: number;
  largest: number;
}

function courseOf(rung: string, series: StepSeries): HTMLElement {
  const width = series.course_width;
  const course: Course[] = series.course.flatMap((bin, i) =>
    bin ? [{ step: i * width, least: bin[0], mean: bin[1], largest: bin[2] }] : [],
  );
  const says = `Step times of ${rung} in the order of measuring, from ${seconds(series.least)} to ${seconds(series.largest)}`;
  return h(
    "div",
    { class: "small-plot" },
    h(
      "h4",
      {},
      rung,
      h("small", {}, ` ${count(series.count)} steps, ${seconds(series.least)} to ${seconds(series.largest)}`),
    ),
    chart(says, (place) => ({
      height: 150,
      marginLeft: 62,
      marginRight: 12,
      marginTop: 8,
      x: { label: null, ticks: Math.min(6, place / 70), tickFormat: "~s" },
      y: { label: null, tickFormat: seconds, ticks: 4, grid: true, nice: true },
      marks: [
        Plot.areaY(course, { x: "step", y1: "least", y2: "largest", fill: "var(--forward)", fillOpacity: 0.5 }),
        Plot.lineY(course, { x: "step", y: "mean", stroke: INK, strokeWidth: 1.2 }),
        Plot.tip(
          course,
          Plot.pointerX({
            x: "step",
            y: "mean",
            title: (d: Course) =>
              `step ${count(d.step)}${width > 1 ? ` and the next ${width - 1}` : ""}\n${seconds(d.least)} to ${seconds(d.largest)}, mean ${seconds(d.mean)}`,
            ...tip,
          }),
        ),
      ],
    })),
  );
}

/** Every step of every rung, in their order; bins keep their extremes. */
export function courseOfSteps(series: Series): HTMLElement | null {
  const steps = series.steps;
  if (!steps) return null;
  const names = RUNGS.filter((name) => steps[name]);
  const widest = Math.max(...names.map((name) => steps[name].course_width));
  const shown = names.reduce((sum, name) => sum + steps[name].count, 0);
  return h(
    "div",
    {},
    lead(
      `${count(shown)} steps that count, of ${count(series.rows ?? shown)} recorded, of all ranks, in the order of measuring. ` +
        (widest > 1
          ? `Up to ${count(widest)} steps share a place; the band reaches from the least to the largest of them, so that no extreme is lost. The line is their mean.`
          : "The band reaches from the fastest to the slowest rank; the line is the mean.") +
        " The axes do not begin at zero.",
    ),
    h("div", { class: "small-plots" }, ...names.map((name) => courseOf(name, steps[name]))),
  );
}
