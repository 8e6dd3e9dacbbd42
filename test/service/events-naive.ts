/** Derives the events of a store from all of its rows, plainly: what the log must say. */

import { TYPES_OF_KIND } from '../../engine/service/events/kinds.js';
import type { Store, Term } from '../../interfaces/library/index.js';
import { short } from './events-support.js';

interface Row {
  readonly s: string;
  readonly p: string;
  readonly o: string;
  readonly g: string;
  readonly isNode: boolean;
  readonly from: number;
  readonly to: number;
}

const TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
const OWN = /^urn:svc:graph:(registry|meta)$/;
export const DERIVED: readonly string[] = TYPES_OF_KIND.flat();

function rowsOf(store: Store): Row[] {
  const { storage } = store.snapshot();
  const columns = ['s', 'p', 'o', 'g', 'txFrom', 'txTo'] as const;
  const cursor = storage.scan({ graphs: { kind: 'all' }, pattern: {}, time: { kind: 'all' }, columns });
  const rows: Row[] = [];
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const { rows: count, selection } = batch;
    const copies = columns.map((name) => (batch.columns[name] as Uint32Array).slice(0, 2 * count));
    const texts = copies.slice(0, 4).map((ids) => storage.decode(ids, count)) as Term[][];
    const text = (column: number, row: number): string => {
      const term = texts[column]?.[row] as Term;
      return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
    };
    for (let at = 0; at < (selection?.length ?? count); at++) {
      const row = selection === null ? at : (selection[at] as number);
      const [from, to] = [4, 5].map((column) => (copies[column] as Uint32Array)[2 * row] as number);
      const isNode = /^(NamedNode|BlankNode)$/.test(texts[2]?.[row]?.termType as string);
      rows.push({
        s: text(0, row),
        p: text(1, row),
        o: text(2, row),
        g: text(3, row),
        isNode,
        from: from ?? 0,
        to: to ?? 0,
      });
    }
  }
  cursor.close();
  return rows.filter(({ g }) => !OWN.test(g));
}

/** Per transaction the derived events as lines without their offsets, sorted within their kind. */
export function naiveEvents(store: Store): Map<number, string[][]> {
  const rows = rowsOf(store);
  const first = { p: new Map<string, number>(), type: new Map<string, number>() };
  const seen = { s: new Map<string, number>(), o: new Map<string, number>() };
  const note = (map: Map<string, number>, key: string, tx: number): unknown =>
    map.set(key, Math.min(map.get(key) ?? tx, tx));
  for (const { s, p, o, g, isNode, from } of rows) {
    note(p === TYPE ? first.type : first.p, p === TYPE ? o : p, from);
    note(seen.s, `${g} ${s}`, from);
    if (isNode) note(seen.o, `${g} ${o}`, from);
  }
  const events = new Map<number, Set<string>[]>();
  const add = (tx: number, kind: number, line: string): void => {
    const kinds = events.get(tx) ?? TYPES_OF_KIND.map(() => new Set<string>());
    events.set(tx, kinds);
    kinds[kind]?.add(short(line));
  };
  for (const { s, p, o, g, isNode, from, to } of rows) {
    for (const tx of [from, to]) {
      if (tx === 0xffffffff) continue;
      const old = (node: string): string =>
        Math.min(seen.s.get(`${g} ${node}`) ?? tx, seen.o.get(`${g} ${node}`) ?? tx) < tx ? 'old' : 'new';
      add(tx, 2, `entity.${(seen.s.get(`${g} ${s}`) ?? tx) < tx ? 'updated' : 'added'} ${s} ${g}`);
      const isAsserted = tx === from;
      if (isNode && p !== TYPE) {
        add(
          tx,
          isAsserted ? 3 : 4,
          `edge.${isAsserted ? 'added' : 'retracted'} ${s} ${p} ${o} ${g} ${old(s)} ${old(o)}`,
        );
      }
      if (isAsserted && p === TYPE && isNode && first.type.get(o) === tx) add(tx, 0, `type.new ${o}`);
      if (isAsserted && p !== TYPE && first.p.get(p) === tx) add(tx, 1, `predicate.new ${p}`);
    }
  }
  return new Map([...events].map(([tx, kinds]) => [tx, kinds.map((lines) => [...lines].sort())]));
}
