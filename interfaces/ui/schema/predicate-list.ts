/** Predicates with how many statements have them: of the instances of a class, or of everything. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { html, LitElement, nothing, type PropertyValues } from '../parts/lit.js';
import { COMMON_PREFIXES, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLink } from '../parts/term.js';
import { count } from '../parts/text.js';
import { define } from '../parts/view.js';
import { schemaStyles } from './schema-styles.js';
import { type Asked, type PredicateEntry, predicates } from './store-schema.js';

const CHARACTERS = 200;

class PredicateList extends LitElement {
  static override properties = {
    prefixes: { attribute: false },
    asked: { attribute: false },
    of: { attribute: false },
    entries: { state: true },
    hasMore: { state: true },
    failure: { state: true },
  };
  static override styles = [base, schemaStyles];
  prefixes: Prefixes = COMMON_PREFIXES;
  asked: Asked | null = null;
  /** IRI of a class; null = everything. */
  of: string | null = null;
  entries: readonly PredicateEntry[] | null = null;
  hasMore = false;
  failure: unknown = null;
  #round = 0;

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has('asked') && !changed.has('of')) return;
    this.entries = null;
    this.failure = null;
    this.#round++;
    void this.#more();
  }

  override render() {
    const { asked, entries, failure } = this;
    if (failure !== null)
      return html`${errorNotice(failure)}<p><button class="button" @click=${() => this.#more()}>Try again</button></p>`;
    if (entries === null || asked === null) return html`<p class="soft" role="status">Counting predicates…</p>`;
    if (entries.length === 0) return html`<p class="soft">No statements.</p>`;
    const options = { server: asked.server, prefixes: this.prefixes, charactersMax: CHARACTERS };
    return html`<table><thead><tr><th>Predicate</th><th class="number">Statements</th></tr></thead>
      <tbody>${entries.map(({ iri, statements }) => html`<tr><td>${iriLink(iri, options)}</td><td class="number">${count(statements)}</td></tr>`)}</tbody></table>
      ${this.hasMore ? html`<p><button class="button" @click=${() => this.#more()}>More predicates</button></p>` : nothing}`;
  }

  async #more(): Promise<void> {
    const { asked, of } = this;
    if (asked === null) return;
    const round = this.#round;
    const before = this.entries ?? [];
    this.failure = null;
    try {
      const page = await predicates(of, before.length, asked);
      if (round !== this.#round) return;
      this.entries = [...before, ...page.entries];
      this.hasMore = page.hasMore;
    } catch (error) {
      if (round === this.#round && !asked.signal.aborted && !isAbort(error)) this.failure = error;
    }
  }
}

define('svc-predicate-list', PredicateList);
