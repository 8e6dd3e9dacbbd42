/** Terms as the entity view shows them: as everywhere, but that blank nodes can be opened by their label. */

import { emit } from '../parts/events.js';
import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { type Term, type TermOptions, termView } from '../parts/term.js';
import { shownLine } from '../parts/text.js';

const LABEL_CHARACTERS = 120;

/** `labels`: names by IRI, that stand behind it. */
export function nodeView(term: Term, options: TermOptions, labels?: ReadonlyMap<string, string>): TemplateResult {
  if (term.type !== 'bnode') {
    const label = term.type === 'uri' ? labels?.get(term.value) : undefined;
    return html`${termView(term, options)}${label === undefined ? nothing : html` <bdi class="soft" dir="auto">${shownLine(label, LABEL_CHARACTERS)}</bdi>`}`;
  }
  const iri = `_:${term.value}`;
  return html`<a class="mono" href=${options.server.entityUrl(iri)} @click=${(click: MouseEvent) => follow(click, iri)}><bdi>${shownLine(iri, 200)}</bdi></a>`;
}

function follow(click: MouseEvent, iri: string): void {
  if (click.ctrlKey || click.metaKey || click.shiftKey || click.button !== 0 || click.currentTarget === null) return;
  if (!emit(click.currentTarget, 'svc-node-click', { iri })) click.preventDefault();
}
