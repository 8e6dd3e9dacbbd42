/** The views of the page, in the order of the top bar. A view that does not stand here is not there. */

import { offerElement } from '../parts/elements.js';

export interface ViewDefinition {
  /** In the address. */
  readonly name: string;
  readonly title: string;
  /** Opens it from anywhere on the page. */
  readonly key: string;
  readonly tag: string;
  /** Loads its chunk, which defines the element. */
  readonly load: () => Promise<unknown>;
}

export const VIEWS: readonly ViewDefinition[] = [
  {
    name: 'explore',
    title: 'Explorer',
    key: '1',
    tag: 'svc-graph',
    load: () => import('../explorer/explorer.js'),
  },
  {
    name: 'workbench',
    title: 'Workbench',
    key: '2',
    tag: 'svc-sparql',
    load: () => import('../workbench/workbench.js'),
  },
  {
    name: 'timeline',
    title: 'Timeline',
    key: '3',
    tag: 'svc-timeline',
    load: () => import('../timeline/timeline.js'),
  },
  {
    name: 'schema',
    title: 'Schema',
    key: '4',
    tag: 'svc-schema',
    load: () => import('../schema/schema.js'),
  },
  {
    name: 'entity',
    title: 'Entity',
    key: '5',
    tag: 'svc-entity',
    load: () => import('../entity/entity.js'),
  },
  {
    name: 'writes',
    title: 'Write',
    key: '6',
    tag: 'svc-writes',
    load: () => import('../writes/writes.js'),
  },
];

/** What an address opens that names no view. */
export const HOME = 'workbench';

export function viewOf(name: string): ViewDefinition | undefined {
  return VIEWS.find((view) => view.name === name);
}

for (const { tag, load } of VIEWS) offerElement(tag, load);
