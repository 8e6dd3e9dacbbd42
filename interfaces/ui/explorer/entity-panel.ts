/** What is known of the node that is picked: its name, its IRI, its type, its first facts, and what can be done with it. */
import type { Row } from '../../../clients/typescript/src/index.js';
import { errorNotice } from '../parts/errors.js';
import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { curieOf, type Prefixes } from '../parts/prefixes.js';
import { iriLink, termView } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import type { Server } from '../wire/server.js';
import { localName } from './model/graph-model.js';

export const FACTS_SHOWN = 40;

export interface EntityFacts {
  readonly rows: readonly Row[];
  /** Facts that there are: of the entity, and with it as their value. */
  readonly out: number;
  readonly in: number;
}

export interface EntityPanel {
  readonly server: Server;
  readonly prefixes: Prefixes;
  readonly iri: string;
  readonly name: string;
  readonly type: string | null;
  readonly facts: EntityFacts | null;
  readonly failure: unknown;
  /** Edges here of edges in the store; null when nobody counted them. */
  readonly reached: { readonly offset: number; readonly of: number } | null;
  readonly isBlank: boolean;
  readonly isPathEnd: boolean;
  readonly limit: number;
  expand(): void;
  hide(): void;
  open(): void;
  path(): void;
  close(): void;
  more(): void;
}

export function entityPanel(panel: EntityPanel): TemplateResult {
  const { iri, name, type, server, prefixes, reached, isBlank } = panel;
  const options = { server, prefixes, charactersMax: 80 };
  const isAll = reached !== null && reached.offset >= reached.of;
  return html`<aside class="panel entity" aria-label="Entity" tabindex="0">
    <section>
      <div class="row"><h2 class="grow"><bdi>${shownLine(name, 200)}</bdi></h2>
        <button class="button plain small" aria-label="Close the panel" @click=${panel.close}>×</button></div>
      ${type === null ? nothing : html`<div>${iriLink(type, options, 'svc-type-click')}</div>`}
      <div class="mono soft"><bdi>${shownLine(iri, 300)}</bdi></div>
      <div class="buttons">
        <button class="button small" ?disabled=${isBlank || isAll} @click=${panel.expand}>Expand <kbd>E</kbd></button>
        <button class="button small" ?disabled=${isBlank} @click=${panel.open}>Open</button>
        <button class="button small" @click=${panel.hide}>Hide <kbd>H</kbd></button>
        <button class="button small" aria-pressed=${panel.isPathEnd} @click=${panel.path}>Path <kbd>P</kbd></button>
      </div>
      ${reached === null ? nothing : html`<p class="faint">${count(reached.offset)} of ${count(reached.of)} edges are in the graph</p>`}
      ${isBlank ? html`<p class="faint">A blank node has no name to ask for: it can't be expanded.</p>` : nothing}
    </section>
    ${panel.failure === null ? nothing : html`<section>${errorNotice(panel.failure)}</section>`}
    ${panel.facts === null ? nothing : factList(panel, panel.facts, options)}
  </aside>`;
}

function factList(
  { server, limit, more }: EntityPanel,
  facts: EntityFacts,
  options: Parameters<typeof termView>[1],
): TemplateResult {
  const all = facts.out + facts.in;
  return html`<section>
    <h2>Facts <span class="faint">${count(facts.out)} out · ${count(facts.in)} in</span></h2>
    <dl class="facts">
      ${facts.rows.map(({ way, p, o }) => {
        const isIn = way?.type === 'literal' && way.value === 'in';
        const predicate = p?.type === 'uri' ? p.value : '';
        const name = curieOf(predicate, options.prefixes) ?? localName(predicate);
        return html`<dt title=${shownLine(predicate, 300)}>${isIn ? html`<span title="a fact of the other">← </span>` : nothing}<bdi>${shownLine(name, 80)}</bdi></dt><dd>${termView(o, { ...options, server, charactersMax: 160 })}</dd>`;
      })}
    </dl>
    ${facts.rows.length >= all ? nothing : html`<p class="faint">${count(facts.rows.length)} of ${count(all)} facts ${facts.rows.length >= limit ? nothing : html`<button class="button small" @click=${more}>More</button>`}</p>`}
  </section>`;
}
