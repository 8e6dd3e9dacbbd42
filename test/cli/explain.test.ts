/** `store.explain` and `svc explain`: the same plan from the caller's thread, from a reader thread, and from the command. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Explanation, openStore } from '../../interfaces/library/index.js';
import { inFolder, svc } from './svc.js';

const DATA = `@prefix : <http://example.org/> .
:ann a :Person ; :name "Ann" ; :knows :bob . :bob a :Person ; :name "Bob" . :cy :name "Cy" .
`;

const QUERY = `PREFIX : <http://example.org/>
SELECT ?name { ?s a :Person ; :name ?name OPTIONAL { ?s :knows ?o } } ORDER BY ?name`;

/** What does not depend on the clock. */
function shapeOf(explained: Explanation): unknown {
  const { times: _, memory: __, text: ___, ...rest } = explained;
  return JSON.parse(JSON.stringify(rest, (key, value) => (/(Ms|calls|blocksRead)$/.test(key) ? undefined : value)));
}

test(
  'in process, in a reader thread and by the command: one plan',
  inFolder(async (cwd) => {
    const path = join(cwd, 'a.db');
    const plain = await openStore(path);
    await plain.load({ text: DATA, format: 'turtle' });
    const here = await plain.explain(QUERY, { analyze: true });
    assert.equal(here.rows, 2);
    const planned = await plain.explain(QUERY);
    assert.equal(planned.plan.actual, null);
    const update = await plain.explain('PREFIX : <http://example.org/> DELETE WHERE { ?s :name ?n }', {
      analyze: true,
    });
    assert.deepEqual([update.form, update.rows], ['update', 3]);
    await assert.rejects(plain.explain('CLEAR ALL', { tx: 1 }), {
      code: 'invalid_request',
      message: /'tx' is for queries/,
    });
    await assert.rejects(plain.explain('SELECT * {'), { code: 'parse_error' });
    assert.equal(plain.stats().snapshots.open, 0);
    await plain.close();

    const threaded = await openStore(path, { readOnly: true, readers: 1 });
    assert.deepEqual(shapeOf(await threaded.explain(QUERY, { analyze: true })), shapeOf(here));
    await assert.rejects(threaded.explain('SELECT * {'), { code: 'parse_error' });
    const stopped = threaded.explain(QUERY, { analyze: true, signal: AbortSignal.abort() });
    await assert.rejects(stopped, { code: 'aborted' });
    await threaded.close();

    writeFileSync(join(cwd, 'q.rq'), QUERY);
    const { code, out } = await svc(['explain', '--file', 'q.rq', '--profile', '--json', '--db', 'a.db'], { cwd });
    assert.equal(code, 0);
    const told = JSON.parse(out) as Explanation;
    const { prefixes: _, inference: __, ...shape } = shapeOf(here) as Record<string, unknown>;
    assert.deepEqual(shapeOf(told), shape);
  }),
);

test(
  'the command: a tree for a person, with and without a run; refusals',
  inFolder(async (cwd) => {
    const store = await openStore(join(cwd, 'a.db'));
    await store.load({ text: DATA, format: 'turtle' });
    await store.close();
    const planned = await svc(['explain', QUERY, '--db', 'a.db'], { cwd });
    assert.deepEqual([planned.code, planned.err], [0, '']);
    assert.match(planned.out, /^ +estimated +cost\nproject \?name +\d+ +[\d,]+\n└─ sort by \?name /);
    assert.doesNotMatch(planned.out, /own ms/);
    const analyzed = await svc(['explain', '--analyze', QUERY, '--db', 'a.db'], { cwd });
    assert.match(
      analyzed.out,
      /^rows: 2; blocks read: \d+\nmilliseconds: parse [\d.]+, rewrite [\d.]+, plan [\d.]+, run [\d.]+\nmemory: at most /m,
    );
    const wrong = await svc(['explain', 'SELECT', '--db', 'a.db'], { cwd });
    assert.equal(wrong.code, 1);
    assert.match(wrong.err, /^query error: query:1:\d+: /);
  }),
);
