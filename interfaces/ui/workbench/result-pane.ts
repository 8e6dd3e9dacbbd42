/** What became of a query: its rows as a table, a graph, a chart or as they came; yes or no; what an update changed; why it failed. */

import '../parts/dropdown.js';
import { hasElement, loadElement } from '../parts/elements.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import type { Prefixes } from '../parts/prefixes.js';
import { base } from '../parts/styles.js';
import { count } from '../parts/text.js';
import { define, type View } from '../parts/view.js';
import type { Scope } from '../wire/scope.js';
import { type DownloadFormat, download, formatsFor } from './downloads.js';
import './results/result-table.js';
import type { Run } from './run.js';

export type ResultView = 'table' | 'graph' | 'chart' | 'raw';

const GRAPH_TAG = 'svc-graph';
const TITLES: Readonly<Record<ResultView, string>> = { table: 'Table', graph: 'Graph', chart: 'Chart', raw: 'Raw' };

class ResultPane extends LitElement {
  static override properties = {
    run: { attribute: false },
    shown: { attribute: false },
    prefixes: { attribute: false },
    endpoint: { attribute: false },
    scope: { attribute: false },
    version: { state: true },
    loading: { state: true },
    downloading: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        min-height: 0;
        background: var(--surface);
      }
      .bar {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 12px;
        padding: 5px 12px;
        border-bottom: 1px solid var(--line);
        font-size: 12px;
      }
      .content {
        position: relative;
        min-height: 0;
        overflow: hidden;
      }
      .content.padded {
        overflow: auto;
        padding: 12px;
      }
      .big {
        font-size: 22px;
        line-height: 32px;
        font-weight: 600;
      }
      .formats {
        display: grid;
        gap: 4px;
      }
      progress {
        position: absolute;
        z-index: 3;
        top: 0;
        left: 0;
        width: 100%;
        height: 3px;
      }
      p {
        margin: 0 0 8px;
      }
      svc-graph {
        display: block;
        height: 100%;
      }
    `,
  ];
  run: Run | null = null;
  shown: ResultView = 'table';
  prefixes: Prefixes = {};
  endpoint: string | undefined;
  scope: Scope | undefined;
  version = 0;
  /** Of the code of a view. */
  loading: unknown = null;
  downloading: { readonly label: string; readonly failure: unknown } | null = null;
  #download: AbortController | null = null;
  #drawn: { readonly run: Run; readonly graph: Element } | null = null;
  readonly #changed = (): void => {
    this.version++;
  };

  override render() {
    const { run } = this;
    if (run === null) {
      return html`<div class="bar soft">No query was run yet.</div><div class="content padded soft">Write a query above, then press Run or Ctrl + Enter.</div>`;
    }
    const isRows = run.outcome?.kind === 'rows';
    const views = this.#views;
    const shown = views.includes(this.shown) ? this.shown : 'table';
    return html`<div class="bar">
        ${
          isRows
            ? html`<span class="segments" role="group" aria-label="How the answer is shown">${views.map((view) => html`<button class="button small" aria-pressed=${view === shown} @click=${() => this.#choose(view)}>${TITLES[view]}</button>`)}</span>`
            : nothing
        }
        <span role="status">${this.#account(run)}</span><span class="grow"></span>
        ${isRows || run.outcome?.kind === 'boolean' ? this.#downloads(run) : nothing}
      </div>
      ${this.#content(run, shown)}`;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has('run')) return;
    changed.get('run')?.removeEventListener('change', this.#changed);
    this.run?.addEventListener('change', this.#changed);
    this.#download?.abort();
    this.downloading = null;
  }

  /** A graph of what has a subject, a predicate and an object. */
  get #views(): readonly ResultView[] {
    const { form } = this.run?.options ?? {};
    const names = new Set(this.run?.columns);
    const isGraph = form === 'construct' || form === 'describe' || ['s', 'p', 'o'].every((name) => names.has(name));
    return isGraph && hasElement(GRAPH_TAG) ? ['table', 'graph', 'chart', 'raw'] : ['table', 'chart', 'raw'];
  }

  #account(run: Run): TemplateResult {
    const { endedMs, firstMs, rows, cause, cutByServer, outcome } = run;
    const ended = endedMs === null ? 'still arriving' : milliseconds(endedMs);
    if (outcome?.kind !== 'rows') {
      if (endedMs === null) return html`waiting for the answer`;
      return html`${cause?.kind === 'stopped' ? 'cancelled after' : 'took'} ${milliseconds(endedMs)}`;
    }
    const what = run.options.form === 'select' ? 'rows' : 'triples';
    return html`<b>${count(rows)}</b> ${what} <span class="soft">${firstMs === null ? nothing : html`first ${milliseconds(firstMs)} · `}${ended}${cause === null ? nothing : html` · <b>${causeText(cause.kind)}</b>`}${cutByServer ? html` · <b>cut by the server (search.max_sparql_rows)</b>` : nothing}</span>`;
  }

  #content(run: Run, shown: ResultView): TemplateResult {
    const waiting = run.isRunning ? html`<progress aria-label="The answer is arriving"></progress>` : nothing;
    if (run.failure !== null) return html`<div class="content padded">${errorNotice(run.failure)}</div>`;
    const { outcome } = run;
    if (outcome === null)
      return html`<div class="content padded soft">${waiting}${run.cause?.kind === 'stopped' ? 'The query was cancelled.' : 'Waiting for the server.'}</div>`;
    if (outcome.kind === 'boolean')
      return html`<div class="content padded"><span class="big">${outcome.value ? 'Yes' : 'No'}</span></div>`;
    if (outcome.kind === 'update') {
      const { tx_id: tx, inserted, deleted, graphs } = outcome.result;
      return html`<div class="content padded"><p><b>${tx === 0 ? 'Nothing changed.' : `Written in transaction ${count(tx)}.`}</b></p>
        <p>${count(inserted)} inserted, ${count(deleted)} deleted${graphs.length === 0 ? '' : `, in ${graphs.join(', ')}`}</p></div>`;
    }
    const broken =
      run.cause?.kind === 'broken'
        ? errorNotice(new Error(`The answer broke off after ${count(run.rows)} rows: ${run.cause.message}`))
        : nothing;
    if (this.loading !== null && shown !== 'table' && shown !== 'raw')
      return html`<div class="content padded">${errorNotice(this.loading)}</div>`;
    return html`<div class="content">${waiting}${broken}${this.#view(run, shown)}</div>`;
  }

  #view(run: Run, shown: ResultView): TemplateResult {
    if (shown === 'chart') return html`<svc-result-chart .run=${run} .version=${this.version}></svc-result-chart>`;
    if (shown === 'graph') return html`${this.#graph(run)}`;
    return html`<svc-result-table .run=${run} .version=${this.version} .prefixes=${this.prefixes} ?raw=${shown === 'raw'}></svc-result-table>`;
  }

  /** One for each run, whatever else is drawn again. */
  #graph(run: Run): Element {
    if (this.#drawn?.run === run) return this.#drawn.graph;
    const graph = document.createElement(GRAPH_TAG) as View;
    graph.endpoint = this.endpoint;
    if (this.scope !== undefined) graph.scope = this.scope;
    graph.setAttribute('query', run.options.text);
    // Its state is no part of the page's.
    graph.addEventListener('svc-state', (event) => event.stopPropagation());
    this.#drawn = { run, graph };
    return graph;
  }

  #choose(view: ResultView): void {
    this.dispatchEvent(new CustomEvent('choose', { detail: view }));
  }

