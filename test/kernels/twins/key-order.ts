/** Twin of `as/key-order.ts`. */

function compareKeys(a: readonly bigint[], b: readonly bigint[]): number {
  for (let column = 0; column < a.length; column++) {
    const [x, y] = [a[column] as bigint, b[column] as bigint];
    if (x !== y) return x < y ? -1 : 1;
  }
  return 0;
}

export interface OrderedKeys {
  readonly keys: readonly (readonly bigint[])[];
  readonly order: readonly number[];
  readonly starts: readonly number[];
}

export function orderKeys(rows: readonly (readonly bigint[])[]): OrderedKeys {
  const rowAt = (row: number) => rows[row] as readonly bigint[];
  const order = rows.map((_, row) => row).sort((a, b) => compareKeys(rowAt(a), rowAt(b)) || a - b);
  const starts: number[] = [];
  order.forEach((row, at) => {
    if (at === 0 || compareKeys(rowAt(order[at - 1] as number), rowAt(row)) !== 0) starts.push(at);
  });
  return { keys: starts.map((at) => rowAt(order[at] as number)), order, starts: [...starts, rows.length] };
}
