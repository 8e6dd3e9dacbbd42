/**
 * The rows of an answer: those that are seen are drawn, and no others. Arrows, Page and End walk through them; Enter opens a row, where
 * its terms stand in full.
 */

import '../../parts/term.js';
import { errorNotice } from '../../parts/errors.js';
import { css, html, LitElement, nothing, type PropertyValues, repeat, type TemplateResult } from '../../parts/lit.js';
import type { Prefixes } from '../../parts/prefixes.js';
import { styled } from '../../parts/styled.js';
import { base } from '../../parts/styles.js';
import { isNumber, termView } from '../../parts/term.js';
import { count } from '../../parts/text.js';
import { define } from '../../parts/view.js';
import type { ShownRow, ShownTerm } from '../rows/messages.js';
import type { Run } from '../run.js';
import { listHeight, rowsAt, scrollTopOf } from './virtual-rows.js';

const ROW_HEIGHT = 26;
const CELL_CHARACTERS = 240;
/** Of a term in an opened row; what is longer is in the downloads. */
const OPENED_CHARACTERS = 400_000;

class ResultTable extends LitElement {
  static override properties = {
    run: { attribute: false },
    version: { attribute: false },
    prefixes: { attribute: false },
    raw: { type: Boolean },
    shown: { state: true },
    selected: { state: true },
    opened: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      :host {
        display: block;
        min-height: 0;
        height: 100%;
        position: relative;
      }
      .scroll {
        height: 100%;
        overflow: auto;
        overflow-anchor: none;
        font-size: 12px;
      }
      .scroll:focus-visible {
        outline-offset: -2px;
      }
      .head {
        position: sticky;
        top: 0;
        z-index: 2;
        background: var(--sunken);
        font-weight: 550;
        color: var(--text-2);
      }
      .list {
        position: relative;
        min-width: min-content;
      }
      .rows {
        position: absolute;
        inset-inline: 0;
        will-change: transform;
      }
      .row {
        display: grid;
        grid-template-columns: 72px var(--columns);
        height: 26px;
        min-width: min-content;
      }
      .row > * {
        padding: 3px 10px;
        border-bottom: 1px solid var(--line);
        border-right: 1px solid var(--line);
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
        min-width: 0;
      }
      .index {
        color: var(--text-3);
        background: var(--sunken);
        text-align: right;
        font-variant-numeric: tabular-nums;
      }
      .row[aria-selected='true'] > * {
        background: var(--accent-soft);
      }
      .raw {
        white-space: pre;
      }
      dialog {
        width: min(760px, calc(100vw - 24px));
        max-height: 80vh;
        border: 1px solid var(--line-strong);
        border-radius: var(--radius-large);
        background: var(--raised);
        color: var(--text);
        padding: 16px;
      }
      dl {
        display: grid;
        grid-template-columns: minmax(80px, auto) minmax(0, 1fr);
        gap: 8px 16px;
        overflow-wrap: anywhere;
      }
      dt {
        color: var(--text-2);
      }
      dd {
        margin: 0;
      }
    `,
  ];
  run: Run | undefined;
  /** Goes up as rows arrive. */
  version = 0;
  prefixes: Prefixes = {};
  /** Lines as they came, instead of terms. */
  raw = false;
  shown: { readonly first: number; readonly rows: readonly (ShownRow | string)[] } = { first: 0, rows: [] };
  selected = 0;
  opened: { readonly row: number; readonly terms: ShownRow } | null = null;
  failure: unknown = null;
  #asked = 0;
  readonly #resized = new ResizeObserver(() => void this.#look());

  /** With its head, raw lines are one more. */
  get #rows(): number {
    const { run } = this;
    return run === undefined ? 0 : run.rows + (this.raw && run.columns.length > 0 && this.#hasHead ? 1 : 0);
  }

  get #hasHead(): boolean {
    const { form } = this.run?.options ?? {};
    return form === 'select';
  }

  override render() {
    const { run } = this;
    if (run === undefined) return nothing;
    const columns = this.raw ? 'minmax(600px, 1fr)' : `repeat(${run.columns.length}, minmax(160px, 1fr))`;
    const height = listHeight(this.#rows, ROW_HEIGHT);
    return html`
      ${this.failure === null ? nothing : errorNotice(this.failure)}
      <div class="scroll" tabindex="0" role="grid" aria-label=${this.raw ? 'Lines' : 'Rows'} aria-rowcount=${this.#rows + 1} aria-colcount=${run.columns.length + 1} aria-activedescendant=${`row-${this.selected}`} ${styled({ '--columns': columns })} @scroll=${this.#look} @keydown=${this.#key}>
        <div class="row head" role="row" aria-rowindex="1">
          <div class="index" role="columnheader">#</div>
          ${this.raw ? html`<div role="columnheader">line</div>` : run.columns.map((name) => html`<div role="columnheader">${name}</div>`)}
        </div>
        <div class="list" role="presentation" ${styled({ height: `${height}px` })}>
          <div class="rows" role="rowgroup">
            ${repeat(
              this.shown.rows,
              (_, at) => this.shown.first + at,
              (row, at) => this.#row(row, this.shown.first + at),
            )}
          </div>
        </div>
      </div>
      ${this.opened === null ? nothing : this.#dialog(this.opened.row, this.opened.terms)}
    `;
  }

  #row(row: ShownRow | string, index: number): TemplateResult {
    const cells =
      typeof row === 'string'
        ? html`<div role="gridcell" class="mono raw"><bdi>${row}</bdi></div>`
        : (this.run?.columns ?? []).map(
            (_, column) =>
              html`<div role="gridcell" class=${row[column] != null && isNumber(row[column].term) ? 'number' : ''}>${this.#term(row[column] ?? null, CELL_CHARACTERS)}</div>`,
          );
    return html`<div class="row" role="row" id=${`row-${index}`} aria-rowindex=${index + 2} aria-selected=${index === this.selected} @click=${() => (this.selected = index)} @dblclick=${() => this.#open(index)}><div class="index" role="rowheader">${count(index + 1)}</div>${cells}</div>`;
  }

  #term(shown: ShownTerm | null, charactersMax: number | undefined) {
    const { run } = this;
    if (shown === null || run === undefined) return nothing;
    const { server } = run.options;
    return termView(shown.term, {
      server,
      prefixes: this.prefixes,
      ...(charactersMax === undefined ? {} : { charactersMax }),
    });
  }

  #dialog(row: number, terms: ShownRow): TemplateResult {
    const whole = (shown: ShownTerm | null) =>
      shown !== null && shown.length > OPENED_CHARACTERS
        ? html`<div class="faint">the first ${count(OPENED_CHARACTERS)} of ${count(shown.length)} characters; a download has all</div>`
        : nothing;
    return html`<dialog aria-labelledby="opened" @close=${() => (this.opened = null)}>
      <h2 id="opened">Row ${count(row + 1)}</h2>
      <dl>${(this.run?.columns ?? []).map((name, column) => html`<dt>${name}</dt><dd>${terms[column] == null ? html`<span class="faint">not bound</span>` : html`${this.#term(terms[column], undefined)}${whole(terms[column])}`}</dd>`)}</dl>
      <form method="dialog"><button class="button">Close</button></form>
    </dialog>`;
  }

