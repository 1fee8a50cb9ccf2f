import { draws, legend, Plot, SOFT, INK, tip } from "./chart";
import { h, lead, section } from "./dom";
import { counted, hours, money, percent, rangeOf, seconds, sure } from "./format";
import { choose, costOf, fits, hoursAt, probabilityWithin, type Candidate, type Question } from "./select";
import { plainStalls, stallBars } from "./stalls";
import { tableOf } from "./table";
import type { Shown } from "./types";

const nameOf = (candidate: Candidate) =>
  `${counted(candidate.nodes, "machine")} of ${candidate.instance} (${candidate.market}), batch ${candidate.batch_per_device}`;

/** A slider on a logarithmic axis beside a field for the exact number; the box turns the limit off. */
class Limit {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly field: HTMLInputElement;
  private readonly box: HTMLInputElement;

  constructor(
    id: string,
    name: string,
    unit: string,
    private readonly least: number,
    private readonly most: number,
    start: number | undefined,
    changed: () => void,
  ) {
    this.slider = h("input", {
      type: "range",
      id: `${id}-slider`,
      min: 0,
      max: 1000,
      step: 1,
      "aria-label": `${name}, slider`,
    });
    this.field = h("input", { type: "number", id, min: 0, step: "any", "aria-label": `${name} in ${unit}` });
    this.box = h("input", { type: "checkbox", id: `${id}-on` });
    this.box.checked = start !== undefined;
    this.field.value = String(round(start ?? Math.sqrt(least * most)));
    this.place();
    this.slider.addEventListener("input", () => {
      this.field.value = String(round(least * Math.pow(most / least, Number(this.slider.value) / 1000)));
      this.box.checked = true;
      changed();
    });
    this.field.addEventListener("input", () => {
      this.box.checked = true;
      this.place();
      changed();
    });
    this.box.addEventListener("change", changed);
    this.element = h(
      "div",
      { class: "limit" },
      h("span", {}, this.box, " ", h("label", { for: `${id}-on` }, name)),
      this.slider,
      h("span", {}, this.field, ` ${unit}`),
    );
  }

  private place(): void {
    const share = Math.log(Number(this.field.value) / this.least) / Math.log(this.most / this.least);
    this.slider.value = String(Math.round(1000 * Math.min(Math.max(share || 0, 0), 1)));
  }

  get value(): number | undefined {
    const number = Number(this.field.value);
    return this.box.checked && this.field.value !== "" && number > 0 ? number : undefined;
  }
}

const round = (value: number) => Number(value.toPrecision(4));

class Confidence {
  readonly element: HTMLElement;
  private readonly slider: HTMLInputElement;
  private readonly said = h("output", { for: "confidence" });

  constructor(
    private readonly steps: number[],
    start: number,
    changed: () => void,
  ) {
    this.slider = h("input", { type: "range", id: "confidence", min: 0, max: steps.length - 1, step: 1 });
    this.slider.value = String(Math.max(steps.indexOf(start), 0));
    this.tell();
    this.slider.addEventListener("input", () => {
      this.tell();
      changed();
    });
    this.element = h(
      "div",
      { class: "limit" },
      h("label", { for: "confidence" }, "confidence"),
      this.slider,
      this.said,
    );
  }

  private tell(): void {
    this.said.textContent = `${Math.round(1000 * this.value) / 10} %`;
    this.slider.setAttribute("aria-valuetext", this.said.textContent);
  }

  get value(): number {
    return this.steps[Number(this.slider.value)];
  }
}

interface Dot extends Candidate {
  index: number;
  state: "chosen" | "fits" | "does not fit";
}

function details(candidate: Candidate, question: Question): HTMLElement {
  const limit = hoursAt(candidate, question.confidence);
  const facts: [string, string][] = [
    ["time", rangeOf(candidate.hours, hours)],
    ["cost", rangeOf(candidate.cost_usd, money)],
    [`at ${percent(question.confidence)} confidence`, `${hours(limit)}, ${money(costOf(candidate, limit))}`],
    ["devices", `${candidate.devices} × ${candidate.gpu ?? "?"}`],
    ["step", rangeOf(candidate.step_time_s, seconds)],
    [
      "price, published",
      `${money(candidate.usd_hour)}/h a machine${candidate.price_date ? `, ${candidate.price_date}` : ""}${candidate.price_stale ? ", stale" : ""}`,
    ],
    ["basis", `${candidate.basis}${candidate.from ? `: ${candidate.from}` : ""}`],
  ];
  if (question.deadline !== undefined) {
    facts.splice(2, 0, [
      "in time",
      `with a probability of ${sure(probabilityWithin(candidate, question.deadline))}`,
    ]);
  }
  return h(
    "div",
    {},
    h("dl", { class: "facts" }, ...facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value)))),
    stallBars([plainStalls(candidate.stalls, candidate.step_time_s, `A step, ${candidate.basis}`)]),
  );
}

