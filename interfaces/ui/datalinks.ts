/**
 * Cards for a page of anybody: an element with `data-svc-iri` shows, when it is pointed at or has the focus, what the server that
 * this script comes from says of that entity (`/preview`). Escape takes the card away; the pointer may move onto it. The element
 * gets the focus by the keyboard where it had none, and the card is its description for screen readers.
 */

import { Card } from './datalinks/card.js';

const ATTRIBUTE = 'data-svc-iri';
const SELECTOR = `[${ATTRIBUTE}]`;
/** A pointer that only passes by shows nothing. */
const OPEN_MS = 150;
/** Time to move onto the card. */
const CLOSE_MS = 200;

const card = new Card(new URL('..', import.meta.url).href.replace(/\/+$/, ''));
let timer: ReturnType<typeof setTimeout> | undefined;

function linkOf(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>(SELECTOR) : null;
}

function after(waitMs: number, act: () => void): void {
  clearTimeout(timer);
  timer = setTimeout(act, waitMs);
}

function open(link: HTMLElement): void {
  clearTimeout(timer);
  void card.show(link, link.getAttribute(ATTRIBUTE) ?? '');
}

function close(): void {
  clearTimeout(timer);
  card.hide();
}

document.addEventListener('pointerover', ({ target }) => {
  const link = linkOf(target);
  if (link !== null) after(OPEN_MS, () => open(link));
  else if (card.holds(target)) clearTimeout(timer);
});
document.addEventListener('pointerout', ({ target, relatedTarget }) => {
  const left = linkOf(target);
  if ((left === null && !card.holds(target)) || linkOf(relatedTarget) === card.link || card.holds(relatedTarget))
    return;
  // What has the focus keeps its card.
  if (card.link !== null && card.link === document.activeElement) clearTimeout(timer);
  else after(CLOSE_MS, close);
});
document.addEventListener('focusin', ({ target }) => {
  const link = linkOf(target);
  if (link !== null) open(link);
});
document.addEventListener('focusout', ({ target }) => {
  if (linkOf(target) === card.link) close();
});
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || card.link === null) return;
  event.preventDefault();
  close();
});

/** What nobody could reach by the keyboard can be reached. */
function reach(root: ParentNode): void {
  for (const element of root.querySelectorAll<HTMLElement>(SELECTOR)) {
    if (element.tabIndex < 0 && !element.hasAttribute('tabindex')) element.tabIndex = 0;
  }
}

new MutationObserver(() => reach(document)).observe(document.documentElement, {
  childList: true,
  subtree: true,
  attributeFilter: [ATTRIBUTE],
});
reach(document);
