/** The filters beside the graph: types and predicates of what is here with their counts, and the graphs of the store. */
import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { styled } from '../parts/styled.js';
import { count, shownLine } from '../parts/text.js';
import { type Colour, css } from './draw/theme.js';
import { localName } from './model/graph-model.js';
import type { Counted } from './model/visible.js';

/** Of each kind, so many are listed until one asks for all. */
const LISTED = 12;
const LISTED_ALL = 500;
/** What is read when no graph is named. */
const ROOT = 'urn:svc:graph:root';

export interface GraphChoice {
  readonly iri: string;
  readonly facts: number;
  readonly freshness: string | null;
}

export interface FiltersPanel {
  readonly types: readonly Counted[];
  readonly predicates: readonly Counted[];
  readonly graphs: readonly GraphChoice[];
  /** Graphs that there are. */
  readonly areMoreGraphs: boolean;
  readonly typesOff: ReadonlySet<string>;
  readonly predicatesOff: ReadonlySet<string>;
  /** The graph that is read; null = ROOT. */
  readonly graph: string | null;
  readonly isOpen: boolean;
  readonly areAllListed: ReadonlySet<string>;
  /** Null when types are not the colours. */
  colourOf(type: string): Colour | null;
  toggleType(iri: string): void;
  togglePredicate(iri: string): void;
  readGraph(iri: string | null): void;
  listAll(kind: string): void;
  /** Begins anew: with an IRI, with what a text finds, or, by an empty text, with the best connected. */
  beginWith(text: string): void;
}

export function filtersPanel(panel: FiltersPanel): TemplateResult {
  return html`<aside class="panel filters ${panel.isOpen ? 'is-open' : ''}" aria-label="Filters" tabindex="0">
    <section>
      <form class="row" role="search" aria-label="Begin the graph" @submit=${(event: SubmitEvent) => submit(event, panel)}>
        <input class="field grow" name="begin" type="search" aria-label="Begin with an IRI or a text" placeholder="Begin with …" autocomplete="off" spellcheck="false" />
        <button class="button small">Begin</button>
      </form>
    </section>
    ${group(panel, 'Types', panel.types, panel.typesOff, (iri) => panel.toggleType(iri))}
    ${group(panel, 'Predicates', panel.predicates, panel.predicatesOff, (iri) => panel.togglePredicate(iri))}
    ${graphs(panel)}
  </aside>`;
}

function submit(event: SubmitEvent, { beginWith }: FiltersPanel): void {
  event.preventDefault();
  if (!(event.target instanceof HTMLFormElement)) return;
  beginWith(String(new FormData(event.target).get('begin') ?? '').trim());
}

function group(
  panel: FiltersPanel,
  title: string,
  all: readonly Counted[],
  off: ReadonlySet<string>,
  toggle: (iri: string) => void,
): TemplateResult {
  const listed = all.slice(0, panel.areAllListed.has(title) ? LISTED_ALL : LISTED);
  const isOf = listed.length < all.length;
  return html`<section>
    <h2>${title} <span class="faint">${isOf ? `${count(listed.length)} of ${count(all.length)}` : count(all.length)}</span></h2>
    ${listed.map(({ iri, count: nodes }) => {
      const colour = title === 'Types' ? panel.colourOf(iri) : null;
      const name = iri === '' ? 'without a type' : shownLine(localName(iri), 60);
      return html`<label class="row" title=${shownLine(iri, 300)}>
        <input type="checkbox" .checked=${!off.has(iri)} @change=${() => toggle(iri)} />
        ${colour === null ? nothing : html`<i class="swatch" ${styled({ background: css(colour) })}></i>`}
        <bdi class="ellipsis">${name}</bdi><span class="number">${count(nodes)}</span>
      </label>`;
    })}
    ${isOf && !panel.areAllListed.has(title) ? html`<button class="button plain small" @click=${() => panel.listAll(title)}>${count(all.length - listed.length)} more</button>` : nothing}
  </section>`;
}

function graphs({ graphs: all, areMoreGraphs, graph, readGraph }: FiltersPanel): TemplateResult {
  const choice = (iri: string | null, name: string, said: string): TemplateResult =>
    html`<label class="row" title=${iri === null ? 'the default graph' : shownLine(iri, 300)}>
      <input type="radio" name="graph" .checked=${graph === iri} @change=${() => readGraph(iri)} />
      <bdi class="ellipsis">${name}</bdi><span class="number">${said}</span>
    </label>`;
  const root = all.find(({ iri }) => iri === ROOT);
  const others = all.filter(({ iri }) => iri !== ROOT);
  const isUnlisted = graph !== null && !all.some(({ iri }) => iri === graph);
  return html`<section role="radiogroup" aria-label="Graph that is read">
    <h2>Graphs <span class="faint">${count(all.length)}${areMoreGraphs ? ' and more' : ''}</span></h2>
    ${choice(null, 'root', root === undefined ? '' : (root.freshness ?? count(root.facts)))}
    ${isUnlisted ? choice(graph, shownLine(localName(graph), 60), '') : nothing}
    ${others.map(({ iri, facts, freshness }) => choice(iri, shownLine(localName(iri), 60), freshness ?? count(facts)))}
  </section>`;
}