  protected override updated(): void {
    if (this.shown === 'chart') this.#load(() => import('./results/result-chart.js'));
    if (this.shown === 'graph') this.#load(() => loadElement(GRAPH_TAG));
  }

  #load(load: () => Promise<unknown>): void {
    load().then(
      () => (this.loading = null),
      (error: unknown) => (this.loading = error),
    );
  }

  #downloads(run: Run): TemplateResult {
    const { downloading } = this;
    return html`<svc-dropdown label="Download" align="end"><span slot="label">Download</span>
      <div class="formats">${formatsFor(run.options.form).map((format) => html`<button class="button plain small" @click=${() => this.#save(run, format)}>${format.label}</button>`)}
        ${downloading === null ? nothing : downloading.failure === null ? html`<span role="status">${downloading.label} is being written… <button class="button small" @click=${() => this.#download?.abort()}>Cancel</button></span>` : errorNotice(downloading.failure)}</div>
    </svc-dropdown>`;
  }

  async #save(run: Run, format: DownloadFormat): Promise<void> {
    this.#download?.abort();
    const stop = new AbortController();
    this.#download = stop;
    this.downloading = { label: format.label, failure: null };
    try {
      await download(run, format, stop.signal);
      this.downloading = null;
    } catch (error) {
      this.downloading = isAbort(error) ? null : { label: format.label, failure: error };
    }
  }
}

function causeText(kind: 'stopped' | 'full' | 'broken'): string {
  if (kind === 'stopped') return 'cancelled';
  return kind === 'full' ? 'this tab holds no more; a download has all' : 'broken off';
}

export function milliseconds(value: number): string {
  if (value < 1_000) return `${Math.max(1, Math.round(value))} ms`;
  return value < 60_000
    ? `${(value / 1_000).toFixed(1)} s`
    : `${Math.floor(value / 60_000)} min ${Math.round((value % 60_000) / 1_000)} s`;
}

define('svc-result-pane', ResultPane);
