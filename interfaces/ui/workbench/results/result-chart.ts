/** The numbers of an answer as a chart: over the first column that is a time, a number or a name, one line or bar for each column of numbers. */

import { errorNotice } from '../../parts/errors.js';
import { css, html, LitElement, nothing, type PropertyValues, unsafeCSS } from '../../parts/lit.js';
import { base } from '../../parts/styles.js';
import { count, shownLine } from '../../parts/text.js';
import { define } from '../../parts/view.js';
import type { NumberColumn } from '../rows/messages.js';
import type { Run } from '../run.js';
import { type AlignedData, type Options, type Series, sheet, uPlot } from './chart.js';

/** More points than a screen has, and few enough to be drawn in a frame. */
const ROWS_MAX = 20_000;
const COLOURS = ['--accent', '--number', '--add', '--keyword', '--delete', '--variable'];
const HEIGHT = 320;

class ResultChart extends LitElement {
  static override properties = {
    run: { attribute: false },
    version: { attribute: false },
    columns: { state: true },
    over: { state: true },
    failure: { state: true },
  };
  static override styles = [
    base,
    css`
      ${unsafeCSS(sheet)}
      :host {
        display: block;
        padding: 12px;
        overflow: auto;
        height: 100%;
      }
      .bar {
        display: flex;
        gap: 12px;
        align-items: center;
        flex-wrap: wrap;
        margin-bottom: 8px;
      }
    `,
  ];
  run: Run | undefined;
  version = 0;
  columns: readonly NumberColumn[] | null = null;
  /** Name of the column along the bottom. */
  over: string | null = null;
  failure: unknown = null;
  #plot: uPlot | null = null;
  #rows = -1;

  override render() {
    const { columns, run } = this;
    if (this.failure !== null) return errorNotice(this.failure);
    if (columns === null || run === undefined) return html`<p class="faint">Reading…</p>`;
    const drawn = this.#drawn;
    return html`<div class="bar">
        <label>Over <select class="field" @change=${(event: Event) => (this.over = (event.target as HTMLSelectElement).value)}>
          ${columns.map(({ name }) => html`<option value=${name} ?selected=${name === drawn?.over.name}>${name}</option>`)}
        </select></label>
        <span class="soft" role="status">${run.rows > ROWS_MAX ? `the first ${count(ROWS_MAX)} of ${count(run.rows)} rows` : `${count(run.rows)} rows`}</span>
      </div>
      ${drawn === null ? html`<p class="soft">There is no column of numbers beside the one along the bottom.</p>` : nothing}
      <div id="plot" role="img" aria-label=${drawn === null ? nothing : `${drawn.of.map(({ name }) => name).join(', ')} over ${drawn.over.name}; the table has the values`}></div>`;
  }

  get #drawn(): { readonly over: NumberColumn; readonly of: readonly NumberColumn[] } | null {
    const columns = this.columns ?? [];
    const over =
      columns.find(({ name }) => name === this.over) ??
      columns.find(({ kind }) => kind === 'time') ??
      columns.find(({ kind }) => kind === 'name') ??
      columns[0];
    const of = columns.filter((column) => column !== over && column.kind === 'number');
    return over === undefined || of.length === 0 ? null : { over, of };
  }

  override updated(changed: PropertyValues): void {
    if (changed.has('run') || changed.has('version')) void this.#read();
    if (changed.has('columns') || changed.has('over')) this.#draw();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#plot?.destroy();
    this.#plot = null;
  }

  async #read(): Promise<void> {
    const { run } = this;
    if (run === undefined || (this.#rows >= 0 && Math.min(run.rows, ROWS_MAX) === this.#rows)) return;
    this.#rows = Math.min(run.rows, ROWS_MAX);
    try {
      const columns = await run.numbers(ROWS_MAX);
      if (run === this.run) this.columns = columns;
    } catch (error) {
      this.failure = error;
    }
  }

  #draw(): void {
    this.#plot?.destroy();
    this.#plot = null;
    const place = this.renderRoot.querySelector<HTMLElement>('#plot');
    const drawn = this.#drawn;
    if (place === null || drawn === null) return;
    const { over, of } = drawn;
    const style = getComputedStyle(this);
    // A canvas knows no variables: each colour is resolved for light or dark as it is now.
    const probe = document.createElement('span');
    this.renderRoot.append(probe);
    const colour = (name: string): string => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    // A line needs its places in order; names are in the order of the rows.
    const order = Array.from(over.values.keys());
    if (over.kind !== 'name') order.sort((a, b) => (over.values[a] as number) - (over.values[b] as number));
    const data: AlignedData = [
      order.map((row) => (over.kind === 'name' ? row : (over.values[row] as number))),
      ...of.map(({ values }) => order.map((row) => (Number.isNaN(values[row]) ? null : (values[row] as number)))),
    ];
    const bars = uPlot.paths.bars?.({ size: [0.7, 60] });
    const series: Series[] = of.map(({ name }, at) => {
      const stroke = colour(COLOURS[at % COLOURS.length] as string);
      return {
        label: name,
        stroke,
        width: 1.5,
        ...(over.kind === 'name' && bars ? { paths: bars, fill: stroke } : {}),
      };
    });
    const axis = { stroke: colour('--text-2'), grid: { stroke: colour('--line') }, font: `11px ${style.fontFamily}` };
    const nameAt = (_: uPlot, places: number[]): string[] =>
      places.map((place_) =>
        Number.isInteger(place_) ? shownLine(over.names[over.values[place_] as number] ?? '', 16) : '',
      );
    const options: Options = {
      width: Math.max(280, this.clientWidth - 24),
      height: HEIGHT,
      scales: { x: { time: over.kind === 'time' } },
      series: [{ label: over.name }, ...series],
      axes: [{ ...axis, ...(over.kind === 'name' ? { values: nameAt } : {}) }, axis],
    };
    this.#plot = new uPlot(options, data, place);
    probe.remove();
  }
}

define('svc-result-chart', ResultChart);
