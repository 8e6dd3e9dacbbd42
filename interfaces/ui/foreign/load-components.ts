/** /svc-components.js: loads the elements; where the server does not give them to this page, each element says so. */

import { beside, whyNotLoaded } from './beside.js';

/** Put in by the build. */
declare const MODULE: string;

const TAGS = 'svc-graph, svc-sparql, svc-entity, svc-timeline, svc-schema';

const reason = whyNotLoaded('The elements');

import(beside(MODULE)).catch((error: unknown) => {
  console.error(`svc: ${reason}`, error);
  if (document.readyState === 'loading') document.addEventListener('DOMContentLoaded', tell);
  else tell();
});

function tell(): void {
  for (const element of document.querySelectorAll(TAGS)) {
    if (element.shadowRoot !== null) continue;
    const notice = document.createElement('p');
    notice.setAttribute('role', 'alert');
    notice.textContent = reason;
    element.attachShadow({ mode: 'open' }).append(notice);
  }
}
