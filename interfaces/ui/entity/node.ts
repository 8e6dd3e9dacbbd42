/** Terms as the entity view shows them: as everywhere, but that blank nodes can be opened by their label. */

import { emit } from '../parts/events.js';
import { html, type TemplateResult } from '../parts/lit.js';
import { type Term, type TermOptions, termView } from '../parts/term.js';
import { shownLine } from '../parts/text.js';

export function nodeView(term: Term, options: TermOptions): TemplateResult {
  if (term.type !== 'bnode') return html`${termView(term, options)}`;
  const iri = `_:${term.value}`;
  return html`<a class="mono" href=${options.server.entityUrl(iri)} @click=${(click: MouseEvent) => follow(click, iri)}><bdi>${shownLine(iri, 200)}</bdi></a>`;
}

function follow(click: MouseEvent, iri: string): void {
  if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0 || click.currentTarget === null) return;
  if (!emit(click.currentTarget, 'svc-node-click', { iri })) click.preventDefault();
}
