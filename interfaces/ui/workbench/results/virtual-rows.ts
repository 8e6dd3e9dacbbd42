/**
 * Which rows of a long list stand at a place of its scroll bar. Browsers draw no element that is higher than some ten million pixels,
 * so a longer list is scrolled by proportion: its first and last rows are where the bar ends.
 */

/** Below the least of what browsers take (Firefox: 17.8 million). */
export const HEIGHT_MAX = 8_000_000;

export interface Placed {
  /** The first row that is drawn. */
  readonly first: number;
  /** Where it stands in the list, in pixels. */
  readonly top: number;
  /** So many are drawn. */
  readonly count: number;
}

export function listHeight(rows: number, rowHeight: number): number {
  return Math.min(rows * rowHeight, HEIGHT_MAX);
}

/** `viewHeight`: of the window onto the list. A row more than fits is drawn. */
export function rowsAt(scrollTop: number, viewHeight: number, rows: number, rowHeight: number): Placed {
  const height = listHeight(rows, rowHeight);
  const fitting = Math.ceil(viewHeight / rowHeight) + 1;
  const way = Math.max(1, height - viewHeight);
  const top = Math.min(Math.max(0, scrollTop), way);
  const exact = height === rows * rowHeight ? top / rowHeight : (top / way) * (rows - viewHeight / rowHeight);
  const first = Math.max(0, Math.min(Math.floor(exact), rows - 1));
  return { first, top: top - (exact - first) * rowHeight, count: Math.max(0, Math.min(fitting, rows - first)) };
}

/** Where the bar has to stand for a row to be the first one. */
export function scrollTopOf(row: number, viewHeight: number, rows: number, rowHeight: number): number {
  const height = listHeight(rows, rowHeight);
  if (height === rows * rowHeight) return row * rowHeight;
  return (row / Math.max(1, rows - viewHeight / rowHeight)) * (height - viewHeight);
}
