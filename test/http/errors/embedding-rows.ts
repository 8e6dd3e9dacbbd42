/** Rows of the tables that are about embeddings. */
import assert from 'node:assert/strict';
import { json } from '../support.js';
import type { RowTest } from './support.js';

export const EMBEDDING_ROWS: Readonly<Record<string, RowTest>> = {
  '/embed_backfill without a provider': async (servers) => {
    const response = await (await servers.plain()).post('/embed_backfill', {});
    assert.equal(response.status, 200);
    const { status, error, ...others } = await json(response);
    assert.equal(status, 'error');
    assert.match(String(error), /^no embedding provider configured; set embedding\.provider/);
    assert.deepEqual(others, {});
  },
};
