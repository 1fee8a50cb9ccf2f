import { chart, cut, labels, Plot, tip } from "./chart";
import { h, lead, section } from "./dom";
import { duration, money, percent, rangeOf, seconds } from "./format";
import { STALLS } from "./stalls";
import { tableOf } from "./table";
import type { Shown } from "./types";

interface Square {
  machine: string;
  model: string;
  value?: number;
  title: string;
  text: string;
}

const WAITS = STALLS.filter((name) => name !== "compute");

function squareOf(cell: Shown["document"], measure: string): Square {
  const share = (name: string): number | undefined => cell.stalls[name]?.share;
  const stalls = WAITS.map((name) => share(name)).filter((value) => value !== undefined) as number[];
  const values: Record<string, number | undefined> = {
    all: stalls.length > 0 ? stalls.reduce((sum, value) => sum + value, 0) : undefined,
    time: cell.relative_time,
    cost: cell.relative_cost,
    ...Object.fromEntries(WAITS.map((name) => [name, share(name)])),
  };
  const value = values[measure];
  const times = measure === "time" || measure === "cost";
  return {
    machine: machineName(cell),
    model: cell.model,
    value,
    text: value === undefined ? "" : times ? `${value.toFixed(1)}×` : `${Math.round(100 * value)} %`,
    title: [
      `${cell.model} on ${machineName(cell)} (${cell.basis})`,
      `a step ${rangeOf(cell.step_time_s, seconds)}`,
      STALLS.filter((name) => share(name) !== undefined)
        .map((name) => `${name} ${percent(share(name)!)}`)
        .join(", "),
      cell.epoch_time_s ? `an epoch ${rangeOf(cell.epoch_time_s, duration)}` : "",
      cell.epoch_cost_usd ? `costs ${rangeOf(cell.epoch_cost_usd, money)}` : "",
    ]
      .filter(Boolean)
      .join("\n"),
  };
}

const machineName = (cell: { instance: string; nodes?: number }) =>
  (cell.nodes ?? 1) > 1 ? `${cell.nodes} × ${cell.instance}` : cell.instance;

function heatMap(survey: Shown["document"], measure: string): HTMLElement {
  const squares: Square[] = survey.cells.map((cell: Shown["document"]) => squareOf(cell, measure));
  const absent: Square[] = (survey.absent ?? []).map((cell: Shown["document"]) => ({
    machine: machineName(cell),
    model: cell.model,
    title: `${cell.model} on ${machineName(cell)}: ${cell.reason}`,
    text: "–",
  }));
  const machines = [...new Set([...squares, ...absent].map((square) => square.machine))];
  const models = [...new Set([...squares, ...absent].map((square) => square.model))];
  const relative = measure === "time" || measure === "cost";
  const most = Math.max(...squares.map((square) => square.value ?? 0), 0.01);
  const says = `Machines by networks, ${measure}: ${squares
    .slice(0, 60)
    .map((square) => `${square.model} on ${square.machine} ${square.text}`)
    .join("; ")}`;
  return chart(says, (width) => ({
    height: 26 * machines.length + 90,
    marginLeft: labels(machines, width, 6.6),
    marginTop: 70,
    marginRight: 8,
    x: {
      domain: models,
      label: null,
      axis: "top",
      tickRotate: models.length * 70 > width ? -50 : 0,
      tickFormat: (name: string) => cut(name, 16),
      tickSize: 0,
    },
    y: { domain: machines, label: null, tickSize: 0, tickFormat: (name: string) => cut(name, 26) },
    color: relative
      ? { type: "log", domain: [1, Math.max(most, 1.01)], scheme: "ylorbr" }
      : { domain: [0, Math.max(most, 0.1)], scheme: "ylorbr" },
    marks: [
      Plot.cell(absent, { x: "model", y: "machine", fill: "var(--card)", inset: 1 }),
      Plot.cell(
        squares.filter((square) => square.value !== undefined),
        { x: "model", y: "machine", fill: "value", inset: 1 },
      ),
      (width - labels(machines, width, 6.6)) / models.length > 34
        ? Plot.text([...squares, ...absent], {
            x: "model",
            y: "machine",
            text: "text",
            fill: (d: Square) =>
              (d.value ?? 0) > (relative ? Math.sqrt(most) : 0.55 * most) && d.value !== undefined
                ? "white"
                : d.value === undefined
                  ? "var(--soft)"
                  : "#17202b",
          })
        : null,
      Plot.tip(
        [...squares, ...absent],
        Plot.pointer({ x: "model", y: "machine", title: "title", ...tip, lineWidth: 46 }),
      ),
    ],
  }));
}

const MEASURES: [string, string][] = [
  ["all", "all waiting"],
  ["interconnect", "interconnect"],
  ["network", "network"],
  ["prep", "CPU preparation"],
  ["fetch", "disk"],
  ["time", "time of an epoch, against the best"],
  ["cost", "cost of an epoch, against the best"],
];

function machineCard(machine: Shown["document"]): HTMLElement {
  const list = (title: string, style: string, items: string[]) =>
    items?.length
      ? h("div", { class: style }, h("b", {}, title), h("ul", {}, ...items.map((item) => h("li", {}, item))))
      : null;
  const price =
    machine.usd_hour !== undefined
      ? `, ${money(machine.usd_hour)}/h (published${machine.price_date ? ` ${machine.price_date}` : ""}${machine.price_stale ? ", stale" : ""})`
      : "";
  return h(
    "li",
    { class: "machine" },
    h("h4", {}, machine.instance, h("small", {}, ` ${machine.gpus ?? ""} × ${machine.gpu ?? "?"}${price}`)),
    list("Advantages", "good", machine.advantages ?? []),
    list("Shortcomings", "bad", machine.shortcomings ?? []),
  );
}

export function surveySections(shown: Shown): (HTMLElement | null)[] {
  const survey = shown.document;
  const present = MEASURES.filter(([key]) =>
    survey.cells.some((cell: Shown["document"]) => squareOf(cell, key).value !== undefined),
  );
  const place = h("div");
  const show = (measure: string) => place.replaceChildren(heatMap(survey, measure));
  const select = h(
    "select",
    { id: "survey-measure", onchange: () => show(select.value) },
    ...present.map(([key, name]) => h("option", { value: key }, name)),
  );
  if (present.length > 0) show(present[0][0]);
  return [
    section(
      "Machines by networks",
      lead(
        "The share of a step that waits, or how an epoch compares with the best machine for that network. Darker is worse; – could not be had. Hover for the numbers and their basis.",
      ),
      h("p", {}, h("label", { for: "survey-measure" }, "Show "), select),
      place,
    ),
    section("Advantages and shortcomings", h("ul", { class: "machines" }, ...survey.machines.map(machineCard))),
    section("Every cell", tableOf(shown, "cells", false), tableOf(shown, "best"), tableOf(shown, "absent")),
    section("Where these numbers come from", tableOf(shown, "facts", false)),
  ];
}
