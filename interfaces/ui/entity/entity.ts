/**
 * An entity: its facts by predicate, what leads to it, what became of its facts, why they stand, and the graphs that know it,
 * for the time and the graph of the page. On the page of the server facts are written in place.
 */

import { hasElement } from '../parts/elements.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { labelsOf } from '../parts/labels.js';
import { html, nothing, repeat } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { iriLink, type TermOptions } from '../parts/term.js';
import { count, shown, shownLine } from '../parts/text.js';
import { isIri, termKey } from '../parts/turtle.js';
import { define, type HostMessage, View } from '../parts/view.js';
import { type Place, whyNotWrite } from '../writes/write-facts.js';
import './about-graph.js';
import { entityStyles } from './entity-styles.js';
import './fact.js';
import { spanView } from './fact.js';
import { HISTORY_ROWS_MAX, type History, readHistory } from './history.js';
import { nodeView } from './node.js';
import {
  type Direction,
  isBlank,
  PREDICATES_MAX,
  type Properties,
  type Property,
  type Reading,
  readMore,
  readProperties,
} from './read-entity.js';
import './search-form.js';
import { descriptionOf, labelOf, ordered, typesOf } from './summary.js';

/** Of predicates and types: in one line. */
const NAME_CHARACTERS = 120;

