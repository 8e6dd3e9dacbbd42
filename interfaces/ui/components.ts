/**
 * The elements for other pages. The code of each is loaded when the element first stands in the document: shadow roots are
 * not looked into.
 */

import { VIEWS } from './page/views.js';

const waiting = new Map(VIEWS.map(({ tag, load }) => [tag, load]));

function look(): void {
  for (const [tag, load] of waiting) {
    if (document.querySelector(tag) === null) continue;
    waiting.delete(tag);
    load().catch((error: unknown) => {
      waiting.set(tag, load);
      console.error(`svc: <${tag}> could not be loaded`, error);
    });
  }
  if (waiting.size === 0) observer.disconnect();
}

const observer = new MutationObserver(look);
observer.observe(document, { childList: true, subtree: true });
look();
