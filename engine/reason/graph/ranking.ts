/** The nodes with the greatest values, without sorting all of them. */

/** Nodes by value descending, ties by number, the entries `[from, to)` of that list. */
export function rankedNodes(values: ArrayLike<number>, from: number, to: number): number[] {
  const wanted = Math.min(to, values.length);
  if (from >= wanted) return [];
  const heap = new Uint32Array(wanted);
  let size = 0;
  for (let node = 0; node < values.length; node++) {
    if (size < wanted) {
      heap[size] = node;
      lift(heap, values, size++);
    } else if (isBefore(values, node, heap[0] as number)) {
      heap[0] = node;
      sink(heap, values, size);
    }
  }
  const nodes = Array.from(heap.subarray(0, size)).sort((a, b) => (isBefore(values, a, b) ? -1 : 1));
  return nodes.slice(from);
}

function isBefore(values: ArrayLike<number>, a: number, b: number): boolean {
  const difference = (values[a] as number) - (values[b] as number);
  return difference === 0 ? a < b : difference > 0;
}

/** The last of those that are kept is at the top. */
function lift(heap: Uint32Array, values: ArrayLike<number>, place: number): void {
  let at = place;
  const node = heap[at] as number;
  while (at > 0) {
    const above = (at - 1) >>> 1;
    if (!isBefore(values, heap[above] as number, node)) break;
    heap[at] = heap[above] as number;
    at = above;
  }
  heap[at] = node;
}

function sink(heap: Uint32Array, values: ArrayLike<number>, size: number): void {
  let at = 0;
  const node = heap[0] as number;
  for (;;) {
    let below = 2 * at + 1;
    if (below >= size) break;
    if (below + 1 < size && isBefore(values, heap[below] as number, heap[below + 1] as number)) below++;
    if (!isBefore(values, node, heap[below] as number)) break;
    heap[at] = heap[below] as number;
    at = below;
  }
  heap[at] = node;
}
