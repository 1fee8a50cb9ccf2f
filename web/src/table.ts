import { h, append } from "./dom";
import type { Cell, Shown, TableData } from "./types";

/** Longer tables show their first rows, and the others when asked for. */
const FIRST_ROWS = 40;

/** A column of numbers alone: words among them would be torn away from their names. */
const isNumber = (table: TableData, column: number) => {
  const filled = table.rows.map((row) => row[column]).filter((cell) => cell?.t);
  return filled.length > 0 && filled.every((cell) => cell.v !== undefined);
};

/** The basis that all numbers of a column share. */
function basisOf(table: TableData, column: number): string | undefined {
  const bases = new Set(
    table.rows
      .map((row) => row[column])
      .filter((cell) => cell?.v !== undefined)
      .map((cell) => cell.b),
  );
  return bases.size === 1 ? [...bases][0] : undefined;
}

function compare(a: Cell, b: Cell): number {
  if (a.v !== undefined && b.v !== undefined) return a.v - b.v;
  if (a.v !== undefined || b.v !== undefined) return a.v !== undefined ? -1 : 1;
  return a.t.localeCompare(b.t, "en", { numeric: true });
}

/** A cell as other programs take it: the document's own number, not the rounded one. */
const raw = (cell: Cell | undefined) => (cell?.v !== undefined ? String(cell.v) : (cell?.t ?? ""));

function quoted(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function unitOf(table: TableData, column: number): string {
  const units = new Set(table.rows.map((row) => row[column]?.u).filter(Boolean));
  return units.size === 1 ? ` [${[...units][0]}]` : "";
}

const head = (table: TableData) => table.columns.map((name, i) => name + unitOf(table, i));

export const csvOf = (table: TableData) =>
  [head(table), ...table.rows.map((row) => row.map(raw))].map((row) => row.map(quoted).join(",") + "\r\n").join("");

const tabsOf = (table: TableData) =>
  [head(table), ...table.rows.map((row) => row.map(raw))].map((row) => row.join("\t")).join("\n");

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Pages from the disk may not have the clipboard; the old way has no such rule.
    const area = h("textarea", { "aria-hidden": "true", class: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** A table that sorts, copies and downloads. */
export function tableOf(shown: Shown, id: string, title = true): HTMLElement | null {
  const table = shown.tables.find((table) => table.id === id);
  return table ? tableElement(table, `${shown.kind}-${table.id}.csv`, title) : null;
}

export function tableElement(table: TableData, file: string, title: boolean): HTMLElement {
  let order = table.rows.map((_, i) => i);
  let sorted = -1;
  let rising = true;
  let all = table.rows.length <= FIRST_ROWS;
  const body = h("tbody");
  const status = h("span", { class: "status", role: "status" });
  // A name and its value stand side by side.
  const numbers = table.columns.map((_, column) => table.columns.length > 2 && isNumber(table, column));
  const heads = table.columns.map((name, column) => {
    const basis = basisOf(table, column);
    return h(
      "th",
      { scope: "col", class: numbers[column] ? "right" : undefined },
      h(
        "button",
        { type: "button", class: "sort", onclick: () => sort(column) },
        name,
        basis ? h("small", { class: "basis" }, ` ${basis}`) : null,
      ),
    );
  });
  const columnBasis = table.columns.map((_, column) => basisOf(table, column));

  const more = h("button", { type: "button", class: "tool", onclick: () => ((all = true), fill()) });
  const fill = () => {
    body.replaceChildren();
    for (const i of all ? order : order.slice(0, FIRST_ROWS)) {
      const row = h("tr");
      table.rows[i].forEach((cell, column) => {
        const own = cell.b && columnBasis[column] === undefined ? h("small", { class: "basis" }, ` ${cell.b}`) : null;
        const number = numbers[column];
        const long = !number && cell.t.length > 40;
        append(
          row,
          column === 0
            ? h("th", { scope: "row", class: number ? "right" : undefined }, cell.t, own)
            : h("td", { class: number ? "right" : long ? "words" : undefined }, cell.t, own),
        );
      });
      body.append(row);
    }
    more.hidden = all;
    more.textContent = `Show all ${table.rows.length} rows`;
  };
  const sort = (column: number) => {
    rising = sorted === column ? !rising : true;
    sorted = column;
    order = [...order].sort((a, b) => (rising ? 1 : -1) * compare(table.rows[a][column], table.rows[b][column]));
    heads.forEach((element, i) => {
      if (i === column) element.setAttribute("aria-sort", rising ? "ascending" : "descending");
      else element.removeAttribute("aria-sort");
    });
    fill();
  };
  fill();
  return h(
    "div",
    { class: "table" },
    h(
      "div",
      { class: "tools" },
      title ? h("h4", {}, table.title) : h("span"),
      h("span", { class: "spacer" }),
      status,
      h(
        "button",
        {
          type: "button",
          class: "tool",
          "aria-label": `Copy the table ${table.title}`,
          onclick: async () => {
            status.textContent = (await copy(tabsOf(table))) ? "copied" : "this browser does not let pages copy";
          },
        },
        "Copy",
      ),
      h(
        "button",
        {
          type: "button",
          class: "tool",
          "aria-label": `Download the table ${table.title} as CSV`,
          onclick: () => download(file, csvOf(table)),
        },
        "CSV",
      ),
    ),
    h(
      "div",
      { class: "scroll", role: "region", tabindex: 0, "aria-label": table.title },
      h("table", {}, h("caption", { class: "offscreen" }, table.title), h("thead", {}, h("tr", {}, ...heads)), body),
    ),
    more,
  );
}
