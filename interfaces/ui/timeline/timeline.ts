/**
 * Episodes and transactions along time. A window drawn over the lanes is what the list shows, the newest first; two transactions
 * that are marked A and B are compared; a moment of the list becomes the time of the whole page.
 *
 * State: `from`, `to` (instants of the window), `type` (kind of source), `a`, `b` (transactions).
 */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { errorNotice, isAbort } from '../parts/errors.js';
import { emit } from '../parts/events.js';
import { html, live, nothing, type PropertyValues, type TemplateResult } from '../parts/lit.js';
import { base } from '../parts/styles.js';
import { count, shownLine } from '../parts/text.js';
import { define, type HostMessage, View } from '../parts/view.js';
import './changes-panel.js';
import { type Buckets, edgeAt, edgesOf, instantAt, lanes, type Span, shortTime } from './lanes.js';
import { timelineStyles } from './timeline-styles.js';

type Answer = Operations['timeline']['response'];
type Item = Answer['items'][number];

const BUCKETS = 120;
const PAGE = 100;
const SOURCE_CHARACTERS = 200;
const EPISODE = 'episode';

export class Timeline extends View {
  static override properties = {
    from: {},
    to: {},
    sourceType: { attribute: 'source-type' },
    overview: { state: true },
    items: { state: true },
    next: { state: true },
    drawn: { state: true },
    failure: { state: true },
    isLoading: { state: true },
  };
  static override styles = [base, timelineStyles];
  from: string | undefined;
  to: string | undefined;
  sourceType: string | undefined;
  overview: Answer | null = null;
  items: readonly Item[] = [];
  next: string | null = null;
  /** The window while it is being drawn. */
  drawn: Span | null = null;
  failure: unknown = null;
  isLoading = false;
  #lanesAsked = '';
  #listAsked = '';
  #reading = new AbortController();

