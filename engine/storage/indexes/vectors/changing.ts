/** Changes of vectors in a write of the file that others share. */

import { SvcError } from '../../../base/errors.js';
import type { StorageEngine } from '../../seam/engine.js';
import type { IndexWriter } from '../../seam/scan.js';

type Outcome<Result> = { readonly result: Result } | { readonly error: unknown };

/** What the change throws is thrown here, and does not undo what others write with it; so it puts nothing before it throws. */
export async function changing<Result>(
  engine: StorageEngine,
  change: (writer: IndexWriter) => Result,
): Promise<Result> {
  const outcomes: Outcome<Result>[] = [];
  await engine.changeIndexes((writer) => {
    try {
      outcomes.push({ result: change(writer) });
    } catch (error) {
      outcomes.push({ error });
    }
  });
  const [outcome] = outcomes;
  if (outcome === undefined) throw new SvcError('disk_io', 'a change of the vectors was not carried out');
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
