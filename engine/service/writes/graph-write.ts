/** What a caller can say about the write of a whole graph, and what comes of it. */

import type { Control } from '../../base/control.js';
import type { WriteOptions } from '../options/write-options.js';
import type { TransactionResult } from './transact.js';

export interface GraphWriteOptions extends WriteOptions, Control {
  /** `store` keeps labels of blank nodes as they are written. */
  readonly blankNodeScope?: 'document' | 'store' | undefined;
}

export interface GraphWriteResult extends TransactionResult {
  /** The graph was not there before. */
  readonly created: boolean;
}
