/**
 * Finds the node under a point. The box around all nodes is cut into square cells, some two nodes each; nodes are sorted
 * by their cell (a counting sort), so that a cell is a stretch of one array. Asking looks at the cells that a circle
 * touches and no further.
 */

const NODES_PER_CELL = 2;
const CELLS_MAX = 1 << 18;

export class Grid {
  readonly #x: ArrayLike<number>;
  readonly #y: ArrayLike<number>;
  readonly #left: number;
  readonly #top: number;
  readonly #cell: number;
  readonly #columns: number;
  readonly #rows: number;
  readonly #start: Uint32Array;
  readonly #sorted: Uint32Array;
  /** Nodes whose distance was computed since the grid was made. */
  examined = 0;

  /** `x`, `y`: by turn of a node. The arrays are read, not copied. Nodes without finite coordinates are never found. */
  constructor(x: ArrayLike<number>, y: ArrayLike<number>, count: number) {
    this.#x = x;
    this.#y = y;
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    let finite = 0;
    for (let node = 0; node < count; node++) {
      const [atX, atY] = [x[node]!, y[node]!];
      if (!Number.isFinite(atX) || !Number.isFinite(atY)) continue;
      finite++;
      left = Math.min(left, atX);
      right = Math.max(right, atX);
      top = Math.min(top, atY);
      bottom = Math.max(bottom, atY);
    }
    const width = finite === 0 ? 0 : right - left;
    const height = finite === 0 ? 0 : bottom - top;
    const cells = Math.min(CELLS_MAX, Math.max(1, finite / NODES_PER_CELL));
    // Along a line the area is 0: then its length decides.
    this.#cell = Math.max(Math.sqrt((width * height) / cells), Math.max(width, height) / cells, 1e-9);
    this.#left = finite === 0 ? 0 : left;
    this.#top = finite === 0 ? 0 : top;
    this.#columns = Math.floor(width / this.#cell) + 1;
    this.#rows = Math.floor(height / this.#cell) + 1;
    this.#start = new Uint32Array(this.#columns * this.#rows + 1);
    this.#sorted = new Uint32Array(finite);
    this.#sort(count);
  }

  /**
   * The node nearest to a point, counted from the edge of its circle: at most `reach` away. Of several at the same
   * distance the one drawn last. -1 when there is none.
   * `radiusOf`: radius of a node in world units, at most `radiusMax`.
   */
  nearest(x: number, y: number, reach: number, radiusOf: (node: number) => number, radiusMax: number): number {
    const far = reach + radiusMax;
    let best = -1;
    let bestDistance = reach;
    this.#around(x - far, y - far, x + far, y + far, (node) => {
      const distance = Math.hypot(this.#x[node]! - x, this.#y[node]! - y) - radiusOf(node);
      if (distance < bestDistance || (distance === bestDistance && node > best)) {
        best = node;
        bestDistance = distance;
      }
    });
    return best;
  }

  #around(left: number, top: number, right: number, bottom: number, visit: (node: number) => void): void {
    const firstColumn = Math.max(0, Math.floor((left - this.#left) / this.#cell));
    const lastColumn = Math.min(this.#columns - 1, Math.floor((right - this.#left) / this.#cell));
    const firstRow = Math.max(0, Math.floor((top - this.#top) / this.#cell));
    const lastRow = Math.min(this.#rows - 1, Math.floor((bottom - this.#top) / this.#cell));
    for (let row = firstRow; row <= lastRow; row++) {
      const from = this.#start[row * this.#columns + firstColumn] ?? 0;
      const to = lastColumn < firstColumn ? from : this.#start[row * this.#columns + lastColumn + 1]!;
      for (let at = from; at < to; at++) {
        this.examined++;
        visit(this.#sorted[at]!);
      }
    }
  }

  #cellOf(node: number): number {
    const column = Math.floor((this.#x[node]! - this.#left) / this.#cell);
    const row = Math.floor((this.#y[node]! - this.#top) / this.#cell);
    return row * this.#columns + column;
  }

  #sort(count: number): void {
    const isThere = (node: number): boolean => Number.isFinite(this.#x[node]!) && Number.isFinite(this.#y[node]!);
    for (let node = 0; node < count; node++) if (isThere(node)) this.#start[this.#cellOf(node) + 1]!++;
    for (let cell = 1; cell < this.#start.length; cell++) this.#start[cell]! += this.#start[cell - 1]!;
    const filled = this.#start.slice();
    for (let node = 0; node < count; node++) if (isThere(node)) this.#sorted[filled[this.#cellOf(node)]!++] = node;
  }
}
