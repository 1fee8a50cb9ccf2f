import * as Plot from "@observablehq/plot";
import { h } from "./dom";

export { Plot };

export const INK = "var(--ink)";
export const SOFT = "var(--soft)";

/** A picture that is drawn anew where its place changes its width. `says` is what it shows, in words. */
export function chart(says: string, options: (width: number) => Plot.PlotOptions, caption?: string): HTMLElement {
  const place = h("div", { class: "plot" });
  const figure = h("figure", {}, place);
  if (caption) figure.append(h("figcaption", { class: "lead" }, caption));
  let drawn = 0;
  const draw = (width: number) => {
    if (width === drawn || width < 40) return;
    drawn = width;
    place.replaceChildren(draws(says, options(width), width));
  };
  // Before it is in the page its width is not known; then every change of it is told.
  new ResizeObserver((entries) => draw(Math.floor(entries[0].contentRect.width))).observe(place);
  return figure;
}

export function draws(says: string, options: Plot.PlotOptions, width: number): Element {
  // Words below an axis stand below its numbers, and point nowhere: which way is better, they say themselves.
  const below = options.x?.label && options.marginBottom === undefined;
  const plot = Plot.plot({
    width,
    style: { background: "transparent", color: SOFT, fontSize: "12px", fontFamily: "inherit", overflow: "visible" },
    ...options,
    ...(below ? { marginBottom: 46, height: options.height ? options.height + 16 : undefined } : {}),
    x: { labelArrow: "none", ...options.x },
  });
  const picture = plot instanceof SVGElement ? plot : plot.querySelector("svg");
  picture?.setAttribute("role", "img");
  picture?.setAttribute("aria-label", says);
  // Plot names its groups by the kind of their marks, which says nothing and is not allowed without a role.
  for (const group of picture?.querySelectorAll("g[aria-label]") ?? []) group.removeAttribute("aria-label");
  return plot;
}

/** Names that stand left of a picture need this much room; on telephones less is left for them. */
export const labels = (names: string[], width: number, size = 7) =>
  Math.min(Math.max(...names.map((name) => name.length)) * size + 14, width * 0.4);

/** The names left of a picture, cut where they would run out of it. */
export const named = (names: string[], width: number, size = 7) => {
  const room = labels(names, width, size);
  return {
    marginLeft: room,
    y: { domain: names, label: null, tickSize: 0, tickFormat: (name: string) => cut(name, Math.floor((room - 10) / size)) },
  };
};

/** A long name, cut where there is no room for it. */
export const cut = (name: string, length: number) => (name.length > length ? `${name.slice(0, length - 1)}…` : name);

export const tip = { fill: "var(--card)", stroke: "var(--line)", textPadding: 8, fontSize: 12, lineWidth: 30 } as const;

/** A row of coloured squares with words. */
export function legend(items: { color: string; name: string; hatched?: boolean }[]): HTMLElement {
  return h(
    "ul",
    { class: "key" },
    ...items.map((item) =>
      h(
        "li",
        {},
        h("span", { class: item.hatched ? "square hatched" : "square", style: `background-color: ${item.color}` }),
        item.name,
      ),
    ),
  );
}