function explorer(document: Shown["document"]): HTMLElement {
  const candidates: Candidate[] = document.candidates;
  const asked = document.question;
  const steps: number[] = [...new Set<number>([...(asked.confidence_steps ?? [0.9]), asked.confidence])].sort(
    (a, b) => a - b,
  );
  const times = candidates.map((candidate) => candidate.hours);
  const costs = candidates.map((candidate) => candidate.cost_usd);
  const ends = (all: { mean: number; low: number; high: number }[], also?: number) =>
    [
      Math.min(...all.map((one) => one.low), also ?? Infinity) * 0.9,
      Math.max(...all.map((one) => one.high), also ?? 0) * 1.1,
    ] as const;
  const [soonest, latest] = ends(times, asked.deadline_h);
  const [least, most] = ends(costs, asked.budget_usd);

  let selected = -1;
  let picked = false;
  const verdict = h("p", { class: "verdict", role: "status", id: "choice" });
  const detail = h("div", { class: "card" });
  const place = h("div", {
    class: "plot",
    tabindex: 0,
    role: "group",
    "aria-label": "Time against money. Arrow keys go from candidate to candidate.",
  });
  const deadline = new Limit("deadline", "deadline", "h", soonest, latest, asked.deadline_h, () => update(false));
  const budget = new Limit("budget", "budget", "USD", least, most, asked.budget_usd, () => update(false));
  const confidence = new Confidence(steps, asked.confidence, () => update(false));
  const question = (): Question => ({ deadline: deadline.value, budget: budget.value, confidence: confidence.value });

  const draw = () => {
    const width = Math.floor(place.clientWidth);
    if (width < 40) return;
    const now = question();
    const choice = choose(candidates, now);
    const dots: Dot[] = candidates.map((candidate, index) => ({
      ...candidate,
      index,
      state: index === choice ? "chosen" : fits(candidate, now) ? "fits" : "does not fit",
    }));
    const front: Dot[] = (document.pareto as number[]).map((index) => dots[index]).filter(Boolean);
    const shown = dots.filter((dot) => dot.index === selected);
    const chosen = dots.filter((dot) => dot.state === "chosen");
    const plot = draws(
      `Time against money of ${counted(candidates.length, "candidate")}${chosen[0] ? `; the choice is ${nameOf(chosen[0])}, ${hours(chosen[0].hours.mean)}, ${money(chosen[0].cost_usd.mean)}` : ""}`,
      {
        height: Math.min(420, width),
        marginLeft: 64,
        marginRight: 24,
        x: {
          type: "log",
          domain: [soonest, latest],
          label: "hours, mean →",
          grid: true,
          ticks: width < 500 ? 3 : 7,
          tickFormat: "~g",
        },
        y: { type: "log", domain: [least, most], label: "↑ cost in USD, mean", grid: true, ticks: 6, tickFormat: "~s" },
        color: { type: "identity" },
        marks: [
          now.deadline !== undefined ? Plot.ruleX([now.deadline], { stroke: INK, strokeDasharray: "5 4" }) : null,
          now.budget !== undefined ? Plot.ruleY([now.budget], { stroke: INK, strokeDasharray: "5 4" }) : null,
          Plot.line(front, {
            x: (d: Dot) => d.hours.mean,
            y: (d: Dot) => d.cost_usd.mean,
            stroke: "var(--interconnect)",
            strokeWidth: 1.5,
            curve: "step-after",
          }),
          Plot.dot(dots, {
            x: (d: Dot) => d.hours.mean,
            y: (d: Dot) => d.cost_usd.mean,
            r: 4,
            fill: (d: Dot) => (d.state === "does not fit" ? "var(--page)" : "var(--forward)"),
            fillOpacity: 0.85,
            stroke: (d: Dot) => (d.state === "does not fit" ? SOFT : INK),
            strokeWidth: 0.8,
          }),
          Plot.link(chosen, {
            x1: (d: Dot) => d.hours.low,
            x2: (d: Dot) => d.hours.high,
            y1: (d: Dot) => d.cost_usd.mean,
            y2: (d: Dot) => d.cost_usd.mean,
            stroke: INK,
            strokeWidth: 2,
          }),
          Plot.dot(chosen, {
            x: (d: Dot) => d.hours.mean,
            y: (d: Dot) => d.cost_usd.mean,
            r: 9,
            symbol: "star",
            fill: "var(--network)",
            stroke: INK,
          }),
          Plot.dot(shown, {
            x: (d: Dot) => d.hours.mean,
            y: (d: Dot) => d.cost_usd.mean,
            r: 11,
            stroke: INK,
            strokeWidth: 2,
          }),
          Plot.tip(
            dots,
            Plot.pointer({
              x: (d: Dot) => d.hours.mean,
              y: (d: Dot) => d.cost_usd.mean,
              title: (d: Dot) =>
                `${nameOf(d)}\n${rangeOf(d.hours, hours)}\n${rangeOf(d.cost_usd, money)}\n${d.basis}; ${d.state}`,
              ...tip,
            }),
          ),
        ],
      },
      width,
    ) as Element & { value?: Dot };
    plot.addEventListener("click", () => {
      if (plot.value) show(plot.value.index);
    });
    place.replaceChildren(plot);
  };

  const show = (index: number) => {
    picked = true;
    selected = index;
    update(true);
  };
  const update = (keep: boolean) => {
    const now = question();
    const choice = choose(candidates, now);
    if (!keep && !picked) selected = choice;
    if (!keep) {
      picked = false;
      selected = choice;
    }
    verdict.textContent =
      choice < 0
        ? "Nothing fits these limits."
        : `Rent ${nameOf(candidates[choice])}: ${rangeOf(candidates[choice].hours, hours)}, ${rangeOf(candidates[choice].cost_usd, money)}.`;
    verdict.setAttribute("data-choice", String(choice));
    const one = candidates[selected];
    detail.replaceChildren(
      ...(one
        ? [h("h4", {}, selected === choice ? `The choice: ${nameOf(one)}` : nameOf(one)), details(one, now)]
        : []),
    );
    draw();
  };

  // Along the candidates as they stand: from the cheapest to the dearest.
  place.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    show(Math.min(Math.max(selected + step, 0), candidates.length - 1));
  });
  new ResizeObserver(() => draw()).observe(place);
  update(false);
  return h(
    "div",
    {},
    h("div", { class: "limits" }, deadline.element, budget.element, confidence.element),
    verdict,
    place,
    legend([
      { color: "var(--network)", name: "the choice (star)" },
      { color: "var(--forward)", name: "fits the limits" },
      { color: "var(--page)", name: "does not fit" },
      { color: "var(--interconnect)", name: "line: nothing is both faster and cheaper" },
    ]),
    detail,
  );
}

