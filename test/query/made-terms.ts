/** A store whose terms are of every kind and hard to write, over more than one batch and in several parts of the dictionary. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Quad, Term } from '../../engine/rdf/terms.js';
import { terms, XSD } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import type { StorageSnapshot } from '../../engine/storage/seam/scan.js';

const EX = 'http://example.org/';

const WORDS = ['zebra', 'Zebra', 'ZEBRA', 'plain', 'a"quote', 'back\\slash', 'line\nbreak', 'tab\t', 'comma,', '<&>'];
const FOREIGN = ['zébra', 'Straße', '\u212aelvin', 'ſ', '👪 zebra', 'ﾊﾝｶｸ', '\u007f', '', ' ', 'zebrazebra zebr'];
const LANGUAGES = ['en', 'en-GB', 'de', 'x-zebra', 'ja'];
const TYPED: readonly (readonly [string, string])[] = [
  ['1', 'integer'],
  ['007', 'integer'],
  ['-12.50', 'decimal'],
  ['4.', 'decimal'],
  ['1e6', 'double'],
  ['1.5', 'double'],
  ['INF', 'float'],
  ['true', 'boolean'],
  ['1', 'boolean'],
  ['2020-02-29', 'date'],
  ['2020-02-29T10:00:00Z', 'dateTime'],
  ['2020-02-29T10:00:00.125+02:00', 'dateTime'],
  ['zebra crossing', 'token'],
];

/** The n-th object; many come again and again. */
function objectOf(n: number): Term {
  const word = `${[...WORDS, ...FOREIGN][n % 20]}${n % 7 === 0 ? ` number ${n}` : ''}`;
  switch (n % 9) {
    case 0:
      return terms.namedNode(`${EX}zebra/${n % 500}`);
    case 1:
      return terms.blankNode(`b${n % 50}`);
    case 2: {
      const [lexical, type] = TYPED[n % TYPED.length] as readonly [string, string];
      return terms.literal(lexical, terms.namedNode(XSD + type));
    }
    case 3:
      return terms.literal(word, LANGUAGES[n % LANGUAGES.length] as string);
    case 4:
      return terms.literal(word, { language: 'ar', direction: n % 2 === 0 ? 'rtl' : 'ltr' });
    case 5:
      return terms.literal(`${word} ${'long '.repeat(n % 400)}`);
    case 6:
      return terms.quad(terms.namedNode(`${EX}s`), terms.namedNode(`${EX}p`), terms.literal(word));
    case 7:
      return terms.literal(word, terms.namedNode(`${EX}type/${n % 3}`));
    default:
      return terms.literal(word);
  }
}

export function madeQuads(from: number, to: number): Quad[] {
  return Array.from({ length: to - from }, (_, at) => {
    const object = objectOf(from + at) as Quad['object'];
    return terms.quad(terms.namedNode(`${EX}s${(from + at) % 3000}`), terms.namedNode(`${EX}p${at % 2}`), object);
  });
}

/** Runs `use` over both storages: two loads, the second of which is still beside the dictionary's segments. */
export async function withMadeStores(use: (snapshot: StorageSnapshot, name: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-made-'));
  try {
    for (const name of ['memory', 'file']) {
      const engine = name === 'memory' ? openMemoryEngine() : await openLmdbEngine(join(folder, 'store.db'));
      for (const quads of [madeQuads(0, 4200), madeQuads(4200, 4300)]) {
        await (await engine.stageLoad([{ kind: 'quads', quads, name: 'data' }], {}, {})).commit().durable;
      }
      const snapshot = engine.snapshot();
      try {
        await use(snapshot, name);
      } finally {
        snapshot.close();
        await engine.close();
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
