// Which candidate a recommendation's rule takes (docs/formats.md). The page selects among the candidates of the
// document; it predicts nothing.
import type { Estimate } from "./types";

export interface Candidate {
  instance: string;
  provider: string;
  region?: string;
  market: string;
  gpu?: string;
  gpus_per_node?: number;
  nodes: number;
  devices: number;
  batch_per_device: number;
  global_batch?: number;
  step_time_s: Estimate;
  samples_per_s: Estimate;
  stalls: Record<string, number>;
  setup_h: number;
  work_h: Estimate;
  hours: Estimate;
  usd_hour: number;
  billing: { granularity_s: number; minimum_s: number };
  storage_usd_hour: number;
  cost_usd: Estimate;
  pays_for?: string;
  probability_in_time?: number;
  probability_in_budget?: number;
  basis: string;
  from?: string;
  price_date?: string;
  price_stale?: boolean;
}

export interface Question {
  deadline?: number;
  budget?: number;
  confidence: number;
}

const Z_975 = 1.959964;

/** The error function's complement, by Abramowitz and Stegun's continued fraction and series: 1e-15 where it matters. */
export function normal(z: number): number {
  const x = Math.abs(z);
  let upper: number;
  if (x < 3) {
    // Phi(x) - 1/2 = phi(x) (x + x^3/3 + x^5/(3*5) + …)
    let term = x;
    let sum = x;
    for (let n = 1; n < 200 && term > 1e-17 * sum; ++n) sum += term *= (x * x) / (2 * n + 1);
    upper = 0.5 - (sum * Math.exp((-x * x) / 2)) / Math.sqrt(2 * Math.PI);
  } else {
    let fraction = x;
    for (let n = 60; n > 0; --n) fraction = x + n / fraction;
    upper = Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI) / fraction;
  }
  return z >= 0 ? 1 - upper : upper;
}

/** The normal quantile, by halving: forty steps settle every digit that a slider can tell. */
export function quantile(share: number): number {
  let low = -9;
  let high = 9;
  for (let i = 0; i < 60; ++i) {
    const middle = (low + high) / 2;
    if (normal(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** The hours that the job stays within with this confidence. */
export function hoursAt(candidate: Candidate, confidence: number): number {
  const { mean, high } = candidate.work_h;
  return candidate.setup_h + mean * Math.pow(high / mean, quantile(confidence) / Z_975);
}

export function costOf(candidate: Candidate, hours: number): number {
  const { granularity_s, minimum_s } = candidate.billing;
  const billed = Math.max(minimum_s / 3600, (Math.ceil((hours * 3600) / granularity_s) * granularity_s) / 3600);
  return candidate.nodes * candidate.usd_hour * billed + candidate.storage_usd_hour * hours;
}

export function fits(candidate: Candidate, question: Question): boolean {
  const hours = hoursAt(candidate, question.confidence);
  return (
    (question.deadline === undefined || hours <= question.deadline) &&
    (question.budget === undefined || costOf(candidate, hours) <= question.budget)
  );
}

/** The index of the choice; -1 where nothing fits. */
export function choose(candidates: Candidate[], question: Question): number {
  const fitting = candidates.map((_, i) => i).filter((i) => fits(candidates[i], question));
  if (fitting.length === 0) return -1;
  if (question.deadline !== undefined || question.budget === undefined) return fitting[0];
  // Only a budget: the fastest, then the cheapest, then the first.
  return fitting.reduce((best, i) => {
    const a = candidates[i];
    const b = candidates[best];
    const better = a.hours.mean < b.hours.mean || (a.hours.mean === b.hours.mean && a.cost_usd.mean < b.cost_usd.mean);
    return better ? i : best;
  });
}

/** The probability that the job takes at most so many hours. */
export function probabilityWithin(candidate: Candidate, hours: number): number {
  const work = hours - candidate.setup_h;
  const { mean, low, high } = candidate.work_h;
  if (work <= 0) return 0;
  if (work >= mean) return high === mean ? 1 : normal((Z_975 * Math.log(work / mean)) / Math.log(high / mean));
  return low === mean ? 0 : normal((-Z_975 * Math.log(mean / work)) / Math.log(mean / low));
}
