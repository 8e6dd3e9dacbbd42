/** Shares: making one of a graph, taking one in, and what became of those that came in. */

import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { css, html, LitElement, nothing, repeat } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define } from '../parts/view.js';
import type { Server } from '../wire/server.js';
import { blockersView } from './import-form.js';
import './import-form.js';
import {
  type Blocker,
  blockersOf,
  type ImportRecord,
  importRecords,
  quarantineGraph,
  stagingGraph,
} from './imports.js';
import { refusalView } from './refusal.js';
import { refusalStyles } from './refusal-styles.js';
import './share-form.js';
import { announceWrite } from './write-facts.js';

const NAMES = { staged: 'staged', quarantined: 'in quarantine', promoted: 'in ROOT' } as const;

class SharingPanel extends LitElement {
  static override properties = {
    server: { attribute: false },
    graph: { attribute: false },
    barred: { attribute: false },
    records: { state: true },
    hasMore: { state: true },
    blockers: { state: true },
    failure: { state: true },
    refusal: { state: true },
    done: { state: true },
    isBusy: { state: true },
  };
  static override styles = [
    base,
    refusalStyles,
    css`
      h2 {
        margin: 16px 0 8px;
        font-size: 15px;
      }
      .records {
        list-style: none;
        margin: 0 0 12px;
        padding: 0;
        border: 1px solid var(--line);
        border-radius: var(--radius-large);
        background: var(--surface);
      }
      .records > li {
        padding: 8px 12px;
        overflow-wrap: anywhere;
      }
      .records > li + li {
        border-top: 1px solid var(--line);
      }
      .state {
        padding: 0 6px;
        border: 1px solid var(--line-strong);
        border-radius: var(--radius);
        font-size: 12px;
      }
      .state.quarantined {
        color: var(--delete);
      }
      .state.promoted {
        color: var(--add);
      }
    `,
  ];
  server: Server | undefined;
  graph: string | null = null;
  barred: string | null = null;
  records: readonly ImportRecord[] | null = null;
  hasMore = false;
  /** Of the share that somebody asks about. */
  blockers: { readonly shareId: string; readonly list: readonly Blocker[] } | null = null;
  failure: unknown = null;
  refusal: unknown = null;
  done: string | null = null;
  isBusy = false;
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
    const { server, barred, graph, refusal } = this;
    if (server === undefined) return nothing;
    return html`<h2>Share a graph</h2>
      <p class="soft">Current facts as files whose hashes vouch for them. Nothing is written; the identifier policy of the server judges what leaves it.</p>
      <svc-share-form .server=${server} .graph=${graph}></svc-share-form>
      <h2>Import a share</h2>
      <svc-import-form .server=${server} .barred=${barred} @imported=${() => this.#load(0)}></svc-import-form>
      <h2>Shares that came in</h2>
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      ${refusal === null ? nothing : refusalView(refusal, { server, choose: () => null })}
      ${this.done === null ? nothing : html`<p class="done" role="status">${this.done}</p>`}
      ${this.#list()}`;
  }

  #list() {
    const { records } = this;
    if (records === null) return html`<p class="soft" role="status">Reading imports…</p>`;
    if (records.length === 0) return html`<p class="soft">No share was imported.</p>`;
    return html`<ul class="records" aria-label="Imports">${repeat(
      records,
      ({ shareId }) => shareId,
      (record) => this.#row(record),
    )}</ul>
    ${this.hasMore ? html`<button class="button small" @click=${() => this.#load(records.length)}>Show more imports</button>` : nothing}`;
  }

  #row({ shareId, state, source, accepted, quarantined, importedAt }: ImportRecord) {
    const name = shareId.slice(0, 19);
    const look = (graph: string, title: string) =>
      html`<button class="button small plain" @click=${() => emit(this, 'svc-scope', { change: { graph } })}>${title}<span class="visually-hidden"> of ${name}</span></button>`;
    return html`<li><div class="row"><b><bdi dir="auto">${shownLine(source, 200)}</bdi></b> <span class=${`state ${state}`}>${NAMES[state] ?? shownLine(String(state), 40)}</span>
        <span class="faint">${count(accepted)} accepted${quarantined === 0 ? '' : `, ${count(quarantined)} in quarantine`} · ${shownLine(importedAt, 40)}</span></div>
      <div class="row"><bdi class="mono faint" title=${shareId}>${name}…</bdi><span class="grow"></span>
        ${accepted === 0 ? nothing : look(stagingGraph(shareId), 'Look at it')}${quarantined === 0 ? nothing : look(quarantineGraph(shareId), 'Quarantine')}
        ${state === 'quarantined' ? html`<button class="button small plain" @click=${() => void this.#why(shareId)}>Why<span class="visually-hidden"> ${name} is in quarantine</span></button>` : nothing}
        ${state === 'staged' && this.barred === null ? html`<button class="button small" ?disabled=${this.isBusy} @click=${() => void this.#promote(shareId)}>Bring into ROOT<span class="visually-hidden"> ${name}</span></button>` : nothing}</div>
      ${this.blockers?.shareId === shareId ? html`${blockersView(this.blockers.list)}<p class="soft">When shapes were loaded that allow for it, open the same share above and judge it again.</p>` : nothing}</li>`;
  }

  async #load(offset: number): Promise<void> {
    const { server } = this;
    const { signal } = this.#stop;
    if (server === undefined) return;
    try {
      const { records, hasMore } = await importRecords(server, offset, signal);
      this.records = offset === 0 ? records : [...(this.records ?? []), ...records];
      this.hasMore = hasMore;
      this.failure = null;
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }

  async #why(shareId: string): Promise<void> {
    const { server } = this;
    if (server === undefined) return;
    try {
      this.blockers = { shareId, list: await blockersOf(server, shareId, this.#stop.signal) };
    } catch (error) {
      if (!isAbort(error)) this.failure = error;
    }
  }

  async #promote(shareId: string): Promise<void> {
    const { server } = this;
    if (server === undefined || this.isBusy) return;
    this.isBusy = true;
    this.refusal = null;
    this.done = null;
    try {
      const answer = await server.client.call('import_promote', { share_id: shareId });
      const withheld = answer.suppressed_retractions;
      this.done =
        answer.outcome === 'unchanged'
          ? 'It was brought into ROOT before.'
          : `Written in transaction ${count(answer.tx_id)}: ${count(answer.new_facts)} new of ${count(answer.triples)} facts${withheld === 0 ? '' : `; ${count(withheld)} stay away, since they were retracted here`}.`;
      announceWrite(this);
    } catch (error) {
      this.refusal = error;
    } finally {
      this.isBusy = false;
    }
    await this.#load(0);
  }
}

define('svc-sharing-panel', SharingPanel);
