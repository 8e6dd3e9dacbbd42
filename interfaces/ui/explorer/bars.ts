/** What lies over the graph: tools above it, figures and what happened last below it. */
import { html, nothing, type TemplateResult } from '../parts/lit.js';
import { count } from '../parts/text.js';
import type { Server } from '../wire/server.js';
import type { Comparison } from './compare-control.js';
import type { ColourBy } from './draw/scene.js';
import type { LayoutState } from './layout/messages.js';

export interface Bars {
  readonly isListed: boolean;
  /** Why nothing can be drawn; null when it can. */
  readonly unable: string | null;
  readonly colourBy: ColourBy;
  readonly isPathChosen: boolean;
  readonly areFiltersOpen: boolean;
  readonly layout: LayoutState;
  readonly server: Server;
  /** What is compared with, as the address has it; undefined = nothing. */
  readonly since: string | undefined;
  /** The transaction that is looked at. */
  readonly tx: number | null;
  readonly figures: string;
  readonly hidden: number;
  /** Nodes with edges that are not here. */
  readonly open: number;
  /** What is being asked, or ''. */
  readonly busy: string;
  readonly note: string;
  showList(isListed: boolean): void;
  colour(by: ColourBy): void;
  toggleFilters(): void;
  choosePath(): void;
  compare(comparison: Comparison): void;
  togglePause(): void;
  unhide(): void;
  expandTogether(): void;
  zoom(factor: number): void;
  fit(): void;
}

const ZOOM = 1.4;
const pressed = (is: boolean): 'true' | 'false' => (is ? 'true' : 'false');

export function tools(bars: Bars): TemplateResult {
  const { isListed, unable, colourBy } = bars;
  const pauses = bars.layout === 'running' ? 'Pause layout' : 'Run layout';
  return html`<div class="tools">
    <button class="button small narrow-only" aria-expanded=${pressed(bars.areFiltersOpen)} @click=${bars.toggleFilters}>Filters</button>
    <div class="segments" role="group" aria-label="Shown as">
      <button class="button small" aria-pressed=${pressed(!isListed)} ?disabled=${unable !== null} @click=${() => bars.showList(false)}>Graph</button>
      <button class="button small" aria-pressed=${pressed(isListed)} @click=${() => bars.showList(true)}>List</button>
    </div>
    <div class="segments" role="group" aria-label="Colours">
      <button class="button small" aria-pressed=${pressed(colourBy === 'community')} @click=${() => bars.colour('community')}>Communities</button>
      <button class="button small" aria-pressed=${pressed(colourBy === 'type')} @click=${() => bars.colour('type')}>Types</button>
    </div>
    <span class="grow"></span>
    <svc-compare .server=${bars.server} .since=${bars.since} .tx=${bars.tx} @choose=${({ detail }: CustomEvent<Comparison>) => bars.compare(detail)}></svc-compare>
    <button class="button small" aria-pressed=${pressed(bars.isPathChosen)} @click=${bars.choosePath}>Path <kbd>P</kbd></button>
    <button class="button small" @click=${bars.togglePause}>${pauses} <kbd>Space</kbd></button>
  </div>`;
}

export function below(bars: Bars): TemplateResult {
  const { busy, note, unable, hidden, open } = bars;
  return html`<div class="below">
    <div class="card" role="status">
      ${bars.since !== undefined ? html`<span><i class="added-mark"></i> + added</span><span><i class="removed-mark"></i> − removed</span>` : nothing}
      <span>${bars.figures}</span>
      ${hidden === 0 ? nothing : html`<button class="button plain small" @click=${bars.unhide}>Show ${count(hidden)} hidden</button>`}
      ${open === 0 ? nothing : html`<button class="button plain small" ?disabled=${busy !== ''} @click=${bars.expandTogether}>Show more</button>`}
      ${busy === '' ? nothing : html`<b>${busy}</b>`}
      ${note === '' ? nothing : html`<span>${note}</span>`}
      ${unable === null ? nothing : html`<span>${unable}</span>`}
      <span class="faint">layout ${bars.layout}</span>
    </div>
    ${bars.isListed ? nothing : zooms(bars)}
  </div>`;
}

function zooms(bars: Bars): TemplateResult {
  return html`<div class="zooms">
    <button class="button" aria-label="Zoom in" @click=${() => bars.zoom(ZOOM)}>+</button>
    <button class="button" aria-label="Zoom out" @click=${() => bars.zoom(1 / ZOOM)}>−</button>
    <button class="button" aria-label="Show all" @click=${bars.fit}>⤢</button>
  </div>`;
}