  override willUpdate(_: PropertyValues): void {
    if (!this.active || !this.isConnected) return;
    const source = JSON.stringify([this.endpoint, this.#type]);
    if (source !== this.#lanesAsked) {
      this.#lanesAsked = source;
      void this.#readLanes();
    }
    const list = JSON.stringify([this.endpoint, this.#type, this.#from, this.#to]);
    if (list !== this.#listAsked) {
      this.#listAsked = list;
      void this.#readList(null);
    }
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#reading.abort();
    this.#lanesAsked = '';
    this.#listAsked = '';
  }

  protected override receive({ action, sourceType }: HostMessage): void {
    if (action === 'filter')
      this.change({ type: typeof sourceType === 'string' && sourceType !== '' ? sourceType : undefined });
  }

  override render() {
    const { a, b } = this.#compared;
    const isComparing = a !== null && b !== null;
    return html`<h1 class="visually-hidden">Timeline</h1>
      ${this.#tools()}
      ${this.#chart()}
      ${this.failure === null ? nothing : html`<div class="list">${errorNotice(this.failure)} <button class="button" @click=${() => this.#again()}>Try again</button></div>`}
      <div class="below ${isComparing ? 'two' : ''}">
        <section class="list" aria-label="Episodes and transactions">${this.#list()}</section>
        ${isComparing ? this.#changes(a, b) : nothing}
      </div>`;
  }

  get #type(): string | undefined {
    return this.state.type ?? this.sourceType;
  }

  get #from(): string | undefined {
    return this.state.from ?? this.from;
  }

  get #to(): string | undefined {
    return this.state.to ?? this.to;
  }

  /** `a` is the state before; either may be the earlier one in the address. */
  get #compared(): { readonly a: number | null; readonly b: number | null } {
    const [a, b] = [this.state.a, this.state.b].map((text) =>
      /^\d{1,15}$/.test(text ?? '') ? Number(text) : null,
    ) as [number | null, number | null];
    return a !== null && b !== null && a > b ? { a: b, b: a } : { a, b };
  }

  /** What is marked A and B, as a graph. */
  override compare(): boolean {
    const { a, b } = this.#compared;
    if (a === null || b === null) return false;
    void this.#drawChanges(a, b);
    return true;
  }

  async #drawChanges(a: number, b: number): Promise<void> {
    await this.#reads(async (signal) => {
      const { transactions: last } = await this.server.client.call('stats', {}, { signal });
      this.open('explore', { since: String(a), changed: '1' }, { tx: b < last ? b : null });
    }, this.stopping);
  }

  /** From before the first transaction of the window to its last. */
  async #compareEnds(): Promise<void> {
    await this.#reads(async (signal) => {
      const window = { source_type: this.#type || undefined, from: this.#from, to: this.#to, limit: 1 };
      const [first, last] = await Promise.all(
        (['asc', 'desc'] as const).map((order) =>
          this.server.client.call('timeline', { ...window, order }, { signal }),
        ),
      );
      const [from, to] = [first?.items[0]?.tx, last?.items[0]?.tx];
      if (from !== undefined && to !== undefined)
        this.change({ a: String(Math.min(from, to) - 1), b: String(Math.max(from, to)) }, { push: true });
    }, this.stopping);
  }

  #tools(): TemplateResult {
    const type = this.#type;
    const choose = (value: string | undefined) => this.change({ type: value }, { push: true });
    return html`<form class="tools" @submit=${this.#apply} novalidate>
      <div class="segments" role="group" aria-label="What is shown">
        <button class="button" type="button" aria-pressed=${type === undefined} @click=${() => choose(this.sourceType === undefined ? undefined : '')}>Everything</button>
        <button class="button" type="button" aria-pressed=${type === EPISODE} @click=${() => choose(EPISODE)}>Episodes</button>
      </div>
      <label>Kind of source <input class="field" name="type" autocomplete="off" placeholder="set, snapshot, update…" .value=${live(type ?? '')} /></label>
      <label>From <input class="field" name="from" autocomplete="off" placeholder="2026-01-31" .value=${live(this.#from ?? '')} /></label>
      <label>Before <input class="field" name="to" autocomplete="off" placeholder="2026-02-28T12:00:00Z" .value=${live(this.#to ?? '')} /></label>
      <button class="button primary">Show</button>
      <button class="button" type="button" ?disabled=${this.#from === undefined && this.#to === undefined} @click=${() => this.change({ from: undefined, to: undefined }, { push: true })}>Whole time</button>
      <button class="button plain" type="button" @click=${() => this.#again()}>Read again</button>
    </form>`;
  }

  #chart(): TemplateResult | typeof nothing {
    const buckets = this.overview?.buckets ?? null;
    if (this.overview === null) return nothing;
    if (buckets === null) return html`<p class="chart soft">The store is empty: nothing was written yet.</p>`;
    return html`<div class="chart" role="group" aria-label="Along time, ${count(edgesOf(buckets))} intervals">
      ${lanes({ buckets, window: this.drawn ?? this.#windowIn(buckets), moment: this.scope.validAt, moved: (span, isFinal) => this.#move(buckets, span, isFinal) })}
    </div>`;
  }

  #windowIn(buckets: Buckets): Span {
    const edges = edgesOf(buckets);
    const edge = (instant: string | undefined, round: (value: number) => number, absent: number): number =>
      instant === undefined || Number.isNaN(Date.parse(instant)) ? absent : edgeAt(buckets, instant, round);
    const from = Math.min(edge(this.#from, Math.floor, 0), edges - 1);
    return { from, to: Math.max(edge(this.#to, Math.ceil, edges), from + 1) };
  }

  #move(buckets: Buckets, span: Span, isFinal: boolean): void {
    this.drawn = isFinal ? null : span;
    if (!isFinal) return;
    const from = span.from === 0 ? undefined : instantAt(buckets, span.from);
    const to = span.to === edgesOf(buckets) ? undefined : instantAt(buckets, span.to);
    this.change({ from, to });
  }

  #list(): TemplateResult {
    const total = this.#inWindow();
    const { items } = this;
    return html`<div class="head"><h2>Written</h2><span class="soft" role="status">${this.isLoading ? 'Reading…' : `${count(items.length)}${this.next === null ? '' : ` of ${total === null ? 'more' : `about ${count(total)}`}`}`}</span>
        <button class="button small" ?disabled=${items.length === 0} @click=${() => void this.#compareEnds()}>Changes in all of it</button>
        ${this.#compared.a !== null || this.#compared.b !== null ? html`<button class="button small" @click=${() => this.change({ a: undefined, b: undefined })}>Stop comparing</button>` : nothing}</div>
      ${items.length === 0 && !this.isLoading && this.failure === null ? html`<p class="soft">Nothing was written in this time.</p>` : nothing}
      ${
        items.length === 0
          ? nothing
          : html`<table><thead><tr><th>When</th><th class="number">Tx</th><th>What</th><th class="wide">Who</th><th class="number">+</th><th class="number">−</th><th><span class="visually-hidden">Actions</span></th></tr></thead>
        <tbody>${items.map((item) => this.#row(item))}</tbody></table>`
      }
      ${this.next === null ? nothing : html`<p><button class="button" ?disabled=${this.isLoading} @click=${() => this.#readList(this.next)}>Older</button></p>`}`;
  }

  #row({
    tx,
    timestamp,
    valid_from: validFrom,
    kind,
    episode,
    source,
    actor,
    asserted,
    retracted,
  }: Item): TemplateResult {
    const { a, b } = this.#compared;
    const known = this.scope.tx;
    const what = episode ?? source ?? '';
    const held = validFrom === timestamp ? nothing : html`<div class="faint">valid from ${shortTime(validFrom)}</div>`;
    const figure = (value: number | null, sign: string) =>
      value === null ? '' : value === 0 ? '0' : `${sign}${count(value)}`;
    return html`<tr class=${known !== null && tx > known ? 'unknown' : ''} aria-current=${known === tx ? 'time' : nothing}>
      <td class="time">${shortTime(timestamp)}${held}</td><td class="number">${count(tx)}</td>
      <td>${kind === EPISODE ? html`<b>Episode</b> ` : nothing}<bdi dir="auto">${shownLine(what, SOURCE_CHARACTERS)}</bdi></td>
      <td class="wide"><bdi dir="auto">${shownLine(actor ?? '', SOURCE_CHARACTERS)}</bdi></td>
      <td class="number plus">${figure(asserted, '+')}</td><td class="number minus">${figure(retracted, '−')}</td>
      <td class="actions">
        <button class="button small" aria-label="Changes in transaction ${tx}" @click=${() => this.change({ a: String(tx - 1), b: String(tx) }, { push: true })}>Changes</button>
        <button class="button small" aria-pressed=${a === tx} aria-label="A: compare from transaction ${tx}" @click=${() => this.change({ a: String(tx) })}>A</button>
        <button class="button small" aria-pressed=${b === tx} aria-label="B: compare to transaction ${tx}" @click=${() => this.change({ b: String(tx) })}>B</button>
        <button class="button small" aria-label="Known at transaction ${tx}: look at everything so" @click=${() => emit(this, 'svc-scope', { change: { tx } })}>Known at</button>
        <button class="button small" aria-label="Valid at ${timestamp}: look at everything so" @click=${() => emit(this, 'svc-scope', { change: { validAt: timestamp } })}>Valid at</button>
      </td></tr>`;
  }

  #changes(a: number, b: number): TemplateResult {
    return html`<section class="changes" aria-label="What changed">
      <div class="head"><h2>Changed ${b - a === 1 ? html`in transaction ${count(b)}` : html`after transaction ${count(a)}, up to ${count(b)}`}</h2><button class="button small" @click=${() => this.compare()}>In the graph <kbd>D</kbd></button></div>
      <svc-timeline-changes .server=${this.server} .prefixes=${this.prefixes} .graph=${this.scope.graph} .sinceTx=${a} .untilTx=${b}></svc-timeline-changes></section>`;
  }

  /** How many the window holds, by the intervals; null where they are not known. */
  #inWindow(): number | null {
    const buckets = this.overview?.buckets ?? null;
    if (buckets === null) return null;
    const { from, to } = this.#windowIn(buckets);
    return buckets.counts.reduce((sum, of) => {
      const at = edgeAt(buckets, of.from, Math.round);
      return at >= from && at < to ? sum + of.transactions : sum;
    }, 0);
  }

  #apply(event: SubmitEvent): void {
    event.preventDefault();
    const given = new FormData(event.target as HTMLFormElement);
    const field = (name: string): string | undefined => String(given.get(name) ?? '').trim() || undefined;
    this.change({ type: field('type'), from: field('from'), to: field('to') }, { push: true });
  }

  #again(): void {
    this.#lanesAsked = '';
    this.#listAsked = '';
    this.failure = null;
    this.requestUpdate();
  }

  async #readLanes(): Promise<void> {
    await this.#reads(async (signal) => {
      const type = this.#type === '' ? undefined : this.#type;
      this.overview = await this.server.client.call(
        'timeline',
        { source_type: type, buckets: BUCKETS, limit: 1 },
        { signal },
      );
    }, this.stopping);
  }

  /** The newest items of the window, or those behind a cursor. */
  async #readList(cursor: string | null): Promise<void> {
    this.#reading.abort();
    this.#reading = new AbortController();
    this.isLoading = true;
    const { signal } = this.#reading;
    await this.#reads(async () => {
      const page = await this.server.client.call(
        'timeline',
        {
          source_type: this.#type === '' ? undefined : this.#type,
          from: this.#from,
          to: this.#to,
          order: 'desc',
          limit: PAGE,
          cursor: cursor ?? undefined,
        },
        { signal },
      );
      if (signal.aborted) return;
      this.items = cursor === null ? page.items : [...this.items, ...page.items];
      this.next = page.next_cursor;
      this.failure = null;
    }, signal);
    if (!signal.aborted) this.isLoading = false;
  }

  async #reads(read: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    try {
      await read(signal);
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      this.failure = error;
      this.items = [];
      this.next = null;
    }
  }
}

define('svc-timeline', Timeline);
