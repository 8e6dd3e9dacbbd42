/** Remote JSON-LD contexts are refused, and fetched by the caller's own function when it gives one. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../interfaces/library/index.js';

const CONTEXT = 'https://context.example/people.jsonld';
const DOCUMENT = JSON.stringify({ '@context': CONTEXT, '@id': 'http://example.org/a', name: 'Ada' });

for (const where of [':memory:', 'store.db']) {
  test(`remote contexts, ${where}`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-contexts-'));
    const store = await openStore(where === ':memory:' ? where : join(folder, where));
    context.after(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    const input = { kind: 'bytes', bytes: Buffer.from(DOCUMENT), name: 'people', format: 'jsonld' } as const;
    await assert.rejects(store.load(input), (error: Error) => error.message.includes(CONTEXT));
    assert.equal(store.stats().factsCurrent, 0);

    const fetched: string[] = [];
    await store.load(input, {
      remoteContexts: async (url) => {
        fetched.push(url);
        return { '@context': { name: 'http://example.org/name' } };
      },
    });
    assert.deepEqual(fetched, [CONTEXT]);
    const lines: string[] = [];
    for await (const bytes of store.export('ntriples')) lines.push(Buffer.from(bytes).toString('utf8'));
    assert.equal(lines.join(''), '<http://example.org/a> <http://example.org/name> "Ada" .\n');
  });
}
