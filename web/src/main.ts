import { comparisonSections } from "./comparison";
import { h } from "./dom";
import { kept } from "./format";
import { lawSections } from "./law";
import { machineSections } from "./machine";
import { predictionSections } from "./prediction";
import { profileFacts, profileSections } from "./profile";
import { recommendationSections } from "./recommendation";
import { surveySections } from "./survey";
import { tableElement } from "./table";
import { validationSections } from "./validation";
import type { Payload, Shown } from "./types";

const SECTIONS: Record<string, (shown: Shown) => (HTMLElement | null)[]> = {
  profile: profileSections,
  comparison: comparisonSections,
  law: lawSections,
  machine: machineSections,
  validation: validationSections,
  prediction: predictionSections,
  recommendation: recommendationSections,
  survey: surveySections,
};

const KIND: Record<string, string> = { machine: "machine card", "self-test": "self-test" };

/** Kinds without pictures have their tables. */
const plainSections = (shown: Shown) =>
  shown.tables.map((table) => tableElement(table, `${shown.kind}-${table.id}.csv`, true));

/** A section that holds nothing but its heading has nothing to say. */
const isEmpty = (section: HTMLElement) => section.tagName === "SECTION" && section.children.length < 2;

function article(shown: Shown, index: number, level: "h1" | "h2"): HTMLElement {
  const id = `document-${index + 1}`;
  const sections = (SECTIONS[shown.kind] ?? plainSections)(shown).filter(
    (one): one is HTMLElement => one !== null && !isEmpty(one),
  );
  const facts = shown.kind === "profile" ? profileFacts(shown.document) : [];
  return h(
    "article",
    { id, "aria-labelledby": `${id}-title` },
    h(
      "header",
      {},
      h("p", { class: "kind" }, `stallscope ${KIND[shown.kind] ?? shown.kind}`),
      h(level, { id: `${id}-title`, class: "name" }, shown.title),
      shown.verdict ? h("p", { class: "verdict" }, kept(shown.verdict)) : null,
      facts.length > 0
        ? h(
            "dl",
            { class: "glance" },
            ...facts.map(([term, value]) => h("div", {}, h("dt", {}, term), h("dd", {}, value))),
          )
        : null,
      h("p", { class: "source soft" }, shown.source, shown.document.created ? `, ${shown.document.created}` : ""),
    ),
    sections.filter((one) => one.id).length > 1
      ? h(
          "nav",
          { "aria-label": `Sections of ${shown.title}` },
          h(
            "ul",
            {},
            ...sections
              .filter((one) => one.id)
              .map((one) => h("li", {}, h("a", { href: `#${one.id}` }, one.querySelector("h3")?.textContent ?? ""))),
          ),
        )
      : null,
    ...sections,
  );
}

function contents(documents: Shown[]): HTMLElement {
  return h(
    "header",
    {},
    h("p", { class: "kind" }, "stallscope report"),
    h("h1", { class: "name" }, `${documents.length} documents`),
    h(
      "nav",
      { "aria-label": "Documents" },
      h(
        "ol",
        { class: "documents" },
        ...documents.map((shown, i) =>
          h(
            "li",
            {},
            h("a", { href: `#document-${i + 1}` }, `${KIND[shown.kind] ?? shown.kind}: ${shown.title}`),
            shown.verdict ? h("p", { class: "soft" }, kept(shown.verdict)) : null,
          ),
        ),
      ),
    ),
  );
}

/** Pictures and folded parts belong on paper too. */
function printsWhole(): void {
  let closed: HTMLDetailsElement[] = [];
  addEventListener("beforeprint", () => {
    closed = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")];
    for (const one of closed) one.open = true;
  });
  addEventListener("afterprint", () => {
    for (const one of closed) one.open = false;
  });
}

function start(): void {
  const payload: Payload = JSON.parse(document.getElementById("data")?.textContent ?? "{}");
  const { documents } = payload;
  const app = document.getElementById("app");
  if (!app) return;
  const several = documents.length > 1;
  app.replaceChildren(
    h("a", { class: "skip", href: "#main" }, "Skip to the numbers"),
    ...(several ? [contents(documents)] : []),
    h("main", { id: "main" }, ...documents.map((shown, i) => article(shown, i, several ? "h2" : "h1"))),
    h(
      "footer",
      { class: "soft" },
      `Made by stallscope ${payload.version}. This page holds all it shows, and loads nothing. Numbers say their basis: measured, published, predicted or fitted; ± and brackets are 95 % intervals.`,
    ),
  );
  printsWhole();
}

start();
