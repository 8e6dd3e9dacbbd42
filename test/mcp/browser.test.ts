/** Tools from a page of a listed origin: the headers of both eras of the protocol pass the preflight of a browser. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageServer } from '../clients/browser.js';
import { startTestServer } from '../http/support.js';
import { call, initialize, modern, modernHeaders } from './messages.js';

const QUERY = { query: 'ASK { <http://ex.org/a> ?p ?o }' };

/** The messages one after the other; tells what each gave. */
function pageOf(target: string, messages: readonly (readonly [Record<string, string>, unknown])[]): string {
  return `<script type="module">
try {
  const given = [];
  for (const [headers, message] of ${JSON.stringify(messages)}) {
    const body = JSON.stringify(message);
    const response = await fetch('${target}/mcp', { method: 'POST', headers, body });
    given.push([response.status, await response.json()]);
  }
  await tell(given);
} catch (error) {
  await tell(String(error));
}
</script>`;
}

test('a page of a listed origin calls a tool, in both eras of the protocol', { timeout: 120_000 }, async (t) => {
  const json = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const legacy = { ...json, 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': 'a', 'Last-Event-ID': '1' };
  const modernCall = modern(3, 'tools/call', { name: 'svc_query', arguments: QUERY });
  let target = '';
  const page = await pageServer(t, {
    document: () =>
      pageOf(target, [
        [json, initialize(1, '2025-11-25')],
        [legacy, call(2, 'svc_query', QUERY)],
        [{ ...json, ...modernHeaders('tools/call', 'svc_query') }, modernCall],
      ]),
  });
  const server = await startTestServer(t, { server: { cors_allowed_origins: [page.origin] } });
  target = server.base;
  await server.post('/knot', { turtle: '<http://ex.org/a> <http://ex.org/b> 1 .' });
  const said = (await page.visit(t)) as [number, { result: Record<string, unknown> }][] | null;
  if (said === null) return;
  assert.ok(Array.isArray(said), String(said));
  assert.deepEqual(
    said.map(([status]) => status),
    [200, 200, 200],
  );
  const [opened, ...called] = said.map(([, { result }]) => result);
  assert.equal(opened?.protocolVersion, '2025-11-25');
  for (const result of called) assert.deepEqual(result.structuredContent, { result: true, labels: null });
});
