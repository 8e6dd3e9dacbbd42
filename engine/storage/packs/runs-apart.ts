/** Checks the rows of a large pack in a thread of its own, while other work goes over the pack in this one. */

import { availableParallelism } from 'node:os';
import type { Control } from '../../base/control.js';
import { ThreadClient } from '../../base/threads/client.js';
import { checkRuns } from './check-runs.js';
import type { Pack } from './pack-reader.js';

/** Fewer lines of facts are checked before a thread has begun. */
const THREAD_FACTS_MIN = 200_000;

/** What the thread is asked, by name. */
export interface CheckJobs {
  readonly runs: { readonly path: string };
}

/** Does `work`, and checks the rows of the pack meanwhile or before it; throws what either does. */
export async function whileChecked(pack: Pack, control: Control, work: () => Promise<void>): Promise<void> {
  if (pack.manifest.counts.facts < THREAD_FACTS_MIN || availableParallelism() < 2) {
    await checkRuns(pack, control);
    return work();
  }
  const thread = new ThreadClient({
    name: 'thread that checks',
    script: new URL('./check-thread.js', import.meta.url),
    setup: null,
  });
  // A failure ends the call too, which tells of it.
  thread.ready.catch(() => undefined);
  try {
    const input: CheckJobs['runs'] = { path: pack.path };
    const { signal } = control;
    const checked = thread.call('runs', input, { what: 'checking the pack', ...(signal && { signal }) }).result;
    // The work may fail first.
    checked.catch(() => undefined);
    await work();
    await checked;
  } finally {
    await thread.close();
  }
}
