/** Small helpers that build DOM; text is always text, never HTML. */

type Child = Node | string | undefined | false;

interface Properties {
  readonly class?: string;
  readonly [attribute: string]: string | boolean | number | undefined | ((event: Event) => void);
}

/** Makes an element; `on…` properties are listeners, others attributes. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === 'function') {
      element.addEventListener(name.slice(2), value);
    } else if (value !== undefined && value !== false) {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  element.append(...children.filter((c): c is Node | string => c !== undefined && c !== false));
  return element;
}

/** A button with a label for everyone; `title` tells more on hover. */
export function button(label: string, onclick: () => void, properties: Properties = {}): HTMLButtonElement {
  return h('button', { type: 'button', ...properties, onclick }, label);
}

const svg = 'http://www.w3.org/2000/svg';

/** Icons on a grid of 16, by the kind of a call or what a control does. */
const shapes: Readonly<Record<string, string>> = {
  read: 'M3 2.5h6.5L13 6v7.5H3zM9 2.5V6.5h4M5.5 8.5h5M5.5 11h5',
  edit: 'M3 13l.7-3L10.5 3.2l2.3 2.3L6 12.3zM9 4.7L11.3 7',
  delete: 'M3 4.5h10M6.5 4.5v-2h3v2M4.5 4.5l.6 9h5.8l.6-9M7 7v4M9 7v4',
  move: 'M2.5 8h10M9 4.5L12.5 8 9 11.5',
  search: 'M7 3a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM10 10l3.5 3.5',
  execute: 'M2.5 3h11v10h-11zM5 6l2 2-2 2M8.5 10.5h2.5',
  think: 'M8 2.5a4 4 0 0 1 2 7.4V11.5H6V9.9A4 4 0 0 1 8 2.5zM6.5 13.5h3',
  fetch: 'M8 2.5a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM2.5 8h11M8 2.5c4 3.5 4 7.500 0 11c-4-3.500-4-7.500 0-11',
  switch_mode: 'M3 5.5h9M9.500 3L12 5.500 9.500 8M13 10.500H4M6.500 8L4 10.500 6.500 13',
  other: 'M9.5 2.500L4 9h3.500L6.500 13.500 12 7H8.500z',
  chevron: 'M6 4l4 4-4 4',
  file: 'M4 2.500h5L12 5.500v8H4z',
  folder: 'M2 4.500h4.500l1.500 1.500H14v6.500H2z',
  selection: 'M3 4h10M3 8h6M3 12h8',
  warning: 'M8 3l6 10.500H2zM8 7v3M8 11.500v.5',
};

export function icon(name: string): SVGSVGElement {
  const element = document.createElementNS(svg, 'svg');
  element.setAttribute('viewBox', '0 0 16 16');
  element.setAttribute('aria-hidden', 'true');
  element.classList.add('icon', `icon-${name}`);
  const path = document.createElementNS(svg, 'path');
  path.setAttribute('d', shapes[name] ?? shapes['other']!);
  element.append(path);
  return element;
}

/** 0.4 s, 12 s, 2 min 3 s. */
export function duration(ms: number): string {
  if (ms < 9_950) {
    return `${(ms / 1000).toFixed(1)} s`;
  }
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
