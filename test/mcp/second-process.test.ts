/** A second `svc mcp` on a store: it reads, and says how to share it; what an episode has minted is found again. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Lines, startLines } from './lines.js';
import { call, initialize, type Message, resultOf } from './messages.js';

async function ask(lines: Lines, id: string, name: string, given: Message) {
  lines.send(call(id, name, given));
  return resultOf(await lines.answer(id));
}

test('the second process reads what the first writes; its writes are refused with the way to share the store', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-second-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const start = async (): Promise<Lines> => {
    const lines = startLines(['mcp', '--quiet', '--db', 'store.svc'], folder);
    t.after(() => lines.child.kill('SIGKILL'));
    lines.send(initialize('hello', '2025-11-25'));
    await lines.answer('hello');
    return lines;
  };
  const first = await start();
  const episode = {
    name: 'e 1',
    nodes: [{ name: 'kota', type: 'Host' }],
    edges: [{ source: 'my app', target: 'kota', relation: 'runs_on' }],
  };
  const { structuredContent: written } = await ask(first, 'w', 'svc_episode', episode);
  const base = 'http://svc.local/ontology/';
  assert.deepEqual(written.nodes, { kota: `${base}kota`, 'my app': `${base}my_app` });
  assert.equal(written.iri, `${base}episode_e_1`);
  const again = await ask(first, 'w2', 'svc_episode', episode);
  assert.deepEqual([again.structuredContent.outcome, again.structuredContent.nodes], ['unchanged', {}]);

  const second = await start();
  assert.match(second.err(), /^svc mcp: reads only: another process has store\.svc open for writing/m);
  // The names that episodes give, as they were written.
  for (const [id, given] of [
    ['type', { type: 'Host' }],
    ['both', { type: 'Host', predicate: 'unknown' }],
    ['predicate', { predicate: 'runs_on' }],
  ] as const) {
    const { isError, structuredContent } = await ask(second, id, 'svc_cord', given);
    assert.deepEqual([isError, structuredContent.count], [false, id === 'both' ? 0 : 1], id);
  }
  const refused = await ask(second, 'set', 'svc_set', {
    entity: `${base}kota`,
    predicate: `${base}size`,
    value: { int: 1 },
  });
  assert.equal(refused.isError, true);
  assert.equal(refused.structuredContent.code, 'read_only');
  assert.match(String(refused.structuredContent.error), /^svc_set writes, and another process has store\.svc open/);
  assert.match(String(refused.structuredContent.hint), /svc serve .*\/mcp/);
  assert.equal((await ask(second, 'list', 'svc_shapes', { action: 'list' })).isError, false);
  // It sees what the first writes from now on.
  await ask(first, 'more', 'svc_episode', { name: 'e 2', nodes: [{ name: 'lund', type: 'Host' }] });
  assert.equal((await ask(second, 'seen', 'svc_cord', { type: 'Host' })).structuredContent.count, 2);
  first.child.stdin.end();
  second.child.stdin.end();
  assert.deepEqual([(await first.ended).code, (await second.ended).code], [0, 0]);
});
