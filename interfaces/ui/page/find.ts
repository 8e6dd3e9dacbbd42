/** The box that finds entities by a text. What it found is a list that arrows walk through. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import { NOW, type Scope } from '../wire/scope.js';
import type { Server } from '../wire/server.js';

const WAIT_MS = 180;
const FOUND_MAX = 12;

interface Found {
  readonly iri: string;
  readonly label: string | null;
}

class Find extends LitElement {
  static override properties = {
    server: { attribute: false },
    scope: { attribute: false },
    found: { state: true },
    at: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        position: relative;
        display: block;
      }
      input {
        width: 100%;
        background: var(--sunken);
      }
      .list {
        position: absolute;
        z-index: 20;
        inset-inline: 0;
        top: calc(100% + 4px);
        margin: 0;
        padding: 4px;
        background: var(--raised);
        border: 1px solid var(--line-strong);
        border-radius: var(--radius-large);
        box-shadow: var(--shadow);
        max-height: 60vh;
        overflow: auto;
      }
      .option {
        padding: 4px 8px;
        border-radius: var(--radius);
        cursor: pointer;
      }
      .option div {
        font-size: 11px;
        line-height: 14px;
      }
      .option[aria-selected='true'] {
        background: var(--accent-soft);
      }
    `,
  ];
  server: Server | undefined;
  scope: Scope = NOW;
  found: readonly Found[] | null = null;
  at = 0;
  failure: unknown = null;
  #asking = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  override render() {
    const { found, at } = this;
    const isOpen = found !== null || this.failure !== null;
    return html`<input class="field" type="search" role="combobox" placeholder="Find an entity" aria-label="Find an entity" aria-autocomplete="list" aria-controls="found" aria-expanded=${isOpen} aria-activedescendant=${found?.length ? `option-${at}` : nothing} autocomplete="off" spellcheck="false" @input=${this.#typed} @keydown=${this.#key} @blur=${() => setTimeout(() => this.#close(), 150)} />
      <div class="list" id="found" role="listbox" aria-label="Found" ?hidden=${!isOpen}>
        ${this.failure === null ? nothing : errorNotice(this.failure)}
        ${found?.length === 0 ? html`<div class="option faint" role="option" aria-selected="false">Nothing found</div>` : nothing}
        ${(found ?? []).map(
          ({ iri, label }, index) =>
            html`<div class="option" role="option" id=${`option-${index}`} aria-selected=${index === at} @pointerdown=${() => this.#choose(iri)}><bdi dir="auto">${shownLine(label ?? iri, 80)}</bdi>${label === null ? nothing : html`<div class="faint ellipsis">${shownLine(iri, 120)}</div>`}</div>`,
        )}
      </div>`;
  }

  override focus(): void {
    this.renderRoot.querySelector('input')?.focus();
  }

  #typed(event: InputEvent): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
    const text = (event.target as HTMLInputElement).value.trim();
    if (text === '') this.#close();
    else this.#timer = setTimeout(() => void this.#ask(text), WAIT_MS);
  }

  async #ask(query: string): Promise<void> {
    if (this.server === undefined) return;
    this.#asking = new AbortController();
    const { signal } = this.#asking;
    const { validAt, tx } = this.scope;
    const time = { ...(validAt === null ? {} : { valid_at: validAt }), ...(tx === null ? {} : { tx }) };
    try {
      const { nodes } = await this.server.client.call(
        'search_nodes',
        { query, limit: FOUND_MAX, verbose: true, ...time },
        { signal },
      );
      this.found = nodes;
      this.at = 0;
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }

  #key(event: KeyboardEvent): void {
    const { found } = this;
    if (event.key === 'Escape') this.#close();
    else if (found === null || found.length === 0) return;
    else if (event.key === 'ArrowDown') this.at = (this.at + 1) % found.length;
    else if (event.key === 'ArrowUp') this.at = (this.at + found.length - 1) % found.length;
    else if (event.key === 'Enter') this.#choose(found[this.at]!.iri);
    else return;
    event.preventDefault();
  }

  #choose(iri: string): void {
    this.#close();
    emit(this, 'svc-node-click', { iri });
  }

  #close(): void {
    clearTimeout(this.#timer);
    this.#asking.abort();
    this.found = null;
    this.failure = null;
  }
}

define('svc-find', Find);
