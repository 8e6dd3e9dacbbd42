/** `svc doctor labels`: what it prints and how it ends, with and without differences. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { storeLabels } from '../../engine/query/registry/label-rows.js';
import { WritePipeline } from '../../engine/service/pipeline/pipeline.js';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { inFolder, svc } from './svc.js';

const G = 'http://example.org/g';

test(
  'labels that the registry keeps and the facts that declare them',
  inFolder(async (cwd) => {
    const run = (...words: string[]) => svc([...words, '--db', 'a.db'], { cwd });
    assert.equal((await run('graph', 'create', G)).code, 0);
    const labelled = await run('graph', 'label', G, '--freshness', 'fresh', '--policy', 'b,a');
    assert.deepEqual([labelled.code, labelled.out, labelled.err], [0, `labelled ${G} (tx 2)\n`, '']);
    const again = await run('graph', 'label', G, '--freshness', 'fresh');
    assert.deepEqual([again.code, again.out], [0, `${G} is labelled so already\n`]);
    const sound = await run('doctor', 'labels');
    assert.deepEqual([sound.code, sound.out], [0, 'labels of 1 graph(s): the cache is what the facts say\n']);
    const json = await run('doctor', 'labels', '--json');
    assert.deepEqual(JSON.parse(json.out), { ok: true, graphs: 1, drift: [] });

    const engine = await openLmdbEngine(join(cwd, 'a.db'));
    await new WritePipeline(engine).transact((stage, registry) => {
      storeLabels(stage, registry, G, { freshness: { value: 'stale', validTo: null } });
    }, {});
    await engine.close();
    const drifted = await run('doctor', 'labels');
    assert.deepEqual(
      [drifted.code, drifted.out],
      [
        1,
        `${G}  freshness: facts "fresh", cache "stale"\n${G}  policy: facts ["a","b"], cache undeclared\n2 difference(s) in the labels of 1 graph(s); declare those labels again\n`,
      ],
    );
    const told = await run('doctor', 'labels', '--json');
    assert.deepEqual([told.code, JSON.parse(told.out).drift.length], [1, 2]);
    assert.equal((await run('graph', 'label', G, '--kind', 'derived')).code, 0);
    assert.equal((await run('doctor', 'labels')).code, 0, 'a declaration makes the cache anew');
  }),
);
