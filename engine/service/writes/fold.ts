/** The fold as a write: turns what small transactions have added into runs, in the turn of a write. */

import type { MaintenanceReport, TextKind } from '../../storage/seam/engine.js';
import type { WriteCommand } from './command.js';

export const fold: WriteCommand<object, object, MaintenanceReport> = {
  what: 'the fold',
  run: ({ pipeline, control }) => pipeline.fold(control),
};

/** From now on so much of the text index is kept; what it lacks is made beside other work. */
export const indexTexts: WriteCommand<{ readonly kinds: readonly TextKind[] }, object, null> = {
  what: 'the text index',
  async run({ engine }, { kinds }) {
    await engine.indexTexts(kinds);
    return null;
  },
};
