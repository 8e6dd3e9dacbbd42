/** The line protocol: framing, answers, errors that leave it serving, a store that is there again. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const folder = mkdtempSync(join(tmpdir(), 'svc-lines-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const program = fileURLToPath(new URL('../../bench/svc-lines.js', import.meta.url));

interface Reply {
  readonly head: {
    id: number;
    ok: boolean;
    bytes: number;
    ms: number;
    triples?: number;
    error?: string;
    code?: string;
  };
  readonly body: string;
}

/** Sends all requests at once and splits what comes back by the lengths in the header lines. */
async function converse(requests: readonly (object | string)[]): Promise<Reply[]> {
  const child = spawn(process.execPath, [program, '--db', folder], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = [...requests, { op: 'quit' }].map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
  child.stdin.write(`${lines.join('\n')}\n`);
  const chunks: Buffer[] = [];
  for await (const chunk of child.stdout) chunks.push(chunk as Buffer);
  const replies: Reply[] = [];
  let rest = Buffer.concat(chunks);
  while (rest.length > 0) {
    const end = rest.indexOf(10);
    const head = JSON.parse(rest.subarray(0, end).toString()) as Reply['head'];
    replies.push({ head, body: rest.subarray(end + 1, end + 1 + head.bytes).toString() });
    rest = rest.subarray(end + 1 + head.bytes);
  }
  return replies;
}

test('loads, answers in sequence, reports failures, and keeps the store', async () => {
  const file = join(folder, 'data.nt');
  writeFileSync(file, '<urn:s> <urn:p> "größe" .\n<urn:s> <urn:q> <urn:o> .\n');
  const query = 'SELECT ?o WHERE { <urn:s> <urn:p> ?o }';
  const replies = await converse([
    { id: 1, op: 'load', file },
    { id: 2, op: 'query', query, form: 'SELECT', graph: false },
    { id: 3, op: 'query', query: 'SELECT nonsense' },
    { id: 4, op: 'load', file: join(folder, 'absent.nt') },
    { id: 5, op: 'what' },
    'no JSON',
    { id: 6, op: 'query', query: 'ASK { <urn:s> <urn:q> <urn:o> }' },
  ]);
  assert.deepEqual(
    replies.map(({ head }) => [head.id, head.ok]),
    [
      [1, true],
      [2, true],
      [3, false],
      [4, false],
      [5, false],
      [null, false],
      [6, true],
    ],
  );
  assert.equal(replies[0]?.head.triples, 2);
  const rows = JSON.parse(replies[1]?.body as string) as { results: { bindings: unknown[] } };
  assert.deepEqual(rows.results.bindings, [{ o: { type: 'literal', value: 'größe' } }]);
  assert.equal(replies[2]?.head.code, 'parse_error');
  assert.match(replies[4]?.head.error as string, /load, query, quit/);
  assert.equal((JSON.parse(replies[6]?.body as string) as { boolean: boolean }).boolean, true);

  const [again] = await converse([{ id: 1, op: 'query', query }]);
  assert.equal(again?.body, replies[1]?.body);
});
