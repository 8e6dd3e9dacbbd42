/**
 * The fold as a write: turns what small transactions have added into runs, in the turn of a write, and vectors that are in no
 * segment into one, beside others.
 */

import type { MaintenanceReport, TextKind } from '../../storage/seam/engine.js';
import type { WriteCommand } from './command.js';

export const fold: WriteCommand<object, object, MaintenanceReport> = {
  what: 'the fold',
  async run({ engine, pipeline, control }) {
    const report = await pipeline.fold(control);
    const { foldVectors } = await import('../../storage/indexes/vectors/fold-vectors.js');
    const bytes = await foldVectors(engine, control);
    return { ...report, bytesWritten: report.bytesWritten + bytes };
  },
};

/** From now on so much of the text index is kept; what it lacks is made beside other work. */
export const indexTexts: WriteCommand<{ readonly kinds: readonly TextKind[] }, object, null> = {
  what: 'the text index',
  async run({ engine }, { kinds }) {
    await engine.indexTexts(kinds);
    return null;
  },
};
