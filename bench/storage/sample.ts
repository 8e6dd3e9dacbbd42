/** Random rows of a store, by seed: the keys that lookups are made with. */
import { ROOT_ID, type TermId } from '../../engine/storage/ids/layout.js';
import {
  CURRENT,
  type IdColumn,
  type Order,
  type ScanRequest,
  type StorageSnapshot,
} from '../../engine/storage/seam/scan.js';
import { Random } from '../data/random.js';

/** Current triples of the ROOT graph, their ids. */
export function rootRequest(order?: Order): ScanRequest {
  return { graphs: { kind: 'one', graph: ROOT_ID }, pattern: {}, order, time: CURRENT, columns: ['s', 'p', 'o'] };
}

export interface Row {
  readonly s: TermId;
  readonly p: TermId;
  readonly o: TermId;
}

export function idAt(column: IdColumn, row: number): TermId {
  return (BigInt(column[2 * row + 1] as number) << 32n) | BigInt(column[2 * row] as number);
}

/** `count` different rows in random sequence; all rows when there are fewer. */
export function sampleRows(snapshot: StorageSnapshot, rows: number, count: number, seed: number): Row[] {
  const random = new Random(seed);
  const wanted = new Set<number>();
  while (wanted.size < Math.min(count, rows)) wanted.add(random.below(rows));
  const positions = Float64Array.from(wanted).sort();
  const sample: Row[] = [];
  const cursor = snapshot.scan(rootRequest('SPOG'));
  let before = 0;
  let next = 0;
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const { selection, columns } = batch;
    const size = selection === null ? batch.rows : selection.length;
    const s = columns.s as IdColumn;
    const p = columns.p as IdColumn;
    const o = columns.o as IdColumn;
    for (; next < positions.length && (positions[next] as number) < before + size; next++) {
      const position = (positions[next] as number) - before;
      const row = selection === null ? position : (selection[position] as number);
      sample.push({ s: idAt(s, row), p: idAt(p, row), o: idAt(o, row) });
    }
    before += size;
  }
  cursor.close();
  return shuffle(sample, random);
}

export function shuffle<Item>(items: Item[], random: Random): Item[] {
  for (let at = items.length - 1; at > 0; at--) {
    const other = random.below(at + 1);
    const item = items[at] as Item;
    items[at] = items[other] as Item;
    items[other] = item;
  }
  return items;
}

/** Ids as a column. */
export function toColumn(ids: readonly TermId[]): IdColumn {
  const column = new Uint32Array(2 * ids.length);
  ids.forEach((id, at) => {
    column[2 * at] = Number(id & 0xffffffffn);
    column[2 * at + 1] = Number(id >> 32n);
  });
  return column;
}
