/** The graph that the whole page reads: ROOT, a registered graph, a dataset, or whatever IRI is written. */

import type { Dropdown } from '../parts/dropdown.js';
import '../parts/dropdown.js';
import { errorNotice } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, live, nothing } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import { NOW, type Scope } from '../wire/scope.js';
import type { Server } from '../wire/server.js';

/** More than these are found by writing their IRI. */
const GRAPHS_MAX = 200;

interface Choice {
  readonly iri: string;
  readonly facts: number;
}

class GraphControl extends LitElement {
  static override properties = {
    scope: { attribute: false },
    server: { attribute: false },
    choices: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      form {
        display: flex;
        gap: 8px;
        margin-bottom: 8px;
      }
      ul {
        list-style: none;
        margin: 0;
        padding: 0;
      }
      li .button {
        width: 100%;
        justify-content: space-between;
      }
    `,
  ];
  scope: Scope = NOW;
  server: Server | undefined;
  choices: readonly Choice[] | null = null;
  isMore = false;
  failure: unknown = null;

  override render() {
    const { graph } = this.scope;
    return html`<svc-dropdown label="Graph" align="end" @open=${this.#load}>
      <span slot="label" class="ellipsis">Graph <b>${graph === null ? 'root' : shownLine(graph, 40)}</b></span>
      <form @submit=${this.#apply}>
        <input class="field grow" name="graph" aria-label="IRI of a graph, or name of a dataset" placeholder="IRI or dataset" autocomplete="off" .value=${live(graph ?? '')} />
        <button class="button">Read it</button>
      </form>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      <ul aria-label="Graphs">
        <li><button class="button plain small" aria-current=${graph === null ? 'true' : nothing} @click=${() => this.#set(null)}>root</button></li>
        ${(this.choices ?? []).map(
          ({ iri, facts }) =>
            html`<li><button class="button plain small" aria-current=${graph === iri ? 'true' : nothing} @click=${() => this.#set(iri)}><bdi class="ellipsis">${shownLine(iri, 60)}</bdi><span class="faint">${count(facts)}</span></button></li>`,
        )}
      </ul>
      ${this.isMore ? html`<p class="faint">The first ${GRAPHS_MAX}; write the IRI of any other.</p>` : nothing}
    </svc-dropdown>`;
  }

  async #load(): Promise<void> {
    if (this.server === undefined) return;
    this.failure = null;
    try {
      const { graphs, truncated } = await this.server.client.call('graphs', { limit: GRAPHS_MAX });
      this.isMore = truncated;
      this.choices = graphs.map(({ graph, facts }) => ({ iri: graph, facts }));
    } catch (error) {
      this.failure = error;
    }
  }

  #apply(event: SubmitEvent): void {
    event.preventDefault();
    const graph = String(new FormData(event.target as HTMLFormElement).get('graph') ?? '').trim();
    this.#set(graph === '' ? null : graph);
  }

  #set(graph: string | null): void {
    (this.renderRoot.querySelector('svc-dropdown') as Dropdown).close();
    emit(this, 'svc-scope', { change: { graph } });
  }
}

define('svc-graph-control', GraphControl);
