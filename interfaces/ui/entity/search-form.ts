/** Finds entities by a text, with what was found below: where an entity view has none to show. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, nothing } from '../parts/lit.js';
import { COMMON_PREFIXES, type Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { iriLink } from '../parts/term.js';
import { shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { ScopeFields } from '../wire/scope.js';
import type { Server } from '../wire/server.js';

const FOUND_PAGE = 20;

type Found = Operations['search_nodes']['response']['nodes'][number];

class SearchForm extends LitElement {
  static override properties = {
    server: { attribute: false },
    fields: { attribute: false },
    prefixes: { attribute: false },
    found: { state: true },
    isMore: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      form {
        display: flex;
        gap: 8px;
      }
      ol {
        list-style: none;
        padding: 0;
        margin: 12px 0;
      }
      li {
        padding: 6px 0;
        border-bottom: 1px solid var(--line);
        overflow-wrap: anywhere;
      }
    `,
  ];
  server: Server | undefined;
  fields: ScopeFields = {};
  prefixes: Prefixes = COMMON_PREFIXES;
  found: readonly Found[] | null = null;
  isMore = false;
  failure: unknown = null;
  #text = '';
  #stop = new AbortController();

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
  }

  override render() {
    const { found, server } = this;
    return html`<form role="search" @submit=${this.#submit}>
        <input class="field grow" name="text" type="search" aria-label="Find an entity by a text" placeholder="a name, a word, part of an IRI" autocomplete="off" required />
        <button class="button primary">Find</button>
      </form>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      ${found === null ? nothing : html`<p class="soft" role="status">${found.length === 0 ? 'Nothing found.' : `${found.length}${this.isMore ? ' and more' : ''} found.`}</p>`}
      <ol aria-label="Found">${(found ?? []).map(({ iri, label, summary }) => {
        const options = { server: server as Server, prefixes: this.prefixes };
        return html`<li>${label === null ? nothing : html`<bdi dir="auto"><b>${shownLine(label, 120)}</b></bdi> `}${iriLink(iri, options)}${summary === null ? nothing : html`<div class="soft"><bdi dir="auto">${shownLine(summary, 240)}</bdi></div>`}</li>`;
      })}</ol>
      ${this.isMore ? html`<button class="button small" @click=${() => this.#ask(found?.length ?? 0)}>Show more</button>` : nothing}`;
  }

  #submit(event: SubmitEvent): void {
    event.preventDefault();
    this.#text = String(new FormData(event.target as HTMLFormElement).get('text')).trim();
    if (this.#text !== '') void this.#ask(0);
  }

  async #ask(offset: number): Promise<void> {
    const { server, fields } = this;
    if (server === undefined) return;
    this.#stop.abort();
    this.#stop = new AbortController();
    const { graph: _, ...time } = fields;
    try {
      const request = { query: this.#text, limit: FOUND_PAGE, offset, verbose: true, ...time };
      const { nodes, truncated } = await server.client.call('search_nodes', request, { signal: this.#stop.signal });
      this.found = offset === 0 ? nodes : [...(this.found ?? []), ...nodes];
      this.isMore = truncated;
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }
}

define('svc-search-form', SearchForm);
