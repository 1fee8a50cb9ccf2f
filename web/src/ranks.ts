// Who waits for whom.
import { chart, Plot, tip } from "./chart";
import { h, lead } from "./dom";
import { count, seconds } from "./format";
import { partsBars } from "./ladder";
import type { RankRow, Series } from "./types";

interface Square {
  rank: number;
  step: number;
  until: number;
  own: number;
}

export function rankCharts(series: Series): HTMLElement | null {
  const ranks = series.ranks;
  if (!ranks || ranks.rows.length < 2) return null;
  const own = (row: RankRow) => Number(row.total_s) - Number(row.exposed_communication_s);
  const sorted = [...ranks.rows].sort((a, b) => own(b) - own(a));
  const slowest = sorted[0];
  const fastest = sorted[sorted.length - 1];
  const squares: Square[] = ranks.rows.flatMap((row) =>
    row.own_s.flatMap((value, i) =>
      value === null ? [] : [{ rank: row.rank, step: i * ranks.width, until: (i + 1) * ranks.width, own: value }],
    ),
  );
  const least = squares.reduce((end, square) => Math.min(end, square.own), Infinity);
  const most = squares.reduce((end, square) => Math.max(end, square.own), 0);
  const height = Math.min(Math.max(520 / ranks.rows.length, 6), 30);
  return h(
    "div",
    {},
    lead(
      `Ranks of ${ranks.rung}. Rank ${slowest.rank} (machine ${slowest.node}) works longest, ${seconds(own(slowest))} a step without waiting for gradients; ` +
        `rank ${fastest.rank} (machine ${fastest.node}) works ${seconds(own(fastest))} and waits for the others.`,
    ),
    partsBars(
      ranks.rows.map((row) => ({ name: `rank ${row.rank}`, parts: row })),
      "What a step of every rank is made of",
      Math.max(height, ranks.rows.length > 40 ? 6 : 11),
    ),
    squares.length > ranks.rows.length
      ? chart(
          `Each rank's own work over the run, from ${seconds(least)} to ${seconds(most)} a step`,
          (width) => ({
            height: height * ranks.rows.length + 90,
            marginLeft: 62,
            marginRight: 16,
            x: { label: `steps of ${ranks.rung}`, ticks: width < 500 ? 4 : 8 },
            y: {
              label: null,
              reverse: true,
              tickFormat: (rank: number) => (Number.isInteger(rank) ? `rank ${rank}` : ""),
              ticks: Math.min(ranks.rows.length, 16),
            },
            color: { scheme: "ylorbr", domain: [least, most] },
            marks: [
              Plot.rect(squares, {
                x1: "step",
                x2: "until",
                y1: (d: Square) => d.rank - 0.5,
                y2: (d: Square) => d.rank + 0.5,
                fill: "own",
                inset: -0.3,
              }),
              Plot.tip(
                squares,
                Plot.pointer({
                  x: (d: Square) => (d.step + d.until) / 2,
                  y: "rank",
                  title: (d: Square) =>
                    `rank ${d.rank}, steps ${count(d.step)} to ${count(d.until - 1)}\n${seconds(d.own)} of its own`,
                  ...tip,
                }),
              ),
            ],
          }),
          `Own work a step, without waiting for gradients: from ${seconds(least)} (light) to ${seconds(most)} (dark). A slow rank is a dark row, a moment that disturbed all is a dark column.`,
        )
      : null,
  );
}
