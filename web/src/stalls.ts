// One training step as a bar: what computes, and what waits.
import { chart, INK, Plot, tip } from "./chart";
import { h } from "./dom";
import { percent, percentOf, seconds, secondsOf } from "./format";
import type { Estimate } from "./types";

export const STALLS = ["compute", "interconnect", "network", "prep", "fetch"] as const;
const MEANING: Record<string, string> = {
  compute: "computing",
  interconnect: "waiting for devices of the same machine",
  network: "waiting for other machines",
  prep: "waiting for CPUs to prepare data",
  fetch: "waiting for the disk",
  contention: "sharing the machine",
  communication: "exchanging gradients inside it",
  copy: "moving data to the device",
};

export interface Stall {
  seconds: Estimate;
  share: Estimate;
  distinguishable?: boolean;
  contention?: Stall;
  communication?: Stall;
  copy?: Stall;
}

export interface Total {
  title: string;
  step: Estimate;
  stalls: Record<string, Stall>;
}

interface Segment {
  name: string;
  total: string;
  begin: number;
  end: number;
  stall: Stall;
}

/** An area says "so much": what may be nothing, or is less than nothing, is told and not drawn. */
const hasArea = (stall: Stall) => stall.distinguishable !== false && stall.seconds.mean > 0;

const doubt = (stall: Stall) =>
  stall.distinguishable === false
    ? "indistinguishable from zero"
    : stall.seconds.mean < 0
      ? "negative: something else differs between the rungs"
      : "";

function segmentsOf(total: Total): Segment[] {
  let at = 0;
  return STALLS.flatMap((name) => {
    const stall = total.stalls[name];
    if (!stall || !hasArea(stall)) return [];
    const begin = at;
    at += stall.seconds.mean;
    return [{ name, total: total.title, begin, end: at, stall }];
  });
}

const said = (total: Total) =>
  `${total.title}, ${secondsOf(total.step)} per step: ` +
  STALLS.filter((name) => total.stalls[name])
    .map(
      (name) =>
        `${name} ${percentOf(total.stalls[name].share)}${doubt(total.stalls[name]) ? ` (${doubt(total.stalls[name])})` : ""}`,
    )
    .join(", ");

function numbers(name: string, stall: Stall): (Node | string)[] {
  return [
    h("b", {}, name),
    " ",
    h("span", { class: "number" }, percentOf(stall.share)),
    " ",
    h("span", { class: "number soft" }, secondsOf(stall.seconds)),
    doubt(stall) ? h("small", { class: "doubt" }, `${doubt(stall)}${hasArea(stall) ? "" : ", not drawn"}`) : "",
  ];
}

function legendOf(total: Total): HTMLElement {
  return h(
    "ul",
    { class: "legend" },
    ...STALLS.filter((name) => total.stalls[name]).map((name) => {
      const stall = total.stalls[name];
      const parts = (["contention", "communication", "copy"] as const).filter((part) => stall[part]);
      return h(
        "li",
        {},
        h("span", { class: `square ${hasArea(stall) ? `fill-${name}` : "none"}` }),
        h(
          "div",
          {},
          ...numbers(name, stall),
          h("small", { class: "meaning" }, MEANING[name]),
          ...parts.map((part) => {
            const own = stall[part] as Stall;
            return h(
              "div",
              { class: "part" },
              `of it ${part} `,
              h("span", { class: "number" }, percentOf(own.share)),
              doubt(own) ? h("small", { class: "doubt" }, ` ${doubt(own)}`) : "",
            );
          }),
        ),
      );
    }),
  );
}

/** Stacked bars on one axis, so that their lengths compare; each with the interval of its segments' ends. */
export function stallBars(totals: Total[]): HTMLElement {
  const segments = totals.flatMap(segmentsOf);
  const means = Math.max(...totals.map((total) => total.step.mean), ...segments.map((segment) => segment.end));
  // Intervals have room, but not so much that nothing of the bars is left.
  const highs = segments.map((segment) => segment.begin + segment.stall.seconds.high);
  const end = Math.min(Math.max(means, ...highs), 2.2 * means);
  const bars = totals.map((total) => {
    const own = segments.filter((segment) => segment.total === total.title);
    return h(
      "div",
      { class: "total" },
      h("p", { class: "caption" }, `${total.title}: `, h("b", { class: "number" }, secondsOf(total.step)), " per step"),
      chart(said(total), (width) => ({
        height: 96,
        marginLeft: 4,
        marginRight: 14,
        marginTop: 4,
        marginBottom: 26,
        x: { domain: [0, end * 1.01], label: null, tickFormat: seconds, ticks: width < 500 ? 4 : 8 },
        y: { axis: null },
        color: { type: "identity" },
        marks: [
          Plot.barX(own, {
            x1: "begin",
            x2: "end",
            fill: (d: Segment) => `var(--${d.name})`,
            stroke: "var(--page)",
            strokeWidth: 1.5,
            insetBottom: 14,
            rx: 2,
          }),
          Plot.text(
            own.filter((d) => ((d.end - d.begin) / end) * width > 8.2 * d.name.length + 8),
            {
              x: (d: Segment) => (d.begin + d.end) / 2,
              text: (d: Segment) => `${d.name}\n${percent(d.stall.share.mean)}`,
              fill: (d: Segment) => `var(--on-${d.name})`,
              fontWeight: 600,
              fontSize: 13,
              lineHeight: 1.25,
              dy: -7,
            },
          ),
          // The 95 % interval of each stall, around the end of its segment.
          Plot.ruleX(own, { x: "end", stroke: INK, insetTop: 54, insetBottom: 2, strokeWidth: 1 }),
          Plot.link(own, {
            x1: (d: Segment) => d.begin + d.stall.seconds.low,
            x2: (d: Segment) => Math.min(d.begin + d.stall.seconds.high, end * 1.01),
            y1: 0,
            y2: 0,
            stroke: INK,
            strokeWidth: 3,
            dy: 28,
          }),
          // One that goes on beyond the picture says so.
          Plot.text(
            own.filter((d) => d.begin + d.stall.seconds.high > end * 1.01),
            { x: () => end * 1.01, text: () => "▸", fill: INK, fontSize: 16, dy: 28, textAnchor: "middle" },
          ),
          Plot.tip(
            own,
            Plot.pointerX({
              x: (d: Segment) => (d.begin + d.end) / 2,
              title: (d: Segment) =>
                `${d.name}: ${MEANING[d.name]}\n${percentOf(d.stall.share)} of a step\n${secondsOf(d.stall.seconds)}`,
              ...tip,
            }),
          ),
        ],
      })),
      legendOf(total),
    );
  });
  return h("div", { class: "totals" }, ...bars);
}

/** The step as five numbers without intervals, where a document has no more. */
export function plainStalls(stalls: Record<string, number>, step: Estimate, title: string): Total {
  const all: Record<string, Stall> = {};
  for (const name of STALLS) {
    const mean = stalls[name];
    if (mean === undefined) continue;
    const exact = (value: number) => ({ mean: value, low: value, high: value });
    all[name] = { seconds: exact(mean), share: exact(mean / step.mean), distinguishable: mean > 0 };
  }
  return { title, step, stalls: all };
}
