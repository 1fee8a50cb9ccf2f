import { chart, INK, Plot, tip } from "./chart";
import { h, lead } from "./dom";
import { amount, bytes, percent } from "./format";
import type { SampleSeries, Series } from "./types";

interface Point {
  node: number;
  time: number;
  least: number;
  mean: number;
  largest: number;
}

const short = (unit: string) => (value: number) =>
  unit === "share"
    ? percent(value)
    : unit === "cores"
      ? String(value)
      : unit === "B/s"
        ? `${bytes(value)}/s`
        : bytes(value);

function quantityChart(series: SampleSeries): HTMLElement {
  const points: Point[] = series.nodes.flatMap(({ node, points }) =>
    points.map(([time, least, mean, largest]) => ({ node, time, least, mean, largest })),
  );
  const many = series.nodes.length > 1;
  const largest = Math.max(...points.map((point) => point.largest));
  const says = `${series.quantity} over time, at most ${amount(largest, series.unit)}, ${series.nodes.length} machines`;
  return h(
    "div",
    { class: "small-plot" },
    h("h4", {}, series.quantity),
    chart(says, (width) => ({
      height: 130,
      marginLeft: 70,
      marginRight: 10,
      marginTop: 8,
      x: { label: null, tickFormat: (t: number) => `${t} s`, ticks: Math.min(5, width / 80) },
      y: { label: null, tickFormat: short(series.unit), ticks: 3, grid: true, zero: true },
      color: { scheme: "tableau10", type: "categorical" },
      marks: [
        Plot.areaY(points, {
          x: "time",
          y1: "least",
          y2: "largest",
          z: "node",
          fill: "var(--forward)",
          fillOpacity: many ? 0.2 : 0.4,
        }),
        Plot.lineY(points, {
          x: "time",
          y: "mean",
          z: "node",
          stroke: many && series.nodes.length <= 10 ? (d: Point) => String(d.node) : INK,
          strokeWidth: 1.3,
        }),
        Plot.tip(
          points,
          Plot.pointerX({
            x: "time",
            y: "mean",
            title: (d: Point) =>
              `machine ${d.node}, ${d.time} s\n${amount(d.mean, series.unit)}, ${amount(d.least, series.unit)} to ${amount(d.largest, series.unit)}`,
            ...tip,
          }),
        ),
      ],
    })),
  );
}

export function resourceCharts(series: Series): HTMLElement | null {
  if (!series.samples?.length) return null;
  return h(
    "div",
    {},
    lead(
      "Over the whole run, each machine by its own clock. Bands reach from the least to the largest sample that share a place.",
    ),
    h("div", { class: "small-plots" }, ...series.samples.map(quantityChart)),
  );
}
