/** Freezing and thawing of graphs, and what an earlier process has left of them. Each is one turn of the write pipeline. */

import type { Control } from '../../base/control.js';
import { type ArchiveOutcome, freezeGraph as freeze } from '../archives/freeze.js';
import { recoverFreezes as recover } from '../archives/recover.js';
import { thawGraph as thaw } from '../archives/thaw.js';
import type { WriteOptions } from '../options/write-options.js';
import type { WriteCommand } from './command.js';

export type { ArchiveOutcome } from '../archives/freeze.js';

export interface ThawOptions extends Omit<WriteOptions, 'source' | 'validFrom'>, Control {}

export interface FreezeOptions extends ThawOptions {
  /** The folder that the pack goes to; default `archives.dir`, and then the folder of the store. */
  readonly outDir?: string | undefined;
}

export interface FreezeRequest {
  readonly graph: string;
  readonly outDir: string;
}

export const freezeGraph: WriteCommand<FreezeRequest, ThawOptions, ArchiveOutcome> = {
  what: 'the freeze',
  run(context, request, options) {
    const { engine, pipeline, control } = context;
    // What authority is asked about.
    const settled = { ...context.settle(options), graph: request.graph };
    return pipeline.series('the freeze', control, (write) => freeze({ engine, write, control }, request, settled));
  },
};

export const thawGraph: WriteCommand<{ readonly graph: string }, ThawOptions, ArchiveOutcome> = {
  what: 'the thaw',
  run(context, request, options) {
    const { engine, pipeline, control } = context;
    // What authority is asked about.
    const settled = { ...context.settle(options), graph: request.graph };
    return pipeline.series('the thaw', control, (write) => thaw({ engine, write, control }, request, settled));
  },
};

export const recoverFreezes: WriteCommand<object, object, number> = {
  what: 'the recovery of freezes',
  run({ engine, pipeline, control }) {
    return pipeline.series('the recovery of freezes', control, (write) => recover(engine, write));
  },
};
