/** Keys of the explorer. Those of `onGraph` act only while the graph itself has the focus: elsewhere they scroll or press. */

export type ExplorerAction =
  | { readonly kind: 'expand' | 'hide' | 'path' | 'compare' | 'leave' }
  | { readonly kind: 'pause' | 'fit'; readonly onGraph: true }
  | { readonly kind: 'zoom'; readonly factor: number; readonly onGraph: true }
  /** To the neighbour in a direction of the screen. */
  | { readonly kind: 'go'; readonly x: -1 | 0 | 1; readonly y: -1 | 0 | 1; readonly onGraph: true };

const ZOOM = 1.4;

const ACTIONS: Readonly<Record<string, ExplorerAction>> = {
  e: { kind: 'expand' },
  h: { kind: 'hide' },
  p: { kind: 'path' },
  d: { kind: 'compare' },
  escape: { kind: 'leave' },
  ' ': { kind: 'pause', onGraph: true },
  '0': { kind: 'fit', onGraph: true },
  '+': { kind: 'zoom', factor: ZOOM, onGraph: true },
  '=': { kind: 'zoom', factor: ZOOM, onGraph: true },
  '-': { kind: 'zoom', factor: 1 / ZOOM, onGraph: true },
  arrowleft: { kind: 'go', x: -1, y: 0, onGraph: true },
  arrowright: { kind: 'go', x: 1, y: 0, onGraph: true },
  arrowup: { kind: 'go', x: 0, y: -1, onGraph: true },
  arrowdown: { kind: 'go', x: 0, y: 1, onGraph: true },
};

export interface Pressed {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
}

/** Null where the key is none of the explorer. */
export function explorerKey({ key, ctrlKey, metaKey, altKey }: Pressed, isOnGraph: boolean): ExplorerAction | null {
  if (ctrlKey || metaKey || altKey) return null;
  const action = ACTIONS[key.toLowerCase()] ?? null;
  return action !== null && 'onGraph' in action && !isOnGraph ? null : action;
}
