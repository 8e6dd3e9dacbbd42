/** A store whose facts are all in named graphs does not look like an empty one. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { inFolder, svcHere } from './svc.js';

const E = 'http://example.org/';
const GRAPHS = `named graphs: <${E}g1> (1), <${E}g2> (1)`;

async function ofGraphsAlone(cwd: string, graphs = 2): Promise<void> {
  const quads = Array.from({ length: graphs }, (_, at) => `<${E}a> <${E}p> "1" <${E}g${at + 1}> .\n`);
  writeFileSync(join(cwd, 'data.nq'), quads.join(''));
  assert.equal((await svcHere(['knot', 'data.nq'], { cwd })).code, 0);
}

test(
  'answers that found nothing in ROOT name the graphs that there are, on standard error',
  inFolder(async (cwd) => {
    await ofGraphsAlone(cwd);
    const told = `ROOT, which the query reads, holds no facts; ${GRAPHS}\n  hint: --graph <iri> reads one, GRAPH ?g { ... } all\n`;
    for (const query of [
      'SELECT * { ?s ?p ?o }',
      'SELECT (COUNT(*) AS ?n) { ?s ?p ?o }',
      'ASK { ?s ?p ?o }',
      'CONSTRUCT WHERE { ?s ?p ?o }',
    ]) {
      const { code, out, err } = await svcHere(['read', query], { cwd });
      assert.deepEqual([query, code, out.includes('named'), err], [query, 0, false, told]);
    }
    const json = await svcHere(['read', 'SELECT * { ?s ?p ?o }', '--json'], { cwd });
    assert.deepEqual([JSON.parse(json.out).count, json.err], [0, told]);
    for (const query of ['SELECT * { GRAPH ?g { ?s ?p ?o } }', `SELECT * FROM <${E}none> { ?s ?p ?o }`]) {
      assert.equal((await svcHere(['read', query], { cwd })).err, '');
    }
    const listed = await svcHere(['cord'], { cwd });
    assert.deepEqual([listed.out, listed.err.split('\n')[0]], ['0 entities\n', `ROOT holds no facts; ${GRAPHS}`]);
    const counted = await svcHere(['stats'], { cwd });
    assert.match(counted.out, /^store: .*\nfacts \(current\): 0\nentities: 0\npredicates: 0\n$/);
    assert.equal(
      counted.err,
      `named graphs, besides: <${E}g1> (1), <${E}g2> (1)\n  hint: svc graph list shows them all\n`,
    );
  }),
);

test(
  'a graph that is not there: the answer is empty, and those that are there are named',
  inFolder(async (cwd) => {
    await ofGraphsAlone(cwd);
    const read = await svcHere(['read', 'SELECT * { ?s ?p ?o }', '--graph', `${E}none`], { cwd });
    assert.deepEqual([read.code, read.err], [0, `there is no graph <${E}none>; ${GRAPHS}\n`]);
    assert.equal((await svcHere(['read', 'ASK {}', '--graph', `${E}g1`], { cwd })).err, '');
    const exported = await svcHere(['export', '--graph', `${E}none`], { cwd });
    assert.deepEqual([exported.code, exported.err], [1, `error: unknown graph: ${E}none\n  hint: ${GRAPHS}\n`]);
    const knotted = await svcHere(['knot', 'data.nq', '--graph', `${E}none`], { cwd });
    assert.ok(knotted.err.endsWith(`${GRAPHS}\n`), knotted.err);
  }),
);

test(
  'the list is short, and a store with facts in ROOT, or without any, says nothing',
  inFolder(async (cwd) => {
    await ofGraphsAlone(cwd, 120);
    const { err } = await svcHere(['stats'], { cwd });
    assert.equal(err.split('), <').length, 10);
    assert.match(err, / and more\n/);
    await svcHere(['update', `INSERT DATA { <${E}r> <${E}p> 1 }`], { cwd });
    assert.equal((await svcHere(['read', 'ASK { ?s <a:none> ?o }'], { cwd })).err, '');
    await svcHere(['knot', '-', '--db', 'empty.db'], { cwd });
    for (const words of [['read', 'ASK { ?s ?p ?o }'], ['stats'], ['cord']]) {
      assert.equal((await svcHere([...words, '--db', 'empty.db'], { cwd })).err, '');
    }
  }),
);
