/** The query workbench. */

import type { Row } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { html, nothing } from '../parts/lit.js';
import { COMMON_PREFIXES } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { termView } from '../parts/term.js';
import { define, View } from '../parts/view.js';

export class Workbench extends View {
  static override properties = { query: {}, rows: { state: true }, failure: { state: true } };
  static override styles = [base];
  query = '';
  rows: readonly Row[] = [];
  failure: unknown = null;

  override render() {
    return html`<form @submit=${this.#run}><textarea class="field mono" name="q" rows="8" cols="80" aria-label="SPARQL query" .value=${this.state.q ?? this.query}></textarea>
      <button class="button primary">Run</button></form>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      <table>${this.rows.map((row) => html`<tr>${Object.values(row).map((term) => html`<td>${termView(term, { server: this.server, prefixes: COMMON_PREFIXES })}</td>`)}</tr>`)}</table>`;
  }

  async #run(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const q = String(new FormData(event.target as HTMLFormElement).get('q'));
    this.change({ q });
    this.failure = null;
    const rows: Row[] = [];
    try {
      for await (const row of this.server.client.rows(q, this.scopeFields, { signal: this.stopping })) rows.push(row);
      this.rows = rows;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }
}

define('svc-sparql', Workbench);