function nextMeasurement(next: Shown["document"]): HTMLElement | null {
  if (!next) return null;
  return section(
    "What to measure next",
    h("p", {}, next.why),
    h(
      "p",
      {},
      `${next.nodes} × ${next.instance}, ${next.minutes} minutes, ${money(next.cost_usd)}; worth ${money(next.worth_usd)}. `,
      next.command ? h("code", {}, next.command) : null,
    ),
  );
}

export function recommendationSections(shown: Shown): (HTMLElement | null)[] {
  const document = shown.document;
  return [
    document.candidates.length > 0
      ? section(
          "Time against money",
          lead(
            `${counted(document.candidates.length, "candidate")} that some deadline and budget would choose, of ${counted(document.considered ?? document.candidates.length, "considered way")}. ` +
              "Move the limits: the page selects among these by the document's own rule, and predicts nothing. Hover for numbers, click a dot for its stalls.",
          ),
          explorer(document),
        )
      : null,
    section("The best of each machine", tableOf(shown, "top", false), tableOf(shown, "closest")),
    nextMeasurement(document.next_measurement),
    section("All candidates", tableOf(shown, "candidates", false)),
    section("What was rejected", tableOf(shown, "rejected", false)),
    section("The question, and where these numbers come from", tableOf(shown, "facts", false)),
  ];
}
