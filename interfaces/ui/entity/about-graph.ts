/** The graph that an entity is shown of, with its labels, and the other graphs that say something of it. */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing, type PropertyValues } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import { labelsView } from '../writes/graph-labels.js';
import { type InGraph, type Reading, readGraphs } from './read-entity.js';

type Graph = Operations['graphs']['response']['graphs'][number];

const ROOT = 'urn:svc:graph:root';
/** Of the list of graphs that is looked through for the labels. */
const GRAPHS_MAX = 10_000;

class AboutGraph extends LitElement {
  static override properties = {
    reading: { attribute: false },
    graph: { state: true },
    others: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      .label {
        padding: 0 6px;
        border: 1px solid var(--line-strong);
        border-radius: var(--radius);
        font-size: 12px;
      }
      p {
        margin: 4px 0;
        overflow-wrap: anywhere;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li .button {
        max-width: 100%;
        text-align: start;
      }
    `,
  ];
  reading: Reading | undefined;
  /** Null: it is not registered, a dataset for one. */
  graph: Graph | null | undefined;
  others: readonly InGraph[] = [];
  failure: unknown = null;

  protected override updated(changed: PropertyValues): void {
    if (changed.has('reading')) void this.#ask();
  }

  override render() {
    const { reading, graph, others } = this;
    if (reading === undefined) return nothing;
    const { graph: scope = ROOT } = reading.fields;
    return html`<h2>Graph</h2>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      <p><bdi>${scope === ROOT ? 'root' : shownLine(scope, 200)}</bdi> ${graph === null || graph === undefined ? nothing : labelsView(graph.labels)}${graph?.lifecycle ? html` <span class="label">${graph.lifecycle}</span>` : nothing}</p>
      ${graph?.materialization === undefined ? nothing : html`<p class="soft">Made by <bdi>${shownLine(graph.materialization.mapping, 200)}</bdi> of <bdi>${shownLine(graph.materialization.external_truth, 200)}</bdi> in transaction ${count(graph.materialization.tx)}</p>`}
      ${others.length === 0 ? nothing : html`<h2>Other graphs that know it</h2><ul>${others.map((one) => html`<li><button class="button small plain" @click=${() => emit(this, 'svc-scope', { change: { graph: one.graph } })}><bdi class="ellipsis">${shownLine(one.graph, 100)}</bdi> <span class="faint">${count(one.facts)}</span></button></li>`)}</ul>`}`;
  }

  async #ask(): Promise<void> {
    const { reading } = this;
    if (reading === undefined) return;
    const { server, signal, fields } = reading;
    const { graph: scope = ROOT } = fields;
    try {
      const [{ graphs }, found] = await Promise.all([
        server.client.call('graphs', { limit: GRAPHS_MAX }, { signal }),
        readGraphs(reading),
      ]);
      this.graph = graphs.find(({ graph }) => graph === scope) ?? null;
      this.others = found.filter(({ graph }) => graph !== scope);
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }
}

define('svc-about-graph', AboutGraph);
