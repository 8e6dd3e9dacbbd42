/** The benchmark of HTTP: its queries, its options, its load, its tables. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { measureHttpLoad } from '../../bench/http/autocannon.js';
import { parseHttpOptions } from '../../bench/http/options.js';
import { measureHttpPaced } from '../../bench/http/paced.js';
import { makeQueries, makeUpdate, UPDATE_QUADS } from '../../bench/http/requests.js';
import type { LoadCase } from '../../bench/http/results.js';
import { toTables } from '../../bench/http/tables.js';
import { openStore } from '../../interfaces/library/index.js';

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-http-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const V = 'http://www4.wiwiss.fu-berlin.de/bizer/bsbm/v01/vocabulary/';

test('queries are about subjects and vendors of the data, and every text stands there once', async () => {
  const path = join(folder, 'offers.nt');
  const vendor = (at: number) => (at < 850 ? at % 2 : 2);
  const lines = Array.from({ length: 1000 }, (_, at) => `<urn:offer${at}> <${V}vendor> <urn:vendor${vendor(at)}> .`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  const { point, hundred, large } = await makeQueries(path, 1000);
  assert.ok(point.length >= 400, String(point.length));
  assert.equal(new Set(point).size, point.length);
  assert.match(point[0] as string, /^SELECT \?p \?o WHERE \{ <urn:offer\d+> \?p \?o \}$/);
  assert.equal(hundred.length, 9, 'full pages alone: four each of two vendors with 425 offers, one of one with 150');
  assert.equal(large.length, 1);
});

test('an update adds twenty new things, each time others', async () => {
  const store = await openStore(':memory:');
  await store.update(makeUpdate(1, null));
  await store.update(makeUpdate(2, null));
  assert.equal(store.stats().quadsCurrent, 2 * UPDATE_QUADS);
  assert.match(makeUpdate(1, 'urn:g'), /GRAPH <urn:g>/);
  await store.close();
});

test('options are checked by name', () => {
  const { sizes, connections, parts } = parseHttpOptions([
    '--sizes',
    '200k',
    '--connections',
    '1,64',
    '--parts',
    'load',
  ]);
  assert.deepEqual([sizes, connections, parts], [['200k'], [1, 64], ['load']]);
  for (const wrong of [
    ['--shapes', 'huge'],
    ['--parts', 'all'],
    ['--connections', '0'],
    ['--requests', 'many'],
    ['--sizes', '7'],
    ['--colour'],
  ]) {
    assert.throws(() => parseHttpOptions(wrong), { code: 'usage' }, wrong.join(' '));
  }
});

test('load goes through the list on every connection, and counts what fails', async () => {
  const asked = new Map<string, number>();
  const server = createServer((request, response) => {
    const url = request.url as string;
    asked.set(url, (asked.get(url) ?? 0) + 1);
    response.statusCode = url === '/b' ? 500 : 200;
    response.end(request.headers.accept);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const figures = await measureHttpLoad({
    task: 'http-load',
    origin: `http://127.0.0.1:${port}`,
    paths: ['/a', '/b', '/c'],
    accept: 'text/plain',
    connections: 2,
    seconds: 1,
  });
  server.close();
  assert.deepEqual([...asked.keys()].sort(), ['/a', '/b', '/c']);
  const all = [...asked.values()].reduce((sum, one) => sum + one, 0);
  assert.ok(figures.requests <= all && figures.requests >= all - 2, `${figures.requests} of ${all}`);
  const failed = asked.get('/b') as number;
  assert.ok(figures.errors <= failed && figures.errors >= failed - 2, `${figures.errors} of ${failed}`);
  assert.ok(figures.p99Ms >= figures.medianMs && figures.maxMs >= figures.p99Ms);
});

test('paced requests come whether those before them are answered or not, and count from when they were due', async () => {
  const held: (() => void)[] = [];
  const server = createServer((_, response) => {
    // Nothing is answered before all have come.
    held.push(() => response.end('ab'));
    if (held.length === 20) for (const go of held) go();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const figures = await measureHttpPaced({
    task: 'http-paced',
    origin: `http://127.0.0.1:${port}`,
    paths: ['/a'],
    accept: 'text/plain',
    connections: 20,
    seconds: 0.2,
    rate: 100,
  });
  server.close();
  assert.equal(figures.requests, 20);
  assert.equal(figures.errors, 0);
  // The first was due when the last had 190 ms to come.
  assert.ok(figures.maxMs >= 190, `${figures.maxMs} ms`);
});

test('a case stands in the table beside the same case of the peer', () => {
  const one = (server: string, perSecond: number, p99Ms: number): LoadCase => ({
    size: '200k',
    server,
    shape: 'point',
    connections: 8,
    load: { requests: 100, perSecond, medianMs: 1, p99Ms, maxMs: 9, mebibytesPerSecond: 1, errors: 0 },
    cpuMs: 50,
    writer: null,
  });
  const loads = [one('svc', 2000, 2), one('virtuoso', 500, 8)];
  const [table] = toTables({ loads, analytics: [], idles: [], memories: [], waits: [], paced: [] });
  assert.deepEqual(table?.rows, [
    ['200k', 'one subject', '8', '2,000', '1.00', '2.00', '0.50', '500', '1.00', '8.00', '0.50', '4.00x', '4.00x', '0'],
  ]);
});
