/** What goes between the page and the worker of the layout. `graph` counts graphs; what belongs to an older one is dropped. */
import type { LayoutGraph } from './layout-graph.js';

export type ToLayout =
  | ({ readonly kind: 'graph'; readonly graph: number } & LayoutGraph)
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'hold'; readonly node: number; readonly x: number; readonly y: number }
  | { readonly kind: 'release'; readonly node: number }
  /** The page has drawn the last positions and wants the next; the array goes back to be filled again. */
  | { readonly kind: 'next'; readonly graph: number; readonly positions: Float32Array };

export type LayoutState = 'running' | 'paused' | 'settled';

export type FromLayout =
  | { readonly kind: 'communities'; readonly graph: number; readonly communities: Int32Array }
  | {
      readonly kind: 'positions';
      readonly graph: number;
      readonly positions: Float32Array;
      readonly iteration: number;
      readonly iterationsMax: number;
      readonly state: LayoutState;
    };
