/** The card about one entity beside the element that names it. Everything in it is text; styles stand in its shadow root. */

import { cut, shown, shownLine } from '../parts/text.js';

const ID = 'svc-card';
const CARDS_MAX = 200;
const TEXT_MAX = 300;
const GAP_PX = 6;

const STYLE = `
:host { position: fixed; z-index: 2147483647; inset: auto; margin: 0; box-sizing: border-box; width: min(400px, calc(100vw - 16px)); max-height: 300px; overflow: auto;
  padding: 12px 14px; border: 1px solid light-dark(#c8c8c1, #3b4350); border-radius: 6px; background: light-dark(#ffffff, #1b2029); color: light-dark(#1b1e23, #e3e7ed);
  font: 13px/20px system-ui, sans-serif; box-shadow: 0 6px 20px #0004; text-align: start; color-scheme: light dark; overflow-wrap: anywhere }
:host([hidden]) { display: none }
.label { font-weight: 600; font-size: 15px }
.soft { color: light-dark(#4f5661, #a8b0bd) }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0 10px; margin: 6px 0 0 } dd { margin: 0 }
dt { max-width: 9rem; overflow: hidden; text-overflow: ellipsis }
p { margin: 4px 0 0 }
`;

/** What /preview answers. */
interface Preview {
  readonly label: string;
  readonly type: string;
  readonly description: string | null;
  readonly properties: readonly { readonly label: string; readonly value: unknown }[];
  readonly more: number;
}

type Told = { readonly preview: Preview } | { readonly failure: string };

export class Card {
  /** The element that it is shown for; null = it is not shown. */
  link: HTMLElement | null = null;
  readonly #base: string;
  readonly #host = document.createElement('div');
  readonly #body: ShadowRoot;
  readonly #known = new Map<string, Told>();
  #asking = new AbortController();
  /** What the element was described by before. */
  #described: string | null = null;

  /** `base`: of the server, without a slash at its end. */
  constructor(base: string) {
    this.#base = base;
    this.#host.id = ID;
    this.#host.hidden = true;
    this.#host.setAttribute('role', 'tooltip');
    this.#body = this.#host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    this.#body.adoptedStyleSheets = [sheet];
  }

  holds(target: EventTarget | null): boolean {
    return target === this.#host;
  }

  async show(link: HTMLElement, iri: string): Promise<void> {
    if (this.link === link) return;
    this.hide();
    this.link = link;
    this.#described = link.getAttribute('aria-describedby');
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const told = this.#known.get(iri) ?? (await this.#ask(iri, signal));
    if (signal.aborted || this.link !== link) return;
    this.#draw(told, iri);
    if (!this.#host.isConnected) document.body.append(this.#host);
    this.#host.hidden = false;
    link.setAttribute('aria-describedby', this.#described === null ? ID : `${this.#described} ${ID}`);
    this.#place(link.getBoundingClientRect());
  }

  hide(): void {
    const { link } = this;
    if (link === null) return;
    this.#asking.abort();
    this.#host.hidden = true;
    if (this.#described === null) link.removeAttribute('aria-describedby');
    else link.setAttribute('aria-describedby', this.#described);
    this.link = null;
  }

  async #ask(iri: string, signal: AbortSignal): Promise<Told> {
    try {
      const headers = { Accept: 'application/json' };
      const response = await fetch(`${this.#base}/preview/${encodeURIComponent(iri)}`, { headers, signal });
      if (response.status === 404) return { failure: 'The store knows nothing of it.' };
      if (response.status === 401) return { failure: 'The server tells it only to who has its token.' };
      if (!response.ok) return { failure: `The server answers ${response.status}.` };
      const told = { preview: (await response.json()) as Preview };
      if (this.#known.size >= CARDS_MAX) this.#known.clear();
      this.#known.set(iri, told);
      return told;
    } catch {
      return {
        failure: `${this.#base} is away, or does not allow pages of ${location.origin} (server.cors_allowed_origins).`,
      };
    }
  }

  #draw(told: Told, iri: string): void {
    const parts =
      'failure' in told
        ? [line('p', told.failure), line('p', shownLine(iri, TEXT_MAX), 'soft')]
        : drawn(told.preview, iri);
    this.#body.replaceChildren(...parts);
    this.#host.setAttribute('aria-label', parts.map(({ textContent }) => textContent).join('. '));
  }

  #place({ left, top, bottom }: DOMRect): void {
    const { offsetWidth: width, offsetHeight: height } = this.#host;
    const isBelow = bottom + GAP_PX + height <= innerHeight || top < height;
    const { style } = this.#host;
    style.left = `${Math.max(8, Math.min(left, innerWidth - width - 8))}px`;
    style.top = `${isBelow ? Math.min(bottom + GAP_PX, Math.max(8, innerHeight - height - 8)) : top - GAP_PX - height}px`;
  }
}

function line(tag: string, text: string, name = ''): HTMLElement {
  const element = document.createElement(tag);
  const isolated = document.createElement('bdi');
  isolated.dir = 'auto';
  isolated.textContent = text;
  element.className = name;
  element.append(isolated);
  return element;
}

function drawn({ label, type, description, properties, more }: Preview, iri: string): HTMLElement[] {
  const list = document.createElement('dl');
  for (const property of properties) {
    list.append(line('dt', shownLine(property.label, 40), 'soft'), line('dd', valueText(property.value)));
  }
  return [
    line('div', shownLine(label, TEXT_MAX), 'label'),
    line('div', `${shownLine(type, 80)} · ${shownLine(iri, TEXT_MAX)}`, 'soft'),
    ...(description === null ? [] : [line('p', shown(cut(description, TEXT_MAX)))]),
    ...(properties.length === 0 ? [] : [list]),
    ...(more === 0 ? [] : [line('p', `and ${more} more`, 'soft')]),
  ];
}

/** Values say by themselves what they are. */
function valueText(value: unknown): string {
  const given = typeof value === 'object' && value !== null ? (value as { value?: unknown }).value : value;
  return shownLine(String(given ?? JSON.stringify(value)), TEXT_MAX);
}
