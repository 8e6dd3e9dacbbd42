/**
 * For pages of somebody else: an element with `data-svc-iri` gets a card of what that IRI names, from `/preview`, when it is pointed at or
 * focused. The server is where this script comes from, or what `data-endpoint` of its tag says. The card stands in a shadow root, and
 * everything in it is put in as text.
 */

/** Before a card is asked for: who only passes over it asks for nothing. */
const WAIT_MS = 250;
const PROPERTIES_MAX = 6;
const CHARACTERS_MAX = 240;

interface Card {
  readonly iri?: unknown;
  readonly label?: unknown;
  readonly types?: unknown;
  readonly description?: unknown;
}

// Behind a dynamic import there is no `currentScript`: the tag is found by what it loads.
const tag = Array.from(document.scripts).find(({ src }) => /\/datalinks\.js(?:[?#]|$)/.test(src));
const endpoint = new URL(tag?.dataset.endpoint ?? '.', tag?.src ?? import.meta.url).href.replace(/\/$/, '');
const cards = new Map<string, Promise<Card>>();
let timer: ReturnType<typeof setTimeout> | undefined;
let shown: HTMLElement | null = null;

function cardOf(iri: string): Promise<Card> {
  let card = cards.get(iri);
  if (card === undefined) {
    card = fetch(`${endpoint}/preview/${encodeURIComponent(iri)}`, {
      headers: { Accept: 'application/json', 'X-Svc-Client': 'datalinks' },
    }).then(async (response) => {
      const body: unknown = await response.json();
      if (!response.ok || typeof body !== 'object' || body === null) throw new Error(`no card: ${response.status}`);
      return body;
    });
    // What failed is asked for again the next time.
    card.catch(() => cards.delete(iri));
    cards.set(iri, card);
  }
  return card;
}

function linkAt(event: Event): HTMLElement | null {
  const { target } = event;
  return target instanceof Element ? target.closest<HTMLElement>('[data-svc-iri]') : null;
}

function soon(event: Event): void {
  const link = linkAt(event);
  if (link === null) return;
  clearTimeout(timer);
  timer = setTimeout(() => void show(link), WAIT_MS);
}

async function show(link: HTMLElement): Promise<void> {
  const iri = link.dataset.svcIri ?? '';
  hide();
  try {
    const card = await cardOf(iri);
    const host = draw(card, iri);
    const { left, bottom } = link.getBoundingClientRect();
    host.style.cssText = `position:absolute;z-index:2147483647;left:${Math.max(4, left + scrollX)}px;top:${bottom + scrollY + 4}px`;
    host.id = 'svc-datalink-card';
    link.setAttribute('aria-describedby', host.id);
    document.body.append(host);
    shown = host;
  } catch (error) {
    link.title = `svc: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function hide(): void {
  clearTimeout(timer);
  shown?.remove();
  shown = null;
}

function draw({ label, types, description }: Card, iri: string): HTMLElement {
  const host = document.createElement('div');
  host.setAttribute('role', 'tooltip');
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(
    ':host{color-scheme:light dark;display:block;max-width:22rem;padding:10px 12px;border:1px solid light-dark(#c8c8c1,#3b4350);border-radius:6px;background:light-dark(#fff,#1b2029);color:light-dark(#1b1e23,#e3e7ed);font:13px/20px system-ui,sans-serif;box-shadow:0 6px 20px #0003;overflow-wrap:anywhere}b,bdi{display:block}small{display:block;color:light-dark(#4f5661,#a8b0bd)}',
  );
  const root = host.attachShadow({ mode: 'open' });
  root.adoptedStyleSheets = [sheet];
  root.append(piece('b', text(label) ?? iri));
  const classes = Array.isArray(types) ? types.filter((one) => typeof one === 'string') : [];
  if (classes.length > 0) root.append(piece('small', classes.slice(0, PROPERTIES_MAX).join(', ')));
  const said = text(description);
  if (said !== null) root.append(piece('bdi', said));
  root.append(piece('small', iri));
  return host;
}

function piece(name: string, content: string): HTMLElement {
  const made = document.createElement(name);
  made.dir = 'auto';
  made.textContent = content.length > CHARACTERS_MAX ? `${content.slice(0, CHARACTERS_MAX)}…` : content;
  return made;
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

document.addEventListener('pointerover', soon);
document.addEventListener('focusin', soon);
document.addEventListener('pointerout', (event) => linkAt(event) !== null && hide());
document.addEventListener('focusout', hide);
document.addEventListener('keydown', ({ key }) => key === 'Escape' && hide());

export {};
