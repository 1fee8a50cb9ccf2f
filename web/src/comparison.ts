import { chart, INK, named, Plot, SOFT, tip } from "./chart";
import { h, lead, section } from "./dom";
import { percent, secondsOf } from "./format";
import { tableOf } from "./table";
import type { Estimate, Shown } from "./types";

interface Line extends Estimate {
  name: string;
  verdict: string;
  difference: Estimate;
}

const COLOR: Record<string, string> = {
  better: "var(--fetch)",
  worse: "var(--problem)",
  indistinguishable: "var(--soft)",
};

function linesOf(other: Shown["document"]): Line[] {
  const times: [string, Shown["document"]][] = [["step time", other.total]];
  for (const [name, stall] of Object.entries<Shown["document"]>(other.stalls ?? {})) {
    times.push([name, stall]);
    for (const part of ["contention", "communication", "copy"]) if (stall[part]) times.push([`· ${part}`, stall[part]]);
  }
  return times.flatMap(([name, time]) =>
    time?.relative
      ? [{ name, verdict: time.verdict, difference: time.difference_s, ...(time.relative as Estimate) }]
      : [],
  );
}

function differences(other: Shown["document"]): HTMLElement | null {
  const lines = linesOf(other);
  if (lines.length === 0) return null;
  const names = lines.map((line) => line.name);
  const says = `Change against the baseline: ${lines.map((line) => `${line.name} ${percent(line.mean)}, ${line.verdict}`).join("; ")}`;
  return chart(says, (width) => ({
    height: 30 * lines.length + 46,
    ...named(names, width),
    marginRight: 118,
    x: {
      label: "change, as a share of the baseline's step; left is faster",
      tickFormat: percent,
      grid: true,
      nice: true,
      ticks: width < 500 ? 2 : 7,
    },
    color: { type: "identity" },
    marks: [
      Plot.ruleX([0], { stroke: INK }),
      Plot.ruleY(lines, {
        x1: "low",
        x2: "high",
        y: "name",
        stroke: (d: Line) => COLOR[d.verdict] ?? SOFT,
        strokeWidth: 4,
      }),
      Plot.dot(lines, {
        x: "mean",
        y: "name",
        r: 5,
        fill: (d: Line) => COLOR[d.verdict] ?? SOFT,
        stroke: "var(--page)",
      }),
      Plot.text(lines, {
        frameAnchor: "right",
        y: "name",
        text: "verdict",
        textAnchor: "start",
        dx: 8,
        fill: (d: Line) => (d.verdict === "worse" ? "var(--problem)" : SOFT),
      }),
      Plot.tip(
        lines,
        Plot.pointerY({
          x: "mean",
          y: "name",
          title: (d: Line) =>
            `${d.name}: ${d.verdict}\n${percent(d.mean)} (${percent(d.low)} to ${percent(d.high)})\n${secondsOf(d.difference)}`,
          ...tip,
        }),
      ),
    ],
  }));
}

export function comparisonSections(shown: Shown): (HTMLElement | null)[] {
  const others: Shown["document"][] = shown.document.others;
  return [
    ...others.map((other, i) =>
      section(
        `${other.file}`,
        lead(
          `Against ${shown.document.baseline.file}. Bars are 95 % intervals of the measured difference; one that crosses the line cannot be told from no change.`,
        ),
        differences(other),
        tableOf(shown, `other-${i + 1}`, false),
        other.notes?.length
          ? h("ul", { class: "notes" }, ...other.notes.map((note: string) => h("li", {}, note)))
          : null,
      ),
    ),
    section("What was compared", tableOf(shown, "facts", false)),
  ];
}
