/** The body of the thread that checks the rows of a large pack while they are compared (`runs-apart.ts`). */

import type { JobContext } from '../../base/threads/server.js';
import { serveThread } from '../../base/threads/server.js';
import { checkRuns } from './check-runs.js';
import { withPack } from './pack-reader.js';
import type { CheckJobs } from './runs-apart.js';

await serveThread(() => {
  const jobs = {
    runs: async ({ path }: CheckJobs['runs'], { signal }: JobContext): Promise<null> => {
      await withPack(path, (pack) => checkRuns(pack, { signal }));
      return null;
    },
  };
  return Promise.resolve({ jobs, close: () => Promise.resolve() });
});
