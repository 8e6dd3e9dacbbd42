/** The fold as a write: turns what small transactions have added into runs, in the turn of a write. */

import type { MaintenanceReport } from '../../storage/seam/engine.js';
import type { WriteCommand } from './command.js';

export const fold: WriteCommand<object, object, MaintenanceReport> = {
  what: 'the fold',
  run: ({ pipeline, control }) => pipeline.fold(control),
};
