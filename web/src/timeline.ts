// The gradient buckets of one step: when each was ready, when it travelled, and what of that the step waited for.
import { chart, INK, legend, Plot, SOFT, tip } from "./chart";
import { h, lead } from "./dom";
import { bytes, percent, seconds } from "./format";
import type { Shown } from "./types";

interface Bucket {
  bytes: number;
  ready_s: number;
  begin_s: number;
  end_s: number;
  exposed_s: number;
}

interface Bar extends Bucket {
  name: string;
  bare_s: number;
}

export function bucketTimeline(profile: Shown["document"]): HTMLElement | null {
  const rung = ["cluster", "node"].find((name) => profile.conditions[name]?.buckets?.length > 0);
  if (!rung) return null;
  const condition = profile.conditions[rung];
  const bars: Bar[] = condition.buckets.map((bucket: Bucket, i: number) => ({
    ...bucket,
    name: `${i + 1}: ${bytes(bucket.bytes)}`,
    bare_s: Math.max(bucket.begin_s, bucket.end_s - bucket.exposed_s),
  }));
  const computed = Math.max(...bars.map((bar) => bar.ready_s));
  const parts = condition.parts;
  const before = parts.data_wait_s + parts.copy_s;
  const step = condition.step_time_s.mean;
  const passes = [
    { name: "compute", x1: before, x2: before + parts.forward_s, pass: "forward", color: "var(--forward)" },
    {
      name: "compute",
      x1: before + parts.forward_s,
      x2: Math.max(computed, before + parts.forward_s),
      pass: "backward",
      color: "var(--compute)",
    },
    {
      name: "compute",
      x1: Math.max(step - parts.optimizer_s, computed),
      x2: step,
      pass: "optimizer",
      color: "var(--optimizer)",
    },
  ].filter((pass) => pass.x2 > pass.x1);
  const row = Math.min(Math.max(420 / bars.length, 3), 26);
  // With low rows only some can have a label.
  const every = Math.ceil(14 / row);
  const hidden = condition.communication?.overlap_share;
  const says =
    `Gradient buckets of a step of ${rung}: ` +
    bars
      .slice(0, 20)
      .map(
        (bar) =>
          `${bar.name} ready at ${seconds(bar.ready_s)}, arrived at ${seconds(bar.end_s)}, exposed ${seconds(bar.exposed_s)}`,
      )
      .join("; ");
  return h(
    "div",
    {},
    lead(
      `One step of ${rung}, means over ranks and rounds. Gradients travel while the backward pass still computes; what is left when it ends is exposed: the step waits.` +
        (hidden !== undefined ? ` Of the communicating time ${percent(hidden)} is hidden.` : ""),
    ),
    chart(says, (width) => ({
      height: row * (bars.length + 1) + 50 + (row < 14 ? 12 : 0),
      marginLeft: 84,
      marginRight: 16,
      x: {
        domain: [0, Math.max(step, ...bars.map((bar) => bar.end_s))],
        label: "since the step began",
        tickFormat: seconds,
        grid: true,
        ticks: width < 500 ? 4 : 8,
      },
      y: {
        domain: ["compute", ...bars.map((bar) => bar.name)],
        label: null,
        tickSize: 0,
        padding: row > 8 ? 0.2 : 0,
        ticks: ["compute", ...bars.filter((_, i) => i % every === every - 1 || every === 1).map((bar) => bar.name)],
      },
      color: { type: "identity" },
      marks: [
        Plot.barX(passes, { x1: "x1", x2: "x2", y: "name", fill: "color" }),
        Plot.text(
          passes.filter((pass) => ((pass.x2 - pass.x1) / step) * width > 64 && row > 12),
          {
            x: (d) => (d.x1 + d.x2) / 2,
            y: "name",
            text: "pass",
            fill: (d) => `var(--on-${d.pass === "backward" ? "compute" : d.pass})`,
          },
        ),
        Plot.ruleY(bars, {
          x1: "ready_s",
          x2: "begin_s",
          y: "name",
          stroke: "var(--optimizer)",
          strokeWidth: Math.min(2, row / 2),
        }),
        Plot.barX(bars, { x1: "begin_s", x2: "bare_s", y: "name", fill: "var(--forward)" }),
        Plot.barX(bars, { x1: "bare_s", x2: "end_s", y: "name", fill: "var(--network)" }),
        Plot.ruleX([computed], { stroke: INK, strokeDasharray: "5 4", strokeWidth: 1.5 }),
        Plot.tickX(bars, { x: "ready_s", y: "name", stroke: INK, strokeWidth: 2 }),
        Plot.ruleX([0], { stroke: SOFT }),
        Plot.tip(
          bars,
          Plot.pointerY({
            x: (d: Bar) => (d.begin_s + d.end_s) / 2,
            y: "name",
            title: (d: Bar) =>
              `bucket ${d.name}\nready ${seconds(d.ready_s)}, handed over ${seconds(d.begin_s)}, arrived ${seconds(d.end_s)}\nexposed ${seconds(d.exposed_s)}`,
            ...tip,
          }),
        ),
      ],
    })),
    legend([
      { color: "var(--forward)", name: "travelling, hidden behind the backward pass (and the forward pass above)" },
      { color: "var(--network)", name: "travelling, exposed: the step waits" },
      { color: "var(--compute)", name: "backward pass" },
      { color: "var(--ink)", name: "stroke: the bucket is ready; dashed: the last gradient is computed" },
    ]),
  );
}
