/** What changed between two transactions, as a list. Added and removed are told apart by sign, outline and words, and by colour besides. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import { COMMON_PREFIXES, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLink, termView } from '../parts/term.js';
import { count } from '../parts/text.js';
import { define } from '../parts/view.js';
import { type Change, type NetChanges, netChanges, STATEMENTS_MAX } from '../wire/net-changes.js';
import type { Server } from '../wire/server.js';
import { timelineStyles } from './timeline-styles.js';

const SHOWN = 300;
/** Of an IRI, in one line. */
const IRI_CHARACTERS = 120;

class ChangesPanel extends LitElement {
  static override properties = {
    server: { attribute: false },
    prefixes: { attribute: false },
    graph: { attribute: false },
    sinceTx: { attribute: false },
    untilTx: { attribute: false },
    found: { state: true },
    failure: { state: true },
    shown: { state: true },
  };
  static override styles = [
    base,
    timelineStyles,
    css`
      :host {
        display: block;
        height: auto;
      }
    `,
  ];
  server: Server | null = null;
  prefixes: Prefixes = COMMON_PREFIXES;
  graph: string | null = null;
  sinceTx = 0;
  untilTx = 0;
  found: NetChanges | null = null;
  failure: unknown = null;
  shown = SHOWN;
  #asking = new AbortController();

  override willUpdate(changed: PropertyValues): void {
    if (['server', 'graph', 'sinceTx', 'untilTx'].some((name) => changed.has(name))) void this.#ask();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#asking.abort();
  }

  override render() {
    const { found, failure } = this;
    if (failure !== null) return errorNotice(failure);
    if (found === null) return html`<p class="soft" role="status">Reading what changed…</p>`;
    const { changes, cut, until } = found;
    if (cut !== null && changes.length === 0) {
      return html`<p class="soft" role="status">Transaction ${count(cut.tx)} changed ${count(cut.statements)} statements; no more than ${count(STATEMENTS_MAX)} are listed here. Ask the workbench for those that matter.</p>`;
    }
    const added = changes.filter(({ isAdded }) => isAdded).length;
    return html`<p role="status"><span class="plus">+${count(added)} added</span> · <span class="minus">−${count(changes.length - added)} removed</span></p>
      ${cut === null ? nothing : html`<p class="notice">Shown up to transaction ${count(until)}: transaction ${count(cut.tx)} changed ${count(cut.statements)} statements, and all together no more than ${count(STATEMENTS_MAX)} are listed here.</p>`}
      <div role="list" aria-label="Changes">${changes.slice(0, this.shown).map((change) => this.#change(change))}</div>
      ${changes.length > this.shown ? html`<p>${count(this.shown)} of ${count(changes.length)} <button class="button small" @click=${() => (this.shown += SHOWN)}>Show more</button></p>` : nothing}`;
  }

  #change({ isAdded, entity, predicate, value, tx }: Change): TemplateResult | typeof nothing {
    const { server } = this;
    if (server === null) return nothing;
    const options = { server, prefixes: this.prefixes };
    const line = { ...options, charactersMax: IRI_CHARACTERS };
    const subject = entity.startsWith('_:') ? html`<span class="mono soft">${entity}</span>` : iriLink(entity, line);
    return html`<div role="listitem" class="change ${isAdded ? 'added' : 'removed'}"><span class="sign" aria-hidden="true">${isAdded ? '+' : '−'}</span>
      <div><span class="visually-hidden">${isAdded ? 'added' : 'removed'}</span> ${subject} ${iriLink(predicate, line)} <span class="value">${termView(value, value.type === 'uri' ? line : options)}</span> <span class="faint">tx ${count(tx)}</span></div></div>`;
  }

  async #ask(): Promise<void> {
    this.#asking.abort();
    const asking = new AbortController();
    this.#asking = asking;
    const { server, sinceTx: after, untilTx: until, graph } = this;
    if (server === null) return;
    this.found = null;
    this.failure = null;
    this.shown = SHOWN;
    try {
      const found = await netChanges(server.client, { after, until }, graph === null ? {} : { graph }, asking.signal);
      if (!asking.signal.aborted) this.found = found;
    } catch (error) {
      if (!asking.signal.aborted && !isAbort(error)) this.failure = error;
    }
  }
}

define('svc-timeline-changes', ChangesPanel);
