/**
 * A secondary index for tests whose answers are triples: those whose object, a plain string, says a word, now or as of a
 * transaction. It keeps terms, not ids. A triple of two graphs is kept twice, and answers once.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { type Term, terms } from '../../../engine/rdf/terms.js';
import type { IndexStore, IndexWriter, SecondaryIndex } from '../../../engine/storage/indexes/secondary-index.js';
import type { StorageSnapshot, TimeSlice } from '../../../engine/storage/seam/scan.js';
import { columnOf } from '../scan-support.js';

const DATABASE = 'index/triples';

interface Posting {
  readonly s: string;
  readonly p: string;
  readonly o: string;
  readonly from: number;
  /** Null = it is asserted still. */
  readonly to: number | null;
}

interface Noted extends Pick<Posting, 's' | 'p' | 'o'> {
  readonly word: string;
  readonly op: 'assert' | 'retract';
}

export function wordsOf(term: Term): readonly string[] {
  return term.termType === 'Literal' ? [...new Set(term.value.match(/[a-z]+/g) ?? [])] : [];
}

export const TRIPLES: SecondaryIndex<null> = {
  name: 'triples by word',
  databases: [DATABASE],
  committed(transaction) {
    const noted: Noted[] = [];
    const snapshot = transaction.snapshot();
    for (const { op, rows, columns } of transaction.changes().rows()) {
      const [s, p] = [snapshot.decode(columns.s, rows), snapshot.decode(columns.p, rows)];
      for (const [row, object] of snapshot.decode(columns.o, rows).entries()) {
        const triple = { s: (s[row] as Term).value, p: (p[row] as Term).value, o: object.value };
        for (const word of wordsOf(object)) noted.push({ ...triple, word, op });
      }
    }
    snapshot.close();
    return noted.length === 0 ? null : (writer) => note(writer, noted, transaction.tx);
  },
  at: () => null,
  triples({ store, snapshot, transaction }, question, time) {
    if (typeof question !== 'string') throw new SvcError('invalid_request', 'an index of words is asked for a word');
    const found = read(store, question, transaction).filter((posting) => holds(posting, time));
    const postings = [...new Map(found.map((one) => [JSON.stringify([one.s, one.p, one.o]), one])).values()];
    const view = snapshot();
    try {
      const column = (of: (posting: Posting) => Term) => columnOf(postings.map((one) => idOf(view, of(one))));
      return {
        rows: postings.length,
        s: column(({ s }) => terms.namedNode(s)),
        p: column(({ p }) => terms.namedNode(p)),
        o: column(({ o }) => terms.literal(o)),
      };
    } finally {
      view.close();
    }
  },
  verify: () => undefined,
  rebuild: () => undefined,
};

function holds({ from, to }: Posting, time: TimeSlice): boolean {
  if (time.kind === 'current') return to === null;
  if (time.kind === 'asOf') return from <= time.tx && (to === null || to > time.tx);
  throw new SvcError('unsupported', `no answer for ${time.kind}`);
}

function idOf(view: StorageSnapshot, term: Term): bigint {
  const id = view.encode(term);
  if (id === null) throw new Error(`the store does not know ${term.value}`);
  return id;
}

function read(store: IndexStore, word: string, transaction?: object): readonly Posting[] {
  return JSON.parse(store.readCopy(DATABASE, word, transaction)?.toString() ?? '[]') as Posting[];
}

function note(writer: IndexWriter, noted: readonly Noted[], tx: number): void {
  for (const { word, op, s, p, o } of noted) {
    const postings = [...read(writer, word)];
    if (op === 'assert') postings.push({ s, p, o, from: tx, to: null });
    else {
      const at = postings.findIndex((one) => one.to === null && one.s === s && one.p === p && one.o === o);
      postings[at] = { ...(postings[at] as Posting), to: tx };
    }
    writer.put(DATABASE, word, Buffer.from(JSON.stringify(postings)));
  }
}
