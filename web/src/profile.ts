import { section, h, lead } from "./dom";
import { counted, kept, percent, rangeOf, seconds } from "./format";
import { bucketTimeline } from "./timeline";
import { courseOfSteps, ladderChart, partsChart, RUNGS } from "./ladder";
import { rankCharts } from "./ranks";
import { resourceCharts } from "./resources";
import { stallBars, type Total } from "./stalls";
import { tableOf } from "./table";
import type { Shown } from "./types";

interface Finding {
  severity: string;
  what: string;
  why: string;
  advice: string;
  saves_s?: number;
}

function totalsOf(profile: Shown["document"]): Total[] {
  const totals: Total[] = [];
  if (profile.steady_state) {
    const cached = percent(profile.steady_state.cached_share);
    totals.push({
      title: `Steady state, ${cached} of the data in memory`,
      step: profile.steady_state.step_time_s,
      stalls: profile.steady_state.stalls,
    });
  }
  if (profile.first_epoch) {
    totals.push({
      title: "First epoch, data from the disk",
      step: profile.first_epoch.step_time_s,
      stalls: profile.stalls,
    });
  }
  if (totals.length === 0) {
    const highest = RUNGS.filter((name) => profile.conditions[name]).pop() ?? "step";
    totals.push({ title: `A step of ${highest}`, step: profile.step_time_s, stalls: profile.stalls });
  }
  return totals;
}

function findingCard(finding: Finding): HTMLElement {
  return h(
    "li",
    { class: `finding ${finding.severity}` },
    h("h4", {}, h("span", { class: "severity" }, finding.severity), " ", kept(finding.what)),
    finding.saves_s !== undefined
      ? h("p", { class: "saves" }, "saves at most ", h("b", { class: "number" }, seconds(finding.saves_s)), " a step")
      : null,
    h("p", {}, h("b", {}, "Do: "), kept(finding.advice), "."),
    h("p", { class: "soft" }, h("b", {}, "Why: "), kept(finding.why), "."),
  );
}

function findingCards(findings: Finding[]): HTMLElement | null {
  if (findings.length === 0) return null;
  const first = findings.slice(0, 3);
  const others = findings.slice(3);
  return section(
    first.length === 1
      ? "What would save most"
      : `The ${first.length === 3 ? "three" : "two"} findings that would save most`,
    h("ol", { class: "findings" }, ...first.map(findingCard)),
    others.length > 0
      ? h(
          "details",
          {},
          h("summary", {}, `${counted(others.length, "more finding")}`),
          h("ol", { class: "findings" }, ...others.map(findingCard)),
        )
      : null,
  );
}

/** The numbers that stand beside the verdict. */
export function profileFacts(profile: Shown["document"]): [string, string][] {
  const facts: [string, string][] = [
    ["rate, measured", rangeOf(profile.samples_per_s, (value) => `${value.toFixed(1)} samples/s`)],
    ["batch", `${profile.workload.batch_per_device} per device`],
    ["rounds", `${profile.rounds.kept} kept, ${profile.rounds.dropped} dropped`],
    ["data", profile.workload.dataset ? profile.workload.dataset.path : "synthetic only"],
    ["stopped by", profile.stopped_by],
  ];
  if (profile.failure) facts.push(["failure", profile.failure]);
  return facts;
}

export function profileSections(shown: Shown): (HTMLElement | null)[] {
  const profile = shown.document;
  const series = shown.series;
  const timeline = bucketTimeline(profile);
  const ranks = rankCharts(series);
  const resources = resourceCharts(series);
  const course = courseOfSteps(series);
  return [
    profile.stalls.compute
      ? section(
          "Where a step waits",
          lead(
            "The whole bar is one training step: what computes, and what waits. Whiskers and ± are 95 % intervals; all numbers here are measured.",
          ),
          stallBars(totalsOf(profile)),
          h("details", {}, h("summary", {}, "As tables"), tableOf(shown, "stalls"), tableOf(shown, "steady-stalls")),
        )
      : null,
    findingCards(profile.findings ?? []),
    section(
      "The stall ladder",
      lead("Each rung trains under one more burden than the rung below it; the difference is what that burden costs."),
      ladderChart(profile, series),
      tableOf(shown, "ladder", false),
      tableOf(shown, "absent"),
    ),
    section("What a step is made of", partsChart(profile)),
    timeline
      ? section(
          "When gradients travel",
          timeline,
          h("details", {}, h("summary", {}, "As a table"), tableOf(shown, "buckets")),
        )
      : null,
    course ? section("Every step", course) : null,
    ranks ? section("Rank by rank", ranks) : null,
    resources || shown.tables.some((table) => table.id === "resources")
      ? section("What the machines did", resources, tableOf(shown, "resources"))
      : null,
    section("Loading, and other totals", tableOf(shown, "totals", false)),
    section("What was trained, and where these numbers come from", tableOf(shown, "facts", false)),
  ];
}