  override firstUpdated(): void {
    this.#resized.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resized.disconnect();
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('run') || changed.has('raw')) {
      this.selected = 0;
      this.opened = null;
      this.shown = { first: 0, rows: [] };
      this.#scroll?.scrollTo(0, 0);
    }
    if (changed.has('run') || changed.has('version') || changed.has('raw')) void this.#look();
    const dialog = this.renderRoot.querySelector('dialog');
    if (dialog !== null && !dialog.open) dialog.showModal();
    this.#place();
  }

  get #scroll(): HTMLElement | null {
    return this.renderRoot.querySelector('.scroll');
  }

  /** The rows of the place at which the bar stands, under the head. */
  get #placed() {
    const scroll = this.#scroll;
    return rowsAt(
      scroll?.scrollTop ?? 0,
      Math.max(0, (scroll?.clientHeight ?? 0) - ROW_HEIGHT),
      this.#rows,
      ROW_HEIGHT,
    );
  }

  #place(): void {
    const rows = this.renderRoot.querySelector<HTMLElement>('.rows');
    const { first, top } = this.#placed;
    if (rows !== null) rows.style.transform = `translateY(${top + (this.shown.first - first) * ROW_HEIGHT}px)`;
  }

  async #look(): Promise<void> {
    const { run, raw } = this;
    if (run === undefined || this.#scroll === null) return;
    const { first, count: wanted } = this.#placed;
    this.#place();
    this.#asked++;
    const asked = this.#asked;
    try {
      const rows = raw
        ? await run.lines(first, first + wanted, CELL_CHARACTERS * 8)
        : await run.shownRows(first, first + wanted, CELL_CHARACTERS + 1);
      if (asked !== this.#asked || run !== this.run) return;
      this.failure = null;
      this.shown = { first, rows };
    } catch (error) {
      if (asked === this.#asked) this.failure = error;
    }
  }

  #key(event: KeyboardEvent): void {
    const page = Math.max(1, this.#placed.count - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -this.#rows,
      End: this.#rows,
    };
    const step = steps[event.key];
    if (event.key === 'Enter' && event.target === this.#scroll) void this.#open(this.selected);
    else if (step !== undefined) this.#select(Math.min(Math.max(0, this.selected + step), Math.max(0, this.#rows - 1)));
    else return;
    event.preventDefault();
  }

  #select(row: number): void {
    this.selected = row;
    const scroll = this.#scroll;
    if (scroll === null) return;
    const { first, count: drawn } = this.#placed;
    const view = scroll.clientHeight - ROW_HEIGHT;
    const fitting = Math.floor(view / ROW_HEIGHT);
    if (row < first || (row === first && drawn > 0)) scroll.scrollTop = scrollTopOf(row, view, this.#rows, ROW_HEIGHT);
    else if (row >= first + fitting) scroll.scrollTop = scrollTopOf(row - fitting + 1, view, this.#rows, ROW_HEIGHT);
  }

  async #open(row: number): Promise<void> {
    if (this.raw || this.run === undefined) return;
    try {
      const [terms] = await this.run.shownRows(row, row + 1, OPENED_CHARACTERS);
      if (terms !== undefined) this.opened = { row, terms };
    } catch (error) {
      this.failure = error;
    }
  }
}

define('svc-result-table', ResultTable);
