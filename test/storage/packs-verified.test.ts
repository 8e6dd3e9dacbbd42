/** A pack that was just written is compared with the graph part by part: whatever differs is found, wherever it is. */

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { terms } from '../../engine/rdf/terms.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { type ContentBatch, type ContentSource, SnapshotContent } from '../../engine/storage/packs/content-source.js';
import { assertSameContent } from '../../engine/storage/packs/same-content.js';
import type { StorageEngine } from '../../engine/storage/seam/engine.js';
import type { PackContent, PackTransaction } from '../../engine/storage/seam/pack.js';
import { COLUMNS, type Column, type StoredTerms } from '../../engine/storage/seam/scan.js';
import { node, quad, sampleQuads } from './scan-support.js';
import { month, write } from './stage-support.js';
import { DESCRIPTION, iriOf } from './support/packing.js';
import { StoreFolder } from './support/store-folder.js';

const folder = new StoreFolder();
const ENGINES: readonly (readonly [string, () => Promise<StorageEngine>])[] = [
  ['a file', () => openLmdbEngine(folder.fresh())],
  ['memory', async () => openMemoryEngine()],
];
const GRAPH = iriOf('g1');
const CHANGED: readonly Column[] = ['s', 'p', 'o', 'txFrom', 'txTo', 'validFrom', 'validTo'];

/** Open rows and closed ones, and a triple that came and went three times. */
async function fill(engine: StorageEngine): Promise<void> {
  const inGraph = sampleQuads(7, 400).map((it) => quad(it.subject, it.predicate, it.object, node('g1')));
  const again = quad(node('again'), node('p'), terms.literal('Zürich', 'de-CH'), node('g1'));
  await write(engine, { assert: [...inGraph, again], timestamp: month(1), actor: 'ann', source: 'load' });
  await write(engine, { retract: [...inGraph.slice(0, 90), again], timestamp: month(2) });
  await write(engine, { assert: [again], timestamp: month(3) });
  await write(engine, { retract: [again], timestamp: month(4) });
  await write(engine, { assert: [again], timestamp: month(5), source: 'last' });
}

type Row = Record<Column, readonly [number, number]>;

/** What a source gives, which can be changed, in batches of some rows. */
class Copied implements ContentSource {
  readonly rows: Row[] = [];
  /** Rows of a batch. */
  size = 64;
  /** Rows stand between others that are not selected. */
  spread = false;
  changeTerm: ((bytes: Buffer) => void) | null = null;
  changeTransaction: ((one: PackTransaction) => PackTransaction) | null = null;

  constructor(private readonly source: ContentSource) {
    for (const { rows, columns, selection } of source.batches('SPOG')) {
      for (const row of selection ?? Array.from({ length: rows }, (_, i) => i)) {
        const values = COLUMNS.map((name) => [name, [columns[name][2 * row], columns[name][2 * row + 1]]]);
        this.rows.push(Object.fromEntries(values) as Row);
      }
    }
  }

  *batches(): Generator<ContentBatch> {
    const step = this.spread ? 2 : 1;
    for (let from = 0; from < this.rows.length; from += this.size) {
      const some = this.rows.slice(from, from + this.size);
      const columns = Object.fromEntries(
        COLUMNS.map((name) => {
          const halves = new Uint32Array(2 * step * some.length);
          for (const [i, row] of some.entries()) halves.set(row[name], 2 * step * i);
          return [name, halves];
        }),
      ) as ContentBatch['columns'];
      const selection = this.spread ? Uint32Array.from(some, (_, i) => step * i) : null;
      yield { rows: step * some.length, columns, selection };
    }
  }

  stored(ids: Uint32Array, count: number, take: (terms: StoredTerms) => void): void {
    this.source.stored(ids, count, (found) => {
      const bytes = Buffer.from(found.bytes);
      if (this.changeTerm !== null) this.changeTerm(bytes.subarray(found.starts[0], found.ends[0]));
      take({ count: found.count, bytes, places: found.places, starts: found.starts, ends: found.ends });
    });
  }

  transaction(tx: number): PackTransaction {
    const one = this.source.transaction(tx);
    return this.changeTransaction === null ? one : this.changeTransaction(one);
  }
}

async function withContent(
  engine: StorageEngine,
  work: (live: ContentSource, found: PackContent) => Promise<void>,
): Promise<void> {
  const found = await engine.packs.contentOf(GRAPH, {});
  const byId = new Map(engine.transactions().map((one): [number, PackTransaction] => [one.id, one]));
  const snapshot = engine.snapshot();
  try {
    await work(new SnapshotContent(snapshot, GRAPH, (tx) => byId.get(tx) as PackTransaction), found);
  } finally {
    snapshot.close();
  }
}

