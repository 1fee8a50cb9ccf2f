import type { Estimate } from "./types";

function scaled(value: number, units: [number, string][]): string {
  const size = Math.abs(value);
  const [scale, unit] = units.find(([scale]) => size >= scale) ?? units[units.length - 1];
  return `${digits(value / scale)} ${unit}`;
}

/** Three digits, as the command prints them. */
export function digits(value: number): string {
  if (value === 0) return "0";
  const size = Math.abs(value);
  const places = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toFixed(places);
}

export function seconds(value: number): string {
  if (value === 0) return "0 s";
  return scaled(value, [
    [1, "s"],
    [1e-3, "ms"],
    [1e-6, "us"],
    [1e-9, "ns"],
  ]);
}

/** Of whole epochs: minutes and hours. */
export function duration(value: number): string {
  if (value >= 7200) return `${(value / 3600).toFixed(1)} h`;
  return value >= 600 ? `${(value / 60).toFixed(1)} min` : seconds(value);
}

export function bytes(value: number): string {
  if (value === 0) return "0 B";
  return scaled(value, [
    [1e12, "TB"],
    [1e9, "GB"],
    [1e6, "MB"],
    [1e3, "kB"],
    [1, "B"],
  ]);
}

export const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
export const money = (usd: number) =>
  `$${usd.toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
export const hours = (value: number) => `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)} h`;
export const count = (value: number) => value.toLocaleString("en-US");

export function amount(value: number, unit: string): string {
  switch (unit) {
    case "s":
      return seconds(value);
    case "share":
      return percent(value);
    case "B":
      return bytes(value);
    case "B/s":
      return `${bytes(value)}/s`;
    case "USD":
      return money(value);
    case "h":
      return hours(value);
    default:
      return unit ? `${digits(value)} ${unit}` : count(value);
  }
}

/** Whether ± would say something else than the interval, as the command decides (report/amounts.cpp). */
function liesAskew(estimate: Estimate): boolean {
  const [below, above] = [Math.abs(estimate.mean - estimate.low), Math.abs(estimate.high - estimate.mean)];
  return Math.abs(above - below) > 0.25 * Math.max(above, below);
}

/** Parts of a prediction have no interval of their own: theirs is as wide as nothing, and not said. */
function around(estimate: Estimate, show: (value: number) => string): string {
  if (!(estimate.high > estimate.low)) return show(estimate.mean);
  if (liesAskew(estimate)) return rangeOf(estimate, show);
  return `${show(estimate.mean)} ± ${show((estimate.high - estimate.low) / 2)}`;
}
export const secondsOf = (estimate: Estimate) => around(estimate, seconds);
export const percentOf = (estimate: Estimate) => around(estimate, percent);
/** No prediction is certain. */
export const sure = (probability: number) => (probability > 0.99 ? "over 99 %" : percent(probability));
export function rangeOf(estimate: Estimate, show: (value: number) => string): string {
  return `${show(estimate.mean)} (${show(estimate.low)} to ${show(estimate.high)})`;
}

/** "1 machine", "2 machines". */
export const counted = (number: number, noun: string) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** No line breaks between a number and its unit. */
export const kept = (text: string) =>
  text.replace(/(\d) (%|s|ms|us|ns|[kMGT]?B(?:\/s)?|h)\b/g, "$1\u00a0$2").replace(/ %/g, "\u00a0%");
