/** A value of a predicate: the term, its history where it is asked for, why it stands, and what changes it in place. */

import type { Term } from '../../../clients/typescript/src/index.js';
import { css, html, LitElement, nothing } from '../parts/lit.js';
import type { Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Doing } from '../writes/fact-form.js';
import type { Place } from '../writes/write-facts.js';
import './cut-value.js';
import type { Span } from './history.js';
import { nodeView } from './node.js';
import type { Reading, Value } from './read-entity.js';
import './why.js';

/** Addresses that are taken for images when a person asks to see one. */
const IMAGE = /^https?:\/\/[^\s]+\.(?:png|jpe?g|gif|webp|avif|svg)(?:[?#]\S*)?$/i;

export class FactRow extends LitElement {
  static override properties = {
    reading: { attribute: false },
    prefixes: { attribute: false },
    labels: { attribute: false },
    predicate: { attribute: false },
    value: { attribute: false },
    isOnly: { attribute: false },
    spans: { attribute: false },
    place: { attribute: false },
    isWhyOpen: { state: true },
    isImageShown: { state: true },
    doing: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: block;
        min-width: 0;
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: 2px 8px;
        align-items: baseline;
      }
      .value {
        flex: 1 1 12rem;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .acts {
        display: flex;
        gap: 2px;
      }
      .acts .button {
        min-height: 24px;
        padding: 0 6px;
      }
      .span {
        font-size: 12px;
        line-height: 16px;
      }
      .span.past {
        color: var(--past);
      }
      img {
        display: block;
        max-width: min(100%, 24rem);
        max-height: 18rem;
        margin: 4px 0;
      }
    `,
  ];
  reading: Reading | undefined;
  prefixes: Prefixes = {};
  /** Names of things, by IRI. */
  labels: ReadonlyMap<string, string> | undefined;
  predicate = '';
  value: Value | undefined;
  isOnly = true;
  /** Null = the history is not looked at. */
  spans: readonly Span[] | null = null;
  /** Where it is changed; null = it can not be. */
  place: Place | null = null;
  isWhyOpen = false;
  isImageShown = false;
  doing: Doing | null = null;

  override render() {
    const { reading, value, prefixes, predicate } = this;
    if (reading === undefined || value === undefined) return nothing;
    const { term, cutOff } = value;
    const text = textOf(term);
    const isImage = cutOff === null && (term.type === 'uri' || term.type === 'literal') && IMAGE.test(term.value);
    return html`<div class="row">
        <div class="value">${cutOff === null ? nodeView(term, { server: reading.server, prefixes }, this.labels) : html`<svc-cut-value .reading=${reading} .predicate=${predicate} .value=${(term as { value: string }).value} .cutOff=${cutOff}></svc-cut-value>`}</div>
        <div class="acts">
          ${isImage ? html`<button class="button small plain" aria-pressed=${this.isImageShown} @click=${() => (this.isImageShown = !this.isImageShown)}>Image<span class="visually-hidden"> of ${text}</span></button>` : nothing}
          ${cutOff === null ? html`<button class="button small plain" aria-expanded=${this.isWhyOpen} @click=${() => (this.isWhyOpen = !this.isWhyOpen)}>Why<span class="visually-hidden"> ${text}</span></button>` : nothing}
          ${this.place === null || cutOff !== null || term.type === 'triple' ? nothing : html`${this.#act('change', 'Set', text)}${this.#act('retract', 'Retract', text)}`}
        </div>
      </div>
      ${this.isImageShown && isImage ? html`<img src=${(term as { value: string }).value} alt=${text} referrerpolicy="no-referrer" loading="lazy" />` : nothing}
      ${this.spans === null ? nothing : this.spans.map(spanView)}
      ${this.isWhyOpen ? html`<svc-why .reading=${reading} .prefixes=${prefixes} .predicate=${predicate} .value=${term}></svc-why>` : nothing}
      ${this.doing === null ? nothing : html`<svc-fact-form .place=${this.place} .doing=${this.doing} .isOnly=${this.isOnly} .fact=${{ predicate, value: term }} @cancel=${this.#close} @done=${this.#close}></svc-fact-form>`}`;
  }

  #act(doing: Doing, title: string, text: string) {
    return html`<button class="button small plain" data-doing=${doing} aria-expanded=${this.doing === doing} @click=${() => this.#open(doing)}>${title}<span class="visually-hidden"> ${text}</span></button>`;
  }

  async #open(doing: Doing): Promise<void> {
    // The form is needed by those who write alone.
    await import('../writes/fact-form.js');
    const isOpen = this.doing === doing;
    this.doing = null;
    await this.updateComplete;
    this.doing = isOpen ? null : doing;
  }

  #close(): void {
    const { doing } = this;
    this.doing = null;
    this.renderRoot.querySelector<HTMLElement>(`[data-doing=${doing}]`)?.focus();
  }
}

export function spanView({ validFrom, validTo, tx, endedTx }: Span) {
  const isPast = endedTx !== null || validTo !== null;
  return html`<div class="span ${isPast ? 'past' : 'soft'}">${isPast ? 'held' : 'holds'} from ${validFrom}${validTo === null ? '' : ` to ${validTo}`} · written in transaction ${count(tx)}${endedTx === null ? '' : `, ended in ${count(endedTx)}`}</div>`;
}

function textOf(term: Term): string {
  if (term.type === 'triple') return 'a triple';
  return shownLine(term.value, 60);
}

define('svc-fact', FactRow);