for (const [name, open] of ENGINES) {
  test(`each part of the contents that differs is found (${name})`, async () => {
    const engine = await open();
    await fill(engine);
    await withContent(engine, async (live, found) => {
      const compare = (change: (copied: Copied) => void, expected = found) => {
        const packed = new Copied(live);
        change(packed);
        return assertSameContent('the pack', { packed, live, found: expected }, {});
      };
      const refused = (change: (copied: Copied) => void, message: RegExp, expected = found) =>
        assert.rejects(compare(change, expected), { code: 'store_corrupt', message });
      for (const size of [1, 7, 1000]) {
        for (const spread of [false, true]) {
          const cut = (copied: Copied): void => {
            copied.size = size;
            copied.spread = spread;
          };
          await compare(cut);
          for (const column of CHANGED) {
            for (const at of [0, 200, -1]) {
              await refused((copied) => {
                cut(copied);
                const row = copied.rows.at(at) as Row;
                row[column] = [(row[column][0] ^ 1) >>> 0, row[column][1]];
              }, /row \d+ is another one/);
            }
          }
          await refused((copied) => {
            cut(copied);
            copied.rows.pop();
          }, /ends after row/);
          await refused((copied) => {
            cut(copied);
            copied.rows.push(copied.rows.at(-1) as Row);
          }, /ends after row|another one/);
          await refused((copied) => {
            cut(copied);
            copied.rows.splice(100, 1);
          }, /another one/);
        }
      }
      await refused((copied) => {
        copied.changeTerm = (bytes) => bytes.writeUInt8((bytes.at(-1) as number) ^ 1, bytes.length - 1);
      }, /term \d+ is another one/);
      await refused((copied) => {
        copied.changeTransaction = (one) => (one.id === 2 ? { ...one, source: 'other' } : one);
      }, /transaction 2 is another one/);
      await refused((copied) => {
        copied.changeTransaction = (one) => ({ ...one, authenticated: { provider: 'p' } as never });
      }, /transaction \d is another one/);
      for (const count of ['facts', 'open', 'transactions', 'terms'] as const) {
        const counts = { ...found.counts, [count]: found.counts[count] + 1 };
        await refused(() => undefined, new RegExp(`${count}, not`), { ...found, counts });
      }
      await refused(() => undefined, /transactions 1 to 5/, { ...found, maxTx: 9 });
    });
    await engine.close();
  });

  test(`versions of a triple may come in any sequence (${name})`, async () => {
    const engine = await open();
    await fill(engine);
    await withContent(engine, async (live, found) => {
      const packed = new Copied(live);
      const triple = (row: Row): string => JSON.stringify([row.s, row.p, row.o]);
      const first =
        packed.rows.findIndex((row, at) => at > 0 && triple(row) === triple(packed.rows[at - 1] as Row)) - 1;
      const versions = packed.rows.filter((row) => triple(row) === triple(packed.rows[first] as Row)).length;
      assert.ok(versions > 1);
      packed.rows.splice(first, versions, ...packed.rows.slice(first, first + versions).reverse());
      for (const size of [1, 2, 64]) {
        packed.size = size;
        await assertSameContent('the pack', { packed, live, found }, {});
      }
    });
    await engine.close();
  });

  test(`a pack of a graph that has changed, or a file that was altered, is not verified (${name})`, async () => {
    const engine = await open();
    await fill(engine);
    const content = await engine.packs.contentOf(GRAPH, {});
    const path = folder.fresh('.qpack.db');
    const { bytes } = await engine.packs.write({ graph: GRAPH, path, manifest: DESCRIPTION, content }, {});
    const verify = (expected = content) => engine.packs.verify({ path, graph: GRAPH, content: expected }, {});
    assert.deepEqual(await verify(), { bytes });
    await assert.rejects(verify({ ...content, contentHash: `sha256:${'0'.repeat(64)}` }), { code: 'store_corrupt' });
    const sound = readFileSync(path);
    const PARTS = 60;
    let refused = 0;
    for (let part = 1; part < PARTS; part++) {
      const altered = Buffer.from(sound);
      const at = altered.findIndex((byte, index) => index >= (part * sound.length) / PARTS && byte !== 0);
      if (at < 0) continue;
      altered[at] = (altered[at] as number) ^ 0x11;
      writeFileSync(path, altered);
      const isVerified = await verify().then(
        () => true,
        () => false,
      );
      if (!isVerified) refused++;
      // A byte of a page that nothing uses: whoever reads all of it finds the same contents.
      else assert.deepEqual((await engine.packs.read(path, {})).content, content);
    }
    assert.ok(refused > PARTS / 10, `${refused} of ${PARTS}`);
    writeFileSync(path, sound);
    await write(engine, { assert: [quad(node('new'), node('p'), node('o'), node('g1'))], timestamp: month(6) });
    await assert.rejects(verify(), { code: 'store_corrupt', message: /does not hold what the store holds/ });
    await engine.close();
  });
}
