import { chart, INK, named, Plot, tip } from "./chart";
import { h, lead, section } from "./dom";
import { counted, duration, money, percent, rangeOf } from "./format";
import { stallBars, STALLS, type Stall, type Total } from "./stalls";
import { tableOf } from "./table";
import type { Estimate, Shown } from "./types";

const nameOf = (machine: Shown["document"]) => `${machine.nodes > 1 ? `${machine.nodes} × ` : ""}${machine.instance}`;

/** Shares have no interval in a prediction; the seconds have. */
function totalOf(machine: Shown["document"], title: string): Total {
  const step: Estimate = machine.step_time_s;
  const stalls: Record<string, Stall> = {};
  for (const name of STALLS) {
    const part = machine.stalls[name];
    if (!part) continue;
    stalls[name] = { seconds: part.seconds, share: { mean: part.share, low: part.share, high: part.share } };
  }
  return { title, step, stalls };
}

function origins(machine: Shown["document"]): HTMLElement {
  return h(
    "ul",
    { class: "notes" },
    ...STALLS.filter((name) => machine.stalls[name]).map((name) =>
      h("li", {}, h("b", {}, name), ` ${machine.stalls[name].basis}: ${machine.stalls[name].from}`),
    ),
    ...(machine.absent ?? []).map((absent: { part: string; reason: string }) =>
      h("li", {}, h("b", {}, absent.part), ` absent: ${absent.reason}`),
    ),
    ...(machine.assumed ?? []).map((assumed: string) => h("li", {}, h("b", {}, "assumed"), ` ${assumed}`)),
  );
}

interface Line extends Estimate {
  name: string;
  cost?: Estimate;
}

function rates(machines: Shown["document"][]): HTMLElement {
  const lines: Line[] = machines.map((machine) => ({
    name: nameOf(machine),
    ...(machine.samples_per_s as Estimate),
    cost: machine.epoch_cost_usd,
  }));
  const names = lines.map((line) => line.name);
  return chart(
    `Predicted rates: ${lines.map((line) => `${line.name} ${rangeOf(line, (value) => value.toFixed(0))} samples a second`).join("; ")}`,
    (width) => ({
      height: 34 * lines.length + 46,
      ...named(names, width),
      marginRight: 24,
      x: { label: "samples/s, predicted, with its 95 % interval", grid: true, zero: true, ticks: width < 500 ? 3 : 7 },
      marks: [
        Plot.barX(lines, { x: "mean", y: "name", fill: "var(--forward)" }),
        Plot.ruleY(lines, { x1: "low", x2: "high", y: "name", stroke: INK, strokeWidth: 3 }),
        Plot.tip(
          lines,
          Plot.pointerY({
            x: "mean",
            y: "name",
            title: (d: Line) =>
              `${d.name}\n${rangeOf(d, (value) => value.toFixed(0))} samples/s${d.cost ? `\nan epoch costs ${rangeOf(d.cost, money)}` : ""}`,
            ...tip,
          }),
        ),
      ],
    }),
  );
}

export function predictionSections(shown: Shown): (HTMLElement | null)[] {
  const machines: Shown["document"][] = shown.document.machines ?? [shown.document];
  return [
    machines.length > 1 ? section("How fast", rates(machines)) : null,
    ...machines.map((machine) =>
      section(
        `Where a step waits on ${nameOf(machine)}`,
        lead(`${machine.description}. All numbers are predicted; the weakest part is ${machine.basis}.`),
        stallBars([
          totalOf(machine, `${nameOf(machine)}, ${counted(machine.nodes * machine.devices_per_node, "device")}`),
          ...(machine.what_if ? [totalOf(machine.what_if.changed, `With ${machine.what_if.what}`)] : []),
        ]),
        machine.what_if
          ? h(
              "p",
              {},
              `With ${machine.what_if.what} a step changes by ${rangeOf(machine.what_if.step_time_change, percent)}.`,
            )
          : null,
        machine.epoch_time_s
          ? h(
              "p",
              {},
              `An epoch takes ${rangeOf(machine.epoch_time_s, duration)}${machine.epoch_cost_usd ? ` and costs ${rangeOf(machine.epoch_cost_usd, money)}` : ""}.`,
            )
          : null,
        h("details", {}, h("summary", {}, "What this rests on"), origins(machine)),
      ),
    ),
    section("All machines", tableOf(shown, "machines", false), tableOf(shown, "refused")),
    section("Where these numbers come from", tableOf(shown, "facts", false)),
  ];
}
