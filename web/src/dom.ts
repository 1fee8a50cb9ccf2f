// Elements are made here and nowhere else, and text only ever becomes a text node: names from documents cannot
// turn into markup.

type Child = Node | string | null | undefined | false;

export interface Attributes {
  [name: string]: string | number | boolean | undefined | ((event: Event) => void);
}

/** h("p", {class: "lead"}, "text"); an attribute "onclick" takes a function. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  append(element, ...children);
  return element;
}

export function append(parent: Element, ...children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    parent.append(child);
  }
}

let lastId = 0;
/** An id that nothing else on the page has. */
export function freshId(name: string): string {
  return `${name.replace(/[^a-z0-9-]+/gi, "-")}-${++lastId}`;
}

/** A heading with what stands below it, for the list of sections. */
export function section(title: string, ...children: Child[]): HTMLElement {
  const id = freshId(title.toLowerCase());
  return h(
    "section",
    { id, "aria-labelledby": `${id}-title` },
    h("h3", { id: `${id}-title`, class: "title" }, title),
    ...children,
  );
}

export const lead = (text: string) => h("p", { class: "lead" }, text);