export class EntityView extends View {
  static override properties = {
    iri: {},
    showEdges: { attribute: 'show-edges' },
    showHistory: { attribute: 'show-history' },
    out: { state: true },
    into: { state: true },
    history: { state: true },
    labels: { state: true },
    failure: { state: true },
    adding: { state: true },
  };
  static override styles = [base, entityStyles];
  iri: string | undefined;
  /** Whether what leads to it is shown: `false` hides it. */
  showEdges: string | undefined;
  /** Whether the history of each fact is shown. */
  showHistory: string | undefined;
  out: Properties | null = null;
  into: Properties | null = null;
  history: History | null = null;
  /** Names of the values, by IRI; they come after the facts. */
  labels: ReadonlyMap<string, string> = new Map();
  failure: unknown = null;
  /** The predicate that gets another value; '' = any. Null = nothing is added. */
  adding: string | null = null;
  #reading: Reading | null = null;
  /** What was asked for last, as a key. */
  #read = '';
  #isLoading = false;
  #stop = new AbortController();
  readonly #again = (): void => {
    if (this.server.presence === 'there' && this.failure !== null) void this.#load();
  };

  constructor() {
    super();
    // What was written here is read again.
    this.addEventListener('svc-written', () => void this.#load());
  }

  get #iri(): string {
    return (this.state.iri ?? this.iri ?? '').trim();
  }

  get #options(): TermOptions {
    return { server: this.server, prefixes: this.prefixes };
  }

  get #name() {
    return { ...this.#options, charactersMax: NAME_CHARACTERS };
  }

  get #hasEdges(): boolean {
    return (this.state.edges ?? this.showEdges ?? 'true') !== 'false';
  }

  get #hasHistory(): boolean {
    return (this.state.history ?? this.showHistory ?? 'false') !== 'false';
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.server.addEventListener('presence', this.#again);
    this.#read = '';
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.server.removeEventListener('presence', this.#again);
    this.#stop.abort();
  }

  protected override receive({ action, iri }: HostMessage): void {
    if (action === 'show' && typeof iri === 'string') this.change({ iri });
  }

  protected override updated(): void {
    super.updated();
    if (!this.active) return;
    const wanted = JSON.stringify([this.server.base, this.#iri, this.scope, this.#hasEdges]);
    if (wanted !== this.#read) {
      this.#read = wanted;
      void this.#load();
    } else if (
      this.#hasHistory &&
      this.history === null &&
      !this.#isLoading &&
      this.out !== null &&
      this.failure === null
    ) {
      void this.#loadHistory();
    }
  }

  override render() {
    const iri = this.#iri;
    if (iri === '') {
      return html`<div class="empty"><h1>Entity</h1><p class="soft">Find one by a text, or follow any IRI in another view.</p>
        <svc-search-form .server=${this.server} .prefixes=${this.prefixes} .fields=${this.scopeFields}></svc-search-form></div>`;
    }
    const { out } = this;
    return html`<article aria-busy=${out === null && this.failure === null}>
      ${this.#head(iri)}
      ${this.failure === null ? nothing : html`${errorNotice(this.failure)} <button class="button small" @click=${() => void this.#load()}>Try again</button>`}
      ${out === null ? (this.failure === null ? html`<p class="faint" role="status">Reading…</p>` : nothing) : this.#facts(out)}
      ${this.#hasEdges && this.into !== null ? this.#incoming(this.into) : nothing}
    </article>
    ${this.#reading === null || out === null ? nothing : html`<aside><svc-about-graph .reading=${this.#reading}></svc-about-graph></aside>`}`;
  }

  #head(iri: string) {
    const properties = this.out?.properties ?? [];
    const label = labelOf(properties);
    const description = descriptionOf(properties);
    const url = this.server.entityUrl(iri);
    const isExplored = this.closest('svc-page') !== null && hasElement('svc-graph');
    const toggle = (name: 'history' | 'edges', isOn: boolean, title: string) =>
      html`<button class="button small" aria-pressed=${isOn} @click=${() => this.change({ [name]: isOn ? 'false' : 'true' })}>${title}</button>`;
    return html`<header>
      <h1><bdi dir="auto">${shownLine(label ?? iri, 200)}</bdi></h1>
      <div class="iri mono soft"><bdi>${shownLine(iri, 2_000)}</bdi></div>
      <div class="types">${typesOf(properties).map((type) => html`<span class="type">${iriLink(type, this.#name, 'svc-type-click')}</span>`)}</div>
      ${description === null ? nothing : html`<p class="lead"><bdi dir="auto">${shown(description)}</bdi></p>`}
      <div class="tools" role="group" aria-label="Entity">
        ${toggle('history', this.#hasHistory, 'History')} ${toggle('edges', this.#hasEdges, 'Incoming')}
        ${isExplored ? html`<button class="button small" @click=${() => this.open('explore', { focus: iri, pick: iri })}>Explore</button>` : nothing}
        <a class="button small" href=${`${url}/ttl`} download="entity.ttl">Turtle</a>
        <a class="button small" href=${`${url}/json`} download="entity.jsonld">JSON-LD</a>
      </div>
    </header>`;
  }

  #facts({ properties, isCut }: Properties) {
    const barred = this.#barred();
    const gone = this.#gone(properties);
    return html`<section aria-label="Facts">
      ${
        properties.length === 0 && gone.length === 0
          ? html`<p class="soft" role="status">Nothing is said of it${this.isPast ? ' at this time' : ''}${this.scope.graph === null ? '' : ' in this graph'}.</p>`
          : html`<table class="facts" aria-label="Facts by predicate"><tbody>${repeat(
              ordered(properties),
              ({ predicate }) => predicate,
              (property) => this.#property(property),
            )}
            ${gone.map((predicate) => html`<tr><th scope="row"><bdi>${iriLink(predicate, this.#name)}</bdi></th><td>${this.#pastValues(predicate, new Set())}</td></tr>`)}</tbody></table>`
      }
      ${isCut ? html`<p class="soft">The first ${count(PREDICATES_MAX)} predicates; ask the workbench for the others.</p>` : nothing}
      ${this.history?.isCut ? html`<p class="soft">The history is shown to its entry ${count(HISTORY_ROWS_MAX)}; svc history tells the rest.</p>` : nothing}
      ${barred === null ? this.#adder() : html`<p class="faint">${barred}</p>`}
    </section>`;
  }

  #property(property: Property) {
    const { predicate, values, count: all } = property;
    const place = this.#barred() === null ? this.#place() : null;
    const spans = this.#hasHistory ? this.history?.spans.get(predicate) : undefined;
    const keys = new Set(values.map(({ term }) => termKey(term)));
    return html`<tr>
      <th scope="row">${iriLink(predicate, this.#name)}${place === null ? nothing : html`<button class="button small plain add" @click=${() => this.#add(predicate)} title="Add a value">+<span class="visually-hidden"> add a value of ${shownLine(predicate, 120)}</span></button>`}</th>
      <td>${repeat(
        values,
        ({ term }) => termKey(term),
        (value) =>
          html`<svc-fact .reading=${this.#reading} .prefixes=${this.prefixes} .labels=${this.labels} .predicate=${predicate} .value=${value} .isOnly=${all === 1} .place=${place} .spans=${spans === undefined ? null : (spans.get(termKey(value.term)) ?? [])}></svc-fact>`,
      )}
      ${this.#pastValues(predicate, keys)}
      ${this.adding === predicate ? this.#form(predicate) : nothing}
      ${this.#more(property, 'out')}</td>
    </tr>`;
  }

  #incoming({ properties, isCut }: Properties) {
    const total = properties.reduce((sum, { count: one }) => sum + one, 0);
    if (isBlank(this.#iri)) return nothing;
    return html`<section aria-label="Incoming">
      <h2>Incoming <span class="faint">${count(total)}</span></h2>
      ${
        properties.length === 0
          ? html`<p class="soft">Nothing leads to it.</p>`
          : html`<table class="facts" aria-label="What leads to it, by predicate"><tbody>${properties.map(
              (
                property,
              ) => html`<tr><th scope="row"><span class="faint">is</span> ${iriLink(property.predicate, this.#name)} <span class="faint">of</span></th>
                <td>${property.values.map(({ term }) => html`<div>${nodeView(term, this.#options, this.labels)}</div>`)}${this.#more(property, 'in')}</td></tr>`,
            )}</tbody></table>`
      }
      ${isCut ? html`<p class="soft">The first ${count(PREDICATES_MAX)} predicates.</p>` : nothing}
    </section>`;
  }

  #more({ predicate, values, count: all }: Property, direction: Direction) {
    if (values.length >= all) return nothing;
    return html`<div class="more"><span class="faint">${count(values.length)} of ${count(all)}</span> <button class="button small" @click=${() => void this.#readMore(direction, predicate, values.length)}>Show more</button></div>`;
  }

  #pastValues(predicate: string, current: ReadonlySet<string>) {
    const spans = this.#hasHistory ? this.history?.spans.get(predicate) : undefined;
    if (spans === undefined) return nothing;
    const past = [...spans].filter(
      ([key, list]) => !current.has(key) && list.every(({ endedTx, validTo }) => endedTx !== null || validTo !== null),
    );
    return past.map(
      ([, list]) =>
        html`<div class="gone"><span class="visually-hidden">no longer: </span>${list[0] === undefined ? nothing : nodeView(list[0].value, { ...this.#options, charactersMax: 300 })}${list.map(spanView)}</div>`,
    );
  }

  /** Predicates that have past values alone. */
  #gone(properties: readonly Property[]): string[] {
    if (!this.#hasHistory || this.history === null) return [];
    const current = new Set(properties.map(({ predicate }) => predicate));
    return [...this.history.spans.keys()].filter((predicate) => !current.has(predicate));
  }

  #adder() {
    if (this.adding === '') return this.#form(undefined);
    return html`<button class="button small" @click=${() => this.#add('')}>Add a fact</button>`;
  }

  #form(predicate: string | undefined) {
    return html`<svc-fact-form .place=${this.#place()} .fact=${predicate === undefined ? undefined : { predicate }} @cancel=${() => (this.adding = null)} @done=${() => (this.adding = null)}></svc-fact-form>`;
  }

  async #add(predicate: string): Promise<void> {
    await import('../writes/fact-form.js');
    this.adding = predicate;
  }

  #barred(): string | null {
    const reason = whyNotWrite(this);
    if (reason !== null) return this.closest('svc-page') === null ? '' : reason;
    return this.isPast ? 'You look at the past: go back to now (N) to write.' : null;
  }

  #place(): Place {
    return { server: this.server, entity: this.#iri, graph: this.scope.graph, signal: this.stopping };
  }

  async #load(): Promise<void> {
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    const [iri, fields] = [this.#iri, this.scopeFields];
    this.labels = new Map();
    if (this.#reading?.iri !== iri) {
      this.out = null;
      this.into = null;
      this.adding = null;
    }
    this.history = null;
    this.failure = null;
    this.#isLoading = true;
    if (iri === '') return;
    const reading: Reading = { server: this.server, iri, fields, signal };
    try {
      if (!isIri(iri) && !isBlank(iri))
        throw new TypeError(`“${iri.slice(0, 200)}” is no absolute IRI, so no entity has this name.`);
      const [out, into] = await Promise.all([
        readProperties(reading, 'out'),
        this.#hasEdges ? readProperties(reading, 'in') : null,
      ]);
      this.#reading = reading;
      this.#isLoading = false;
      this.out = out;
      this.into = into;
      void this.#readLabels(reading);
    } catch (error) {
      if (!isAbort(error) && !signal.aborted) this.failure = error;
    }
  }

  /** Asks for names that are not here yet. */
  async #readLabels({ server, fields, signal }: Reading): Promise<void> {
    const shown = [this.out, this.into].flatMap((all) => all?.properties ?? []).flatMap(({ values }) => values);
    const iris = shown.flatMap(({ term }) => (term.type === 'uri' && !this.labels.has(term.value) ? [term.value] : []));
    try {
      const found = await labelsOf(server.background, fields, iris, signal);
      if (found.size > 0 && !signal.aborted) this.labels = new Map([...this.labels, ...found]);
    } catch {
      // The IRIs stand there all the same.
    }
  }

  async #loadHistory(): Promise<void> {
    const reading = this.#reading;
    if (reading === null) return;
    this.history = { spans: new Map(), isCut: false };
    try {
      const history = await readHistory(reading);
      if (reading === this.#reading) this.history = history;
    } catch (error) {
      if (!isAbort(error) && !isUnknown(error)) this.failure = error;
    }
  }

  async #readMore(direction: Direction, predicate: string, offset: number): Promise<void> {
    const reading = this.#reading;
    if (reading === null) return;
    try {
      const more = await readMore(reading, direction, predicate, offset);
      const grown = (all: Properties | null): Properties | null =>
        all === null
          ? null
          : { ...all, properties: all.properties.map((one) => (one.predicate === predicate ? grow(one, more) : one)) };
      if (direction === 'out') this.out = grown(this.out);
      else this.into = grown(this.into);
      void this.#readLabels(reading);
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }
}

/** Values that came meanwhile from another place are not told twice; where no more come, the count was of another time. */
function grow(property: Property, more: Property['values']): Property {
  const keys = new Set(property.values.map(({ term }) => termKey(term)));
  const values = [...property.values, ...more.filter(({ term }) => !keys.has(termKey(term)))];
  return { ...property, values, count: more.length === 0 ? values.length : property.count };
}

/** An entity that the store never knew has no history. */
function isUnknown(error: unknown): boolean {
  return error instanceof Error && /entity not found/.test(error.message);
}

define('svc-entity', EntityView);
