/** What a caller can say about the write of a whole graph, and what comes of it. */

import type { Control } from '../../base/control.js';
import { GRAPH_STORE_METHODS } from '../../graphs/graph-store.js';
import { unfitValue } from '../options/check-options.js';
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

/** Callers without types may write a method that there is not, which would do what another one does. */
export function checkGraphWrite(method: unknown, documents: unknown): void {
  if (!(GRAPH_STORE_METHODS as readonly unknown[]).includes(method)) {
    throw unfitValue('method', `one of ${GRAPH_STORE_METHODS.join(', ')}`, method);
  }
  if (!Array.isArray(documents)) throw unfitValue('documents', 'a list of documents', documents);
  if (method === 'delete' && documents.length > 0)
    throw unfitValue('documents', 'none where a graph is deleted', documents);
}
