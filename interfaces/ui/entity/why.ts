/** Why a fact stands: the transaction, who wrote it, the episode that it came by, and the rule or the axioms that it follows from. */

import type { Operations, Term } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing, type PropertyValues } from '../parts/lit.js';
import type { Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLink, iriText } from '../parts/term.js';
import { count, shownLine } from '../parts/text.js';
import { stringLiteral } from '../parts/turtle.js';
import { define } from '../parts/view.js';
import type { Reading } from './read-entity.js';

type Explained = Operations['fact_explain']['response'];
type Transaction = Operations['transactions']['response']['transactions'][number];

/** Premises are told one level deep: each is an entity that can be opened. */
const DEPTH = 1;
const EPISODE = 'episode:';

interface Told {
  readonly explained: Explained;
  readonly transaction: Transaction | null;
  /** IRI of the episode. */
  readonly episode: string | null;
}

class Why extends LitElement {
  static override properties = {
    reading: { attribute: false },
    prefixes: { attribute: false },
    predicate: { attribute: false },
    value: { attribute: false },
    told: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: block;
        padding: 6px 10px;
        border-left: 2px solid var(--line-strong);
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: 0 12px;
        margin: 0;
      }
      dt {
        color: var(--text-2);
      }
      dd {
        margin: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];
  reading: Reading | undefined;
  prefixes: Prefixes = {};
  predicate = '';
  value: Term | undefined;
  told: Told | null = null;
  failure: unknown = null;

  protected override updated(changed: PropertyValues): void {
    if (changed.has('reading') || changed.has('predicate') || changed.has('value')) void this.#ask();
  }

  override render() {
    const { told, reading } = this;
    if (this.failure !== null) return errorNotice(this.failure);
    if (told === null || reading === undefined) return html`<span class="faint" role="status">Asking…</span>`;
    const { explained, transaction, episode } = told;
    if (!explained.found) {
      return html`<span class="soft">This fact does not stand now, so there is nothing to explain.</span>`;
    }
    const { tx, source, graph, derivation } = explained;
    const options = { server: reading.server, prefixes: this.prefixes };
    return html`<div role="group" aria-label="Provenance"><dl>
      <dt>Transaction</dt><dd>${tx === null ? 'none' : html`<button class="button small plain" title="Look at the store as it was known then" @click=${() => emit(this, 'svc-scope', { change: { tx } })}>${count(tx)}</button>`} ${transaction === null ? nothing : transaction.timestamp}</dd>
      ${transaction?.actor ? html`<dt>Actor</dt><dd><bdi>${shownLine(transaction.actor, 200)}</bdi></dd>` : nothing}
      ${transaction?.authenticated?.principal ? html`<dt>Principal</dt><dd>${iriLink(transaction.authenticated.principal, options)}</dd>` : nothing}
      ${episode === null ? nothing : html`<dt>Episode</dt><dd>${iriLink(episode, options)}</dd>`}
      ${source === null ? nothing : html`<dt>Source</dt><dd><bdi>${shownLine(source, 300)}</bdi></dd>`}
      ${graph === null ? nothing : html`<dt>Graph</dt><dd><bdi>${iriText(graph, this.prefixes)}</bdi></dd>`}
      <dt>Follows from</dt><dd>${derivation ? this.#derivation(derivation) : 'nothing: it was written'}</dd>
    </dl></div>`;
  }

  #derivation({ kind, rule, family, axioms = [], support }: NonNullable<Explained['derivation']>) {
    const named = kind === 'rule' ? `the rule ${rule ?? ''}` : `an ontology${family ? ` (${family})` : ''}`;
    return html`${shownLine(named, 200)}
      ${axioms.map((axiom) => html`<div class="mono"><bdi>${axiom.map((iri) => iriText(iri, this.prefixes)).join(' → ')}</bdi></div>`)}
      ${support.map((premise) => this.#premise(premise))}`;
  }

  #premise(premise: Readonly<Record<string, unknown>>) {
    const { s, p, o } = premise.fact as { s: string; p: string; o: unknown };
    const { server } = this.reading as Reading;
    const object = typeof o === 'string' ? iriText(o, this.prefixes, 200) : shownLine(JSON.stringify(o), 200);
    return html`<div>${s.startsWith('_:') ? html`<bdi class="mono">${s}</bdi>` : iriLink(s, { server, prefixes: this.prefixes })} <bdi>${iriText(p, this.prefixes)}</bdi> <bdi dir="auto">${object}</bdi>${premise.absent === true ? html` <span class="faint">(gone)</span>` : nothing}</div>`;
  }

  async #ask(): Promise<void> {
    const { reading, predicate, value } = this;
    if (reading === undefined || value === undefined) return;
    const { server, iri, signal } = reading;
    try {
      if (value.type === 'triple') throw new Error('Facts about triples can not be explained.');
      const o = value.type === 'bnode' ? `_:${value.value}` : value.value;
      const explained = await server.client.call('fact_explain', { s: iri, p: predicate, o, depth: DEPTH }, { signal });
      const transaction = explained.tx === null ? null : await this.#transaction(explained.tx);
      const name = explained.source?.startsWith(EPISODE) ? explained.source.slice(EPISODE.length) : null;
      this.told = { explained, transaction, episode: name === null ? null : await this.#episode(name) };
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }

  async #transaction(tx: number): Promise<Transaction | null> {
    const { server, signal } = this.reading as Reading;
    const { transactions } = await server.client.call('transactions', { since: tx - 1, limit: 1 }, { signal });
    return transactions[0]?.id === tx ? transactions[0] : null;
  }

  async #episode(name: string): Promise<string | null> {
    const { server, signal } = this.reading as Reading;
    const query = `SELECT ?e WHERE { ?e <http://www.w3.org/2000/01/rdf-schema#label> ${stringLiteral(name)} ; a <http://www.w3.org/ns/prov#Activity> } LIMIT 1`;
    for await (const { e } of server.client.rows(query, {}, { signal })) if (e?.type === 'uri') return e.value;
    return null;
  }
}

define('svc-why', Why);
