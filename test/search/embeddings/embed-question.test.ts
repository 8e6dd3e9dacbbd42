/** A question waits for its vector as long as there is time to answer without, and no longer. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deadlineIn, raise, withDeadline } from '../../../engine/base/interrupt.js';
import { embedQuestion } from '../../../engine/search/embeddings/embed-question.js';
import { EmbeddingFailure, type EmbeddingProvider } from '../../../engine/search/embeddings/provider.js';
import { startTestServer } from '../../http/support.js';
import { ownProvider } from '../../service/embedding/own-provider.js';
import { fakeService } from './fake-service.js';

/** Never answers; tells when it is told to stop. */
function silent(): EmbeddingProvider & { readonly stopped: Promise<void> } {
  let stop: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  return {
    ...ownProvider(),
    stopped,
    embed: (_, { signal }) => {
      signal?.addEventListener('abort', stop);
      return new Promise(() => undefined);
    },
  };
}

test('a provider that does not answer has half of the time, and is told to stop', async () => {
  const flag = withDeadline(undefined, deadlineIn(3000, 'search.query_timeout_ms'));
  const provider = silent();
  await assert.rejects(embedQuestion(provider, ['x'], { flag }), (error: unknown) => {
    assert.ok(error instanceof EmbeddingFailure && error.code === 'embedding_unavailable');
    assert.match(error.message, /"words" gave no vector within \d+ ms, half of what search\.query_timeout_ms left/);
    return true;
  });
  await provider.stopped;
});

test('a question that is cancelled waits for no provider', async () => {
  const abort = new AbortController();
  const aborted = embedQuestion(silent(), ['x'], { signal: abort.signal });
  abort.abort();
  await assert.rejects(aborted, { code: 'aborted' });
  const flag = withDeadline(undefined, deadlineIn(60_000, 'search.query_timeout_ms'));
  const cancelled = embedQuestion(silent(), ['x'], { flag });
  raise(flag);
  await assert.rejects(cancelled, { code: 'aborted' });
});

test('vectors and failures come as they are', async () => {
  const flag = withDeadline(undefined, deadlineIn(60_000, 'search.query_timeout_ms'));
  assert.equal((await embedQuestion(ownProvider(), ['x', 'y'], { flag })).length, 2);
  const failing = ownProvider(() => new EmbeddingFailure('gone', false));
  await assert.rejects(embedQuestion(failing, ['x'], { flag }), { message: 'gone' });
});

test('a search by text is answered in time though the service of embeddings hangs', async (t) => {
  const hung: { isHung: boolean } = { isHung: false };
  const service = await fakeService(t, 16, () => hung.isHung);
  const server = await startTestServer(t, {
    search: { query_timeout_ms: 4000 },
    embedding: { provider: 'http', url: service.url, model: 'words', dimension: 16 },
  });
  await server.post('/knot', { turtle: '<urn:amber> <urn:note> "amber stone" .' });
  await server.post('/embed_backfill', {});
  hung.isHung = true;
  const ask = async (path: string, body: object) => {
    const response = await server.post(path, body);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const { status, body } = await ask('/unified_search', { query: 'amber' });
  assert.equal(status, 200);
  assert.equal((body.results as { entity: string }[])[0]?.entity, 'urn:amber');
  assert.match(JSON.stringify(body.summary), /gave no vector within/);
  const near = await ask('/search', { query: 'amber' });
  assert.deepEqual([near.status, near.body.code], [503, 'embedding_unavailable']);
});
