/** The body of the thread that hashes the lines of a large graph while they are put together (`line-hash.ts`). */

import { createHash } from 'node:crypto';
import { serveThread } from '../../base/threads/server.js';
import type { HashJobs, HashSetup } from './line-hash.js';

await serveThread((setup) => {
  const { memory } = setup as HashSetup;
  const hash = createHash('sha256');
  const jobs = {
    range: async ({ address, bytes }: HashJobs['range']): Promise<null> => {
      hash.update(new Uint8Array(memory.buffer, address, bytes));
      return null;
    },
    text: async ({ text }: HashJobs['text']): Promise<null> => {
      hash.update(text);
      return null;
    },
    digest: async (): Promise<string> => hash.digest('hex'),
  };
  return Promise.resolve({ jobs, close: () => Promise.resolve() });
});
