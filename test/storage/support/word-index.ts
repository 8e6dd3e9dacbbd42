/** A secondary index for tests: how often each word stands in the literals of current quads. */

import type { Term } from '../../../engine/rdf/terms.js';
import type {
  IndexStore,
  IndexView,
  IndexWriter,
  SecondaryIndex,
} from '../../../engine/storage/indexes/secondary-index.js';
import { seal, unseal } from '../../../engine/storage/lmdb/sealed.js';
import { type Findings, Findings as NewFindings } from '../../../engine/storage/seam/findings.js';
import { CURRENT, type IdColumn, type StorageSnapshot } from '../../../engine/storage/seam/scan.js';

const DATABASE = 'index/words';
const NAME = 'index of words';

export interface WordReader {
  count(word: string): number;
  all(): Map<string, number>;
}

type Counts = Map<string, number>;

export const WORDS: SecondaryIndex<WordReader> = {
  name: NAME,
  databases: [DATABASE],
  committed(transaction) {
    const words: Counts = new Map();
    const snapshot = transaction.snapshot();
    for (const { op, rows, columns } of transaction.changes().rows()) {
      note(words, snapshot.decode(columns.o, rows), op === 'assert' ? 1 : -1);
    }
    snapshot.close();
    return words.size === 0 ? null : (writer) => add(writer, words);
  },
  at: ({ store, transaction }) => ({
    count: (word) => read(store, word, transaction),
    all: () => stored(store, transaction),
  }),
  verify,
  async rebuild({ control, rebuilt, reading, write }) {
    const findings = new NewFindings(control);
    const right = await reading(async (view) => {
      await findings.check(NAME, () => verify(view, findings));
      return counted(view);
    });
    if (findings.problems.length === 0) return;
    write((writer) => {
      for (const key of [...keysOf(writer)]) writer.remove(DATABASE, key);
      add(writer, right);
    });
    rebuilt.push(`the ${NAME}`);
  },
};

function verify(view: IndexView, findings: Findings): void {
  const [is, should] = [stored(view.store, view.transaction), counted(view)];
  for (const word of new Set([...is.keys(), ...should.keys()])) {
    const [said, found] = [is.get(word) ?? 0, should.get(word) ?? 0];
    if (said !== found) findings.add(NAME, `it has ${word} ${said} times, the quads ${found} times`);
  }
}

/** From the quads themselves. */
export function countedIn(snapshot: StorageSnapshot): Counts {
  const words: Counts = new Map();
  const cursor = snapshot.scan({ graphs: { kind: 'all' }, pattern: {}, time: CURRENT, columns: ['o'] });
  for (let batch = cursor.next(); batch !== null; batch = cursor.next()) {
    const chosen = batch.selection ?? Uint32Array.from({ length: batch.rows }, (_, row) => row);
    const column = batch.columns.o as IdColumn;
    const ids = Uint32Array.from(
      [...chosen].flatMap((row) => [column[2 * row] as number, column[2 * row + 1] as number]),
    );
    note(words, snapshot.decode(ids, chosen.length), 1);
  }
  cursor.close();
  return words;
}

function counted(view: IndexView): Counts {
  const snapshot = view.snapshot();
  try {
    return countedIn(snapshot);
  } finally {
    snapshot.close();
  }
}

function note(words: Counts, terms: readonly Term[], sign: 1 | -1): void {
  for (const term of terms) {
    if (term.termType !== 'Literal') continue;
    for (const word of term.value.toLowerCase().match(/[a-z]+/g) ?? []) words.set(word, (words.get(word) ?? 0) + sign);
  }
}

function add(writer: IndexWriter, words: Counts): void {
  for (const [word, more] of words) {
    const count = read(writer, word) + more;
    if (count === 0) writer.remove(DATABASE, word);
    else writer.put(DATABASE, word, seal(Buffer.from(String(count))));
  }
}

function read(store: IndexStore, word: string, transaction?: object): number {
  const value = store.readCopy(DATABASE, word, transaction);
  return value === undefined ? 0 : Number(unseal(value, `the count of ${word}`).toString());
}

function stored(store: IndexStore, transaction?: object): Counts {
  return new Map([...keysOf(store, transaction)].map((word) => [word, read(store, word, transaction)]));
}

function* keysOf(store: IndexStore, transaction?: object): Generator<string> {
  for (let after: string | null = null; ; ) {
    const keys = store.keysAfter(DATABASE, after, 100, transaction) as readonly string[];
    if (keys.length === 0) return;
    yield* keys;
    after = keys[keys.length - 1] as string;
  }
}
