/** What a write of a whole graph takes and gives. */

import type { Control } from '../../base/control.js';
import type { WriteOptions } from './options.js';
import type { TransactionResult } from './transact.js';

/** What a load may take of the memory of a server, beside the reads that go on. */
export const SERVER_LOAD_BYTES = 256 * 1024 * 1024;

export interface GraphWriteOptions extends WriteOptions, Control {
  /** `store` keeps labels of blank nodes as they are written. */
  readonly blankNodeScope?: 'document' | 'store' | undefined;
}

export interface GraphWriteResult extends TransactionResult {
  /** The graph was not there before. */
  readonly created: boolean;
}
