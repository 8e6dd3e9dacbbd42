/** What is there to ask: queries that the server keeps, those that were run in this browser, and prefixes. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, nothing, type PropertyValues } from '../parts/lit.js';
import type { Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { titleOf } from './query-form.js';
import type { Ran } from './query-history.js';

const SAVED_MAX = 200;

interface Saved {
  readonly name: string;
  readonly description: string | null;
  readonly source: 'builtin' | 'stored';
  readonly params: readonly { readonly name: string; readonly default: string | null }[];
}

/** `choose`: a text to open. `insert`: a text to put where the cursor is. `clear`: no history any more. */
export type QueryListEvent = CustomEvent<string>;

class QueryList extends LitElement {
  static override properties = {
    server: { attribute: false },
    ran: { attribute: false },
    prefixes: { attribute: false },
    version: { attribute: false },
    saved: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: block;
        overflow: auto;
        background: var(--surface);
      }
      section {
        padding: 12px;
        border-bottom: 1px solid var(--line);
      }
      h2 {
        display: flex;
        gap: 6px;
        align-items: center;
        margin-bottom: 8px;
      }
      h2 span {
        font-weight: 400;
        font-size: 12px;
        white-space: nowrap;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li {
        display: flex;
        align-items: center;
        gap: 8px;
        min-height: 26px;
      }
      li button {
        all: unset;
        cursor: pointer;
        flex: 1;
        min-width: 0;
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        line-height: 24px;
      }
      li button:hover {
        color: var(--accent);
      }
      li button:focus-visible {
        outline: 2px solid var(--accent);
      }
    `,
  ];
  server: Server | undefined;
  ran: readonly Ran[] = [];
  prefixes: Prefixes = {};
  /** Another number = something was saved. */
  version = 0;
  saved: readonly Saved[] | null = null;
  failure: unknown = null;

  override render() {
    return html`<section aria-labelledby="saved"><h2 id="saved">Saved <span class="faint">${this.saved?.length ?? ''}</span></h2>
        ${this.failure === null ? nothing : errorNotice(this.failure)}
        <ul>${(this.saved ?? []).map((one) => html`<li><button title=${one.description ?? one.name} @click=${() => this.#open(one)}>${shownLine(one.name, 80)}</button>${one.source === 'builtin' ? html`<span class="faint">built in</span>` : nothing}</li>`)}</ul>
      </section>
      <section aria-labelledby="history"><h2 id="history">History <span class="faint">this browser</span><span class="grow"></span>${this.ran.length === 0 ? nothing : html`<button class="button plain small" @click=${() => this.#say('clear', '')}>Clear</button>`}</h2>
        <ul>${this.ran.map(
          (ran) =>
            html`<li><span class="mono faint">${timeOf(ran.at)}</span><button title=${shownLine(ran.text, 400)} @click=${() => this.#say('choose', ran.text)}>${shownLine(titleOf(ran.text), 60)}</button><span class="faint number">${ran.rows === null ? '–' : count(ran.rows)}</span></li>`,
        )}</ul>
      </section>
      <section aria-labelledby="prefixes"><h2 id="prefixes">Prefixes</h2>
        <ul class="mono">${Object.entries(this.prefixes).map(
          ([prefix, namespace]) =>
            html`<li><button title=${`${namespace} — declare it`} @click=${() => this.#say('declare', `PREFIX ${prefix}: <${namespace}>\n`)}>${prefix}:</button></li>`,
        )}</ul>
      </section>`;
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('server') || changed.has('version')) void this.#read();
  }

  async #read(): Promise<void> {
    try {
      const { queries = [] } = (await this.server?.background.call('query_list', { limit: SAVED_MAX })) ?? {};
      this.saved = queries;
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }

  /** Parameters that have a default get it; the others stay as they are written, to be filled in. */
  async #open({ name, params }: Saved): Promise<void> {
    try {
      const { template = '' } = (await this.server?.client.call('query_list', { name })) ?? {};
      const filled = params.reduce(
        (text, { name: one, default: value }) => (value === null ? text : text.replaceAll(`{${one}}`, () => value)),
        template,
      );
      this.#say('choose', filled);
    } catch (error) {
      this.failure = error;
    }
  }

  #say(name: string, detail: string): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
}

define('svc-query-list', QueryList);
