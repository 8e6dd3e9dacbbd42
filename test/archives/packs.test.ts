/** Packs of current facts and imports of other stores, on the command line and in the library. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, svcHere } from '../cli/svc.js';
import { EX, historyOf, knot, T } from '../service/time-support.js';
import { failure, fillGraph, G, rowsOf, withStore } from './support.js';

const SHAPES = `@prefix sh: <http://www.w3.org/ns/shacl#> . @prefix ex: <${EX}> .
ex:Shape a sh:NodeShape ; sh:targetClass ex:Host ; sh:property [ sh:path ex:name ; sh:minCount 1 ] .`;

test(
  'a graph is packed with shapes and queries, verified, and unpacked into another store',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    writeFileSync(join(cwd, 'shapes.ttl'), SHAPES);
    await run(
      'update',
      `INSERT DATA { GRAPH <${G}> { <${EX}h> a <${EX}Host> ; <${EX}name> "h" . <${EX}a> <${EX}p> 1 } }`,
    );
    await run('update', `DELETE DATA { GRAPH <${G}> { <${EX}a> <${EX}p> 1 } }`);
    await run('shapes', 'load', 'hosts', 'shapes.ttl');
    await run('queries', 'load', '--name', 'all', '--template', 'SELECT * { ?s ?p ?o }');
    const packed = await run(
      'pack',
      G,
      '--out',
      'g.qpack.db',
      '--name',
      'inventory',
      '--version',
      '2026.1',
      '--shapes',
      'hosts',
    );
    assert.equal(packed.code, 0, packed.err);
    assert.match(
      packed.out,
      /^packed http:\/\/example\.org\/g\/old -> g\.qpack\.db\n {2}name: inventory\n {2}content_hash: sha256:[0-9a-f]{64}\n {2}facts: 2 /,
    );
    const verified = await run('pack', '--verify', 'g.qpack.db');
    assert.match(verified.out, /^pack: OK sha256:[0-9a-f]{64}\n$/);
    assert.equal((await run('pack', G, '--out', 'g.qpack.db')).code, 1, 'it is there already');
    const there = ['--db', 'there.db'];
    const unpacked = await run('unpack', 'g.qpack.db', ...there);
    assert.equal(unpacked.out, `unpacked g.qpack.db into ${G}\n  facts: 2  shapes: 1  queries: 0\n`);
    assert.equal((await run('unpack', 'g.qpack.db', '--into', `${EX}copy`, ...there)).code, 0);
    const dump = async (graph: string, db: readonly string[]) => (await run('export', '--graph', graph, ...db)).out;
    assert.equal(await dump(G, there), await dump(G, []));
    assert.equal(await dump(`${EX}copy`, there), await dump(G, []));
    assert.match((await run('shapes', 'list', ...there)).out, /hosts/);
    // Shapes that came along judge what comes.
    const bad = await run('update', `INSERT DATA { GRAPH <${G}> { <${EX}n> a <${EX}Host> } }`, ...there);
    assert.equal(bad.code, 1);
    const bytes = readFileSync(join(cwd, 'g.qpack.db'));
    // Most pages of so small a file hold nothing.
    let mismatches = 0;
    await withStore(':memory:', async (store) => {
      for (let at = 0; at < bytes.length && mismatches < 3; at += 61) {
        const altered = Buffer.from(bytes);
        altered[at] = (altered[at] as number) ^ 1;
        writeFileSync(join(cwd, 'altered.qpack.db'), altered);
        const check = await store.verifyPack(join(cwd, 'altered.qpack.db')).catch(() => null);
        if (check?.ok !== false) continue;
        const told = await run('pack', '--verify', 'altered.qpack.db');
        assert.deepEqual([told.code, told.out.split('\n')[0]], [1, 'pack: HASH MISMATCH']);
        mismatches++;
      }
    });
    assert.ok(mismatches > 0);
    assert.equal((await run('pack', '--verify', 'none.db')).code, 1);
    assert.equal((await run('pack', '--verify', '.svc/svc.db')).code, 1, 'a store is no pack');
    assert.match((await run('pack', G, '--out', 'x.db', '--with-vectors')).err, /no vectors to go along/);
    assert.match((await run('pack', `${EX}none`, '--out', 'x.db')).err, /unknown graph/);
    assert.match((await run('pack', G, '--out', 'x.db', '--shapes', 'none')).err, /no stored set of shapes 'none'/);
    assert.ok(!existsSync(join(cwd, 'x.db')));
    for (const target of ['urn:svc:graph:meta', `${EX}g#inferred`, 'urn:svc:dataset:x']) {
      assert.equal((await run('unpack', 'g.qpack.db', '--into', target)).code, 1, target);
    }
    const turtle = await run('pack', G, '--out', 'folder', '--format', 'turtle', '--shapes', 'hosts');
    assert.equal(turtle.code, 0, turtle.err);
    assert.deepEqual(readdirSync(join(cwd, 'folder')).sort(), ['graph.ttl', 'manifest.json', 'shapes']);
    const manifest = JSON.parse(readFileSync(join(cwd, 'folder/manifest.json'), 'utf8')) as Record<string, unknown>;
    assert.equal(manifest.pack_format, 'knowledge/1');
  }),
);

test('a pack that a shape of the store forbids is refused, and leaves nothing', async () => {
  await inFolder(async (cwd) => {
    const pack = join(cwd, 'g.qpack.db');
    await withStore(join(cwd, 'one.db'), async (store) => {
      await store.update(`INSERT DATA { GRAPH <${G}> { <${EX}n> a <${EX}Host> } }`);
      await store.packGraph(G, pack);
    });
    await withStore(join(cwd, 'two.db'), async (store) => {
      await store.loadShapes('hosts', SHAPES);
      const before = store.transactions();
      assert.equal((await failure(store.unpack(pack))).code, 'refused_shacl');
      assert.equal(await store.graph(G), null);
      assert.deepEqual(store.transactions(), before);
    });
  })();
});

test('the history of another store comes as a graph: its times, actors and sources in its order', async () => {
  await inFolder(async (cwd) => {
    const other = join(cwd, 'other.db');
    const history = await withStore(other, async (store) => {
      await knot(store, 'ex:a ex:p 1, 2 .', { timestamp: T(1), actor: 'ann', source: 'load' });
      await store.update(`DELETE DATA { <${EX}a> <${EX}p> 2 }`, { timestamp: T(3) });
      await knot(store, 'ex:a ex:p 2 .', { timestamp: T(5), validFrom: T(2) });
      await fillGraph(store);
      return historyOf(store, 'a');
    });
    await withStore(join(cwd, 'here.db'), async (store) => {
      await knot(store, 'ex:z ex:p 1 .');
      const imported = await store.importGraph(other, G, { timestamp: T(9) });
      assert.deepEqual([imported.graph, imported.transactions, imported.facts], [G, 4, 3]);
      const plain = (lines: string[]): string[] => lines.map((line) => line.replace(/tx\d+/, ''));
      assert.deepEqual(plain(await historyOf(store, 'a', { graph: G })), plain(history));
      assert.deepEqual(
        store
          .transactions()
          .slice(-4)
          .map(({ timestamp, actor, source }) => [timestamp, actor, source]),
        [
          [T(1), 'ann', 'load'],
          [T(3), null, 'sparql-update'],
          [T(5), null, store.transactions().at(-2)?.source],
          [T(1), null, store.transactions().at(-1)?.source],
        ],
      );
      assert.deepEqual(await rowsOf(store, `SELECT ?o { GRAPH <${G}> { ex:a ex:p ?o } }`, { validAt: T(4) }), [
        '1',
        '2',
      ]);
      assert.match((await failure(store.importGraph(other, G))).message, /history of its own/);
      assert.match((await failure(store.importGraph(join(cwd, 'here.db'), `${EX}x`))).message, /is this store/);
      assert.equal((await failure(store.importGraph(join(cwd, 'none.db'), `${EX}x`))).code, 'store_missing');
      assert.deepEqual((await store.verify()).problems, []);
    });
    const told = await svcHere(['graph', 'import', 'other.db', '--as', `${EX}again`, '--db', 'here.db'], { cwd });
    assert.match(
      told.out,
      /^imported other\.db as http:\/\/example\.org\/again\n {2}graph id: \d+\n {2}terms: \d+\n {2}transactions: 4\n {2}facts: 3\n$/,
    );
  })();
});

test(
  'graphs are named by CURIEs',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svcHere(words, { cwd });
    const graph = 'http://www.w3.org/2004/02/skos/core#g';
    await run('update', `INSERT DATA { GRAPH <${graph}> { <urn:a> <urn:b> 1 } }`);
    assert.match((await run('pack', 'skos:g', '--out', 'g.qpack.db')).out, /core#g -> g\.qpack\.db/);
    assert.match((await run('unpack', 'g.qpack.db', '--into', 'skos:h')).out, /into http:.*core#h/);
    assert.match((await run('graph', 'freeze', 'skos:h')).out, /froze http:.*core#h: 1 facts/);
    assert.match((await run('graph', 'thaw', 'skos:h')).out, /thawed http:.*core#h/);
    assert.equal((await run('backup', 'copy.db')).code, 0);
    assert.match((await run('graph', 'import', 'copy.db', '--as', 'skos:i')).out, /as http:.*core#i/);
  }),
);
