import { chart, INK, legend, named, Plot, SOFT, tip } from "./chart";
import { h, lead, section } from "./dom";
import { bytes, percent, rangeOf, seconds } from "./format";
import { tableOf } from "./table";
import type { Estimate, Shown } from "./types";

interface CurvePoint {
  bytes: number;
  time_s: Estimate;
  bus_bytes_per_s: number;
}

function curveChart(curve: Shown["document"]): HTMLElement {
  const points: CurvePoint[] = curve.points;
  const says = `Time of an ${curve.collective} against the size of its message, from ${bytes(points[0].bytes)} in ${seconds(points[0].time_s.mean)} to ${bytes(points[points.length - 1].bytes)} in ${seconds(points[points.length - 1].time_s.mean)}`;
  return chart(says, (width) => ({
    height: 300,
    marginLeft: 64,
    marginRight: 36,
    x: { type: "log", label: "message", tickFormat: bytes, grid: true, ticks: width < 500 ? 4 : 8 },
    y: { type: "log", label: "time, measured", tickFormat: seconds, grid: true, ticks: 6 },
    marks: [
      Plot.lineY(points, { x: "bytes", y: (d: CurvePoint) => d.time_s.mean, stroke: "var(--forward)" }),
      Plot.ruleX(points, {
        x: "bytes",
        y1: (d: CurvePoint) => d.time_s.low,
        y2: (d: CurvePoint) => d.time_s.high,
        stroke: INK,
        strokeWidth: 2,
      }),
      Plot.dot(points, { x: "bytes", y: (d: CurvePoint) => d.time_s.mean, r: 4, fill: "var(--network)", stroke: INK }),
      Plot.tip(
        points,
        Plot.pointerX({
          x: "bytes",
          y: (d: CurvePoint) => d.time_s.mean,
          title: (d: CurvePoint) =>
            `${bytes(d.bytes)}\n${rangeOf(d.time_s, seconds)}\nbus rate ${bytes(d.bus_bytes_per_s)}/s`,
          ...tip,
        }),
      ),
    ],
  }));
}

interface Expected {
  quantity: string;
  share?: number;
  verdict: string;
}

function expectationChart(expectation: Shown["document"]): HTMLElement | null {
  const lines: Expected[] = expectation.lines.filter((line: Expected) => line.share !== undefined);
  if (lines.length === 0) return null;
  const names = lines.map((line) => line.quantity);
  const color = (verdict: string) =>
    verdict === "missed" ? "var(--problem)" : verdict === "met" ? "var(--fetch)" : "var(--soft)";
  return chart(
    `Found against expected: ${lines.map((line) => `${line.quantity} ${percent(line.share!)}, ${line.verdict}`).join("; ")}`,
    (width) => ({
      height: 24 * lines.length + 46,
      ...named(names, width),
      marginRight: 96,
      x: {
        label: "found, as a share of what is expected",
        tickFormat: percent,
        grid: true,
        zero: true,
        ticks: width < 500 ? 3 : 6,
      },
      color: { type: "identity" },
      marks: [
        Plot.barX(lines, { x: "share", y: "quantity", fill: (d: Expected) => color(d.verdict) }),
        Plot.ruleX([expectation.fail_below], { stroke: INK, strokeDasharray: "5 4" }),
        Plot.text(lines, {
          x: "share",
          y: "quantity",
          text: (d: Expected) => `${percent(d.share!)} ${d.verdict}`,
          textAnchor: "start",
          dx: 5,
          fill: SOFT,
        }),
      ],
    }),
    `The dashed line is what fails: below ${percent(expectation.fail_below)}.`,
  );
}

interface Reads {
  name: string;
  rate: Estimate;
}

function diskChart(disk: Shown["document"]): HTMLElement {
  const reads: Reads[] = disk.reads.map((read: Shown["document"]) => ({
    name: `${read.pattern}, ${bytes(read.request_bytes)}, ${read.depth} in flight`,
    rate: read.bytes_per_s,
  }));
  return chart(
    `Reads from the disk: ${reads.map((read) => `${read.name} ${rangeOf(read.rate, bytes)} a second`).join("; ")}`,
    (width) => ({
      height: 32 * reads.length + 44,
      ...named(
        reads.map((read) => read.name),
        width,
        6.2,
      ),
      marginRight: 24,
      x: {
        label: "rate, measured, and where another probe would find it",
        tickFormat: (value: number) => `${bytes(value)}/s`,
        grid: true,
        zero: true,
        ticks: width < 500 ? 3 : 6,
      },
      marks: [
        Plot.barX(reads, { x: (d: Reads) => d.rate.mean, y: "name", fill: "var(--forward)" }),
        Plot.ruleY(reads, {
          x1: (d: Reads) => d.rate.low,
          x2: (d: Reads) => d.rate.high,
          y: "name",
          stroke: INK,
          strokeWidth: 3,
        }),
      ],
    }),
  );
}

export function machineSections(shown: Shown): (HTMLElement | null)[] {
  const card = shown.document;
  return [
    card.expectation
      ? section(
          `Against ${card.expectation.of}`,
          expectationChart(card.expectation),
          tableOf(shown, "expectation", false),
        )
      : null,
    ...(card.collectives ?? []).map((curve: Shown["document"], i: number) =>
      section(
        curve.where === "machine" ? "All-reduce inside the machine" : "All-reduce between machines",
        lead(`${curve.ranks} ranks on ${curve.nodes} ${curve.nodes === 1 ? "machine" : "machines"}, ${curve.backend}.`),
        curve.points?.length ? curveChart(curve) : null,
        curve.points?.length ? legend([{ color: "var(--network)", name: "median, and where another probe would find it" }]) : null,
        tableOf(shown, `curve-${i + 1}-fit`),
        tableOf(shown, `curve-${i + 1}-segments`),
        h("details", {}, h("summary", {}, "All sizes"), tableOf(shown, `curve-${i + 1}`), tableOf(shown, `curve-${i + 1}-absent`)),
      ),
    ),
    card.disk?.reads?.length
      ? section("Reading from the disk", diskChart(card.disk), tableOf(shown, "disk", false))
      : null,
    section("Decoding and memory", tableOf(shown, "rates", false)),
    section(
      "Devices",
      tableOf(shown, "gpus"),
      tableOf(shown, "interfaces"),
      tableOf(shown, "absent"),
    ),
    section("While it was watched", tableOf(shown, "drifts"), tableOf(shown, "outliers")),
    section("The machine, and where these numbers come from", tableOf(shown, "facts", false), tableOf(shown, "caches"), tableOf(shown, "pci")),
  ];
}
