/** What a write of a whole graph takes and gives. */

import type { Control } from '../../base/control.js';
import type { WriteOptions } from './options.js';
import type { TransactionResult } from './transact.js';

export interface GraphWriteOptions extends WriteOptions, Control {
  /** `store` keeps labels of blank nodes as they are written. */
  readonly blankNodeScope?: 'document' | 'store' | undefined;
}

export interface GraphWriteResult extends TransactionResult {
  /** The graph was not there before. */
  readonly created: boolean;
}
