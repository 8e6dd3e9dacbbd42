/**
 * The registered graphs: labels, freezing, overlays, and new ones. What the server has no route for, forks and packs, is
 * done by the command, and the panel says so.
 */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing, repeat } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import './graph-labels.js';
import { labelsView } from './graph-labels.js';
import { refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import { announceWrite } from './write-facts.js';

const GRAPHS_PAGE = 50;
const ROOT = 'urn:svc:graph:root';

type Graph = Operations['graphs']['response']['graphs'][number];
type Act = (server: Server, timestamp: string) => Promise<string>;

export class GraphsPanel extends LitElement {
  static override properties = {
    server: { attribute: false },
    barred: { attribute: false },
    graphs: { state: true },
    labelled: { state: true },
    failure: { state: true },
    refusal: { state: true },
    done: { state: true },
    isMore: { state: true },
    isBusy: { state: true },
  };
  static override styles = [
    base,
    refusalStyles,
    css`
      ul {
        list-style: none;
        margin: 0 0 12px;
        padding: 0;
        border: 1px solid var(--line);
        border-radius: var(--radius-large);
        background: var(--surface);
      }
      li {
        padding: 8px 12px;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      .row {
        display: flex;
        flex-wrap: wrap;
        gap: 4px 8px;
        align-items: center;
      }
      .name {
        overflow-wrap: anywhere;
      }
      .label {
        padding: 0 6px;
        border: 1px solid var(--line-strong);
        border-radius: var(--radius);
        font-size: 12px;
      }
      form .field {
        flex: 1 1 16rem;
      }
      form {
        margin-bottom: 8px;
      }
    `,
  ];
  server: Server | undefined;
  barred: string | null = null;
  graphs: readonly Graph[] = [];
  isMore = false;
  isBusy = false;
  /** The graph whose labels are being declared. */
  labelled: string | null = null;
  failure: unknown = null;
  refusal: unknown = null;
  done: string | null = null;
  #stop = new AbortController();

  override connectedCallback(): void {
    super.connectedCallback();
    this.#stop = new AbortController();
    void this.updateComplete.then(() => this.#load(0));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#stop.abort();
  }

  override render() {
    const { server, barred } = this;
    if (server === undefined) return nothing;
    return html`${this.failure === null ? nothing : errorNotice(this.failure)}
      ${this.refusal === null ? nothing : refusalView(this.refusal, { server, choose: () => null })}
      ${this.done === null ? nothing : html`<p class="done" role="status">${this.done}</p>`}
      <ul aria-label="Graphs">${repeat(
        this.graphs,
        ({ graph }) => graph,
        (graph) => this.#row(graph),
      )}</ul>
      ${this.isMore ? html`<button class="button small" @click=${() => this.#load(this.graphs.length)}>Show more graphs</button>` : nothing}
      ${
        barred === null
          ? html`<form class="row" aria-label="New graph" @submit=${this.#create}><input class="field" name="iri" aria-label="IRI of the new graph" placeholder="IRI of a new graph" autocomplete="off" required /><button class="button small" ?disabled=${this.isBusy}>Create graph</button></form>
            <form class="row" aria-label="New overlay" @submit=${this.#overlay}><input class="field" name="iri" aria-label="IRI of the new overlay" placeholder="IRI of a new overlay" autocomplete="off" required /><input class="field" name="parent" aria-label="Graph that it lies over" placeholder="over: root" autocomplete="off" /><button class="button small" ?disabled=${this.isBusy}>Create overlay</button></form>`
          : html`<p class="soft">${barred}</p>`
      }
      <p class="soft">Shares come and go under “Shares”. Forks and packs have no route: use <code class="mono">svc fork</code>, <code class="mono">svc unpack</code> and <code class="mono">svc graph import</code> beside the store.</p>`;
  }

  #row({ graph, class: kind, facts, labels, lifecycle, parent, source, archive }: Graph) {
    const isPlain = kind === 'committed' && !/^urn:svc:graph:/.test(graph);
    const mayWrite = this.barred === null && !this.isBusy;
    return html`<li>
      <div class="row"><b class="name"><bdi>${graph === ROOT ? 'root' : shownLine(graph, 300)}</bdi></b> <span class="faint">${count(facts)} facts${kind === 'overlay' ? html` · overlay of <bdi>${shownLine(parent ?? '', 120)}</bdi>` : nothing}${lifecycle === null ? nothing : ` · ${lifecycle}`}${source === null ? nothing : html` · <bdi>${shownLine(source, 80)}</bdi>`}</span></div>
      <div class="row">${labelsView(labels)} <span class="grow"></span>
        <button class="button small plain" @click=${() => emit(this, 'svc-scope', { change: { graph: graph === ROOT ? null : graph } })}>Look at it<span class="visually-hidden"> ${graph}</span></button>
        ${kind === 'committed' && mayWrite ? html`<button class="button small plain" aria-expanded=${this.labelled === graph} @click=${() => (this.labelled = this.labelled === graph ? null : graph)}>Labels<span class="visually-hidden"> of ${graph}</span></button>` : nothing}
        ${isPlain && mayWrite ? html`<button class="button small plain" @click=${() => this.#act(lifecycle === 'frozen' ? thaw(graph) : freeze(graph))}>${lifecycle === 'frozen' ? 'Thaw' : 'Freeze'}<span class="visually-hidden"> ${graph}</span></button>` : nothing}
      </div>
      ${archive !== undefined && !archive.attached ? html`<div class="soft">Its archive is not there: ${shownLine(archive.error ?? '', 300)}</div>` : nothing}
      ${this.labelled === graph ? html`<svc-label-form .server=${this.server} .graph=${graph} .labels=${labels} @done=${() => this.#labelled()}></svc-label-form>` : nothing}
    </li>`;
  }

  async #load(offset: number): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    try {
      const { graphs, truncated } = await server.client.call(
        'graphs',
        { limit: GRAPHS_PAGE, offset },
        { signal: this.#stop.signal },
      );
      this.graphs = offset === 0 ? graphs : [...this.graphs, ...graphs];
      this.isMore = truncated;
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }

  #labelled(): void {
    this.labelled = null;
    this.done = 'The labels are declared.';
    void this.#load(0);
  }

  #create(event: SubmitEvent): void {
    const { form, fields } = entered(event);
    const graph = fields('iri');
    void this.#act(async (server, timestamp) => {
      const { created } = await server.client.call('graph_create', { graph, timestamp });
      form.reset();
      return created ? `Created ${graph}.` : `${graph} was there already.`;
    });
  }

  #overlay(event: SubmitEvent): void {
    const { form, fields } = entered(event);
    const [overlay, parent] = [fields('iri'), fields('parent')];
    void this.#act(async (server, timestamp) => {
      await server.client.call('overlay_create', { overlay, parent_branch: parent || undefined, timestamp });
      form.reset();
      return `Created ${overlay}.`;
    });
  }

  async #act(act: Act): Promise<void> {
    const { server } = this;
    if (server === undefined || this.isBusy) return;
    this.isBusy = true;
    this.refusal = null;
    this.done = null;
    try {
      this.done = await act(server, new Date().toISOString());
      announceWrite(this);
    } catch (error) {
      this.refusal = error;
    } finally {
      this.isBusy = false;
    }
    await this.#load(0);
  }
}

function entered(event: SubmitEvent) {
  event.preventDefault();
  const form = event.target as HTMLFormElement;
  const data = new FormData(form);
  return { form, fields: (name: string) => String(data.get(name) ?? '').trim() };
}

function freeze(graph: string): Act {
  return async (server, timestamp) => {
    const { archive } = await server.client.call('graph_freeze', { graph, timestamp });
    return `Frozen: ${archive}`;
  };
}

function thaw(graph: string): Act {
  return async (server, timestamp) => {
    await server.client.call('graph_thaw', { graph, timestamp });
    return `Thawed ${graph}.`;
  };
}

define('svc-graphs-panel', GraphsPanel);
