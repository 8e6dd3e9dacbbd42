/** The graph as a list: the same nodes, the best connected first, for keyboards, screen readers and where nothing can be drawn. */
import { html, nothing, repeat, type TemplateResult } from '../parts/lit.js';
import { count, shownLine } from '../parts/text.js';
import { ADDED, type GraphModel, localName, REMOVED } from './model/graph-model.js';
import type { Visible } from './model/visible.js';

export const NODES_PER_LIST_PAGE = 100;

export interface NodeList {
  readonly model: GraphModel;
  readonly visible: Visible;
  /** Counted from 0. */
  readonly page: number;
  readonly picked: ReadonlySet<number>;
  pick(place: number, isAlso: boolean): void;
  turn(page: number): void;
}

/** Places of nodes by degree, then by IRI. */
export function listedNodes(model: GraphModel, { nodes }: Visible): number[] {
  const places = [...nodes];
  return places.sort((a, b) => model.degree[b]! - model.degree[a]! || (model.iris[a]! < model.iris[b]! ? -1 : 1));
}

export function nodeList({ model, visible, page, picked, pick, turn }: NodeList): TemplateResult {
  const order = listedNodes(model, visible);
  const first = page * NODES_PER_LIST_PAGE;
  const shown = order.slice(first, first + NODES_PER_LIST_PAGE);
  const last = first + shown.length;
  return html`<div class="list" role="region" aria-label="Nodes of the graph" tabindex="0">
    <p class="soft" role="status">${shown.length === 0 ? 'No nodes' : `Nodes ${count(first + 1)} to ${count(last)} of ${count(order.length)}, the best connected first`}</p>
    <ul>
      ${repeat(
        shown,
        (place) => model.iris[place],
        (place) => row(model, place, picked, pick),
      )}
    </ul>
    <div class="buttons">
      ${first === 0 ? nothing : html`<button class="button small" @click=${() => turn(page - 1)}>Before</button>`}
      ${last >= order.length ? nothing : html`<button class="button small" @click=${() => turn(page + 1)}>Next</button>`}
    </div>
  </div>`;
}

function row(model: GraphModel, place: number, picked: ReadonlySet<number>, pick: NodeList['pick']): TemplateResult {
  const type = model.types[model.typeOf[place]!];
  const change = model.change[place] === ADDED ? '+ added' : model.change[place] === REMOVED ? '− removed' : '';
  return html`<li class="row"><button aria-pressed=${picked.has(place)} @click=${(event: MouseEvent) => pick(place, event.shiftKey || event.ctrlKey || event.metaKey)}>
    <bdi class="ellipsis">${shownLine(model.nameOf(place), 120)}</bdi>
    <span class="faint ellipsis">${type === undefined ? '' : shownLine(localName(type), 60)}</span>
    ${change === '' ? nothing : html`<b>${change}</b>`}
    <span class="number">${count(model.degree[place]!)} edges</span></button></li>`;
}
