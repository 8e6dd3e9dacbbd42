/** Overlays over HTTP and by command: statuses and codes of what is refused, shapes of what is answered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { svcHere } from '../cli/svc.js';
import type { Json } from '../service/reads-support.js';
import { json, startTestServer } from './support.js';

const E = 'http://example.org';
const OV = `${E}/ov`;
const TRIPLE = { subject: `${E}/a`, predicate: `${E}/p` };

type Case = readonly [path: string, body: object, status: number, code: string, error: RegExp];

const REFUSED: readonly Case[] = [
  ['create', {}, 400, 'invalid_request', /overlay/],
  ['create', { overlay: 'relative' }, 400, 'invalid_request', /relative/],
  ['create', { overlay: `${E}/g` }, 400, 'invalid_request', /committed graph/],
  ['create', { overlay: 'urn:svc:graph:root' }, 400, 'invalid_request', /committed graph/],
  ['create', { overlay: 'urn:svc:graph:meta' }, 400, 'invalid_request', /meta graph/],
  ['create', { overlay: `${E}/g#inferred` }, 400, 'invalid_request', /derived/],
  ['create', { overlay: 'urn:svc:dataset:d' }, 400, 'invalid_request', /dataset/],
  ['create', { overlay: 'urn:svc:fork:f' }, 400, 'invalid_request', /given by the service/],
  ['create', { overlay: OV, parent_branch: `${E}/g` }, 400, 'invalid_request', /bound to/],
  ['create', { overlay: `${E}/x`, parent_branch: `${E}/none` }, 400, 'not_found_in_store', /unknown graph/],
  ['create', { overlay: `${E}/x`, parent_branch: OV }, 400, 'invalid_request', /is an overlay itself/],
  ['create', { overlay: `${E}/x`, parent_branch: `${E}/x` }, 400, 'invalid_request', /over itself/],
  ['write', { overlay: `${E}/g`, op: 'assert', ...TRIPLE, object: 'x' }, 400, 'invalid_request', /is no overlay/],
  ['write', { overlay: `${E}/no`, op: 'assert', ...TRIPLE, object: 'x' }, 400, 'invalid_request', /no overlay/],
  ['write', { overlay: OV, op: 'replace', ...TRIPLE, object: 'x' }, 400, 'invalid_request', /op/],
  ['write', { overlay: OV, op: 'assert', ...TRIPLE }, 400, 'invalid_request', /object/],
  ['write', { overlay: OV, op: 'assert', ...TRIPLE, object: 5 }, 400, 'invalid_request', /no value/],
  ['write', { overlay: OV, op: 'assert', ...TRIPLE, object: { int: 5, str: 'x' } }, 400, 'invalid_request', /no value/],
  ['compose', { overlay: OV, precedence: 'best' }, 400, 'invalid_request', /precedence/],
  ['compose', { overlay: `${E}/g` }, 400, 'invalid_request', /is no overlay/],
  ['compose', { overlay: OV, limit: 1.5 }, 400, 'invalid_request', /limit/],
];

test('overlays over HTTP: what is answered, and what is refused with which status', async (t) => {
  const server = await startTestServer(t);
  const post = async (path: string, body: object) => {
    const response = await server.post(`/overlay/${path}`, body);
    return { status: response.status, body: (await json(response)) as Json };
  };
  await server.post('/knot', { turtle: `<${E}/a> <${E}/p> 1, 2 .` });
  await server.post('/graph/create', { graph: `${E}/g` });
  const made = await post('create', { overlay: OV, surplus: 1 });
  assert.equal(made.status, 200);
  const { g, ...rest } = made.body;
  assert.ok(Number.isInteger(g));
  assert.deepEqual(rest, {
    parent_branch: 0,
    overlay: OV,
    parent: 'urn:svc:graph:root',
    ignored_fields: ['surplus'],
  });
  assert.deepEqual((await post('write', { overlay: OV, op: 'tombstone', ...TRIPLE, object: { int: 1 } })).body, {
    tx_id: 4,
  });
  assert.deepEqual((await post('write', { overlay: OV, op: 'tombstone', ...TRIPLE, object: { int: 1 } })).body, {
    tx_id: 0,
  });
  assert.deepEqual((await post('write', { overlay: OV, op: 'assert', ...TRIPLE, object: { int: 3 } })).body, {
    tx_id: 5,
  });
  assert.deepEqual((await post('compose', { overlay: OV })).body, {
    triples: [
      { ...TRIPLE, object: 2, from: 'parent' },
      { ...TRIPLE, object: 3, from: 'overlay' },
    ],
    count: 2,
    truncated: false,
  });
  const page = await post('compose', { overlay: OV, precedence: 'governed', limit: 2, offset: 1 });
  assert.deepEqual(
    [page.body.triples.map(({ object }: { object: number }) => object), page.body.truncated],
    [[2, 3], false],
  );
  for (const [path, body, status, code, error] of REFUSED) {
    const answer = await post(path, body);
    assert.equal(answer.status, status, `${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`);
    assert.equal(answer.body.code, code);
    assert.match(answer.body.error, error);
  }
  const turtle = `<${E}/a> <${E}/p> 9 .`;
  const knot = await server.post('/knot', { turtle, graph: OV });
  assert.equal(knot.status, 400);
  assert.match(((await json(knot)) as Json).hint, /overlay_write/);
  const path = `/rdf-graph-store?graph=${encodeURIComponent(OV)}`;
  const put = await server.send('PUT', path, turtle, { 'Content-Type': 'text/turtle' });
  assert.deepEqual([put.status, (await json(put)).code], [403, 'graph_not_writable']);
  const listed = (await json(await server.get('/graphs'))) as Json;
  assert.deepEqual(
    listed.graphs.map((one: { graph: string; class: string; parent: string | null }) => [
      one.graph,
      one.class,
      one.parent,
    ]),
    [
      [`${E}/g`, 'committed', null],
      [OV, 'overlay', 'urn:svc:graph:root'],
      ['urn:svc:graph:meta', 'committed', null],
      ['urn:svc:graph:root', 'committed', null],
    ],
  );
});

test('overlays by command, on this machine and by a server', async (t) => {
  const server = await startTestServer(t);
  const local = ['--db', `${server.folder}/local.svc`];
  for (const where of [local, ['--url', server.base]]) {
    const run = (...words: string[]) => svcHere(['overlay', ...words, ...where], { cwd: server.folder });
    const made = await run('create', OV, '--timestamp', '2026-01-01');
    assert.deepEqual([made.code, made.out], [0, `overlay ${OV} over urn:svc:graph:root\n`], made.err);
    const words = [OV, 'assert', `${E}/a`, `${E}/p`, '"text"'];
    assert.equal((await run('write', ...words, '--timestamp', '2026-01-02')).out, 'written (tx 2)\n');
    assert.equal((await run('write', ...words)).out, 'nothing to write: the overlay says so already\n');
    assert.equal((await run('compose', OV)).out, `+ ${E}/a  ${E}/p  "text"\n1 triples\n`);
    const refused = await run('write', OV, 'keep', `${E}/a`, `${E}/p`, '"text"');
    assert.notEqual(refused.code, 0);
    assert.match(refused.err, /assert, tombstone, retract/);
    assert.equal((await run('compose', `${E}/none`)).code, 1);
  }
});
