/** The secondary indexes of every store file. One that is new has its line here and its databases in `lmdb/file.ts`. */

import { EVENTS } from './events.js';
import type { FileIndex, SecondaryIndex } from './secondary-index.js';
import { SOURCES } from './sources.js';
import { TEXT } from './text/text-index.js';
import { TIMES } from './times.js';
import { VECTORS } from './vectors/vectors.js';

export const INDEXES: readonly FileIndex[] = [SOURCES, EVENTS, TEXT, VECTORS, TIMES];

/** Those of a store in memory, which keeps sources and events without. */
export const MEMORY_INDEXES: readonly SecondaryIndex<unknown>[] = [VECTORS];
