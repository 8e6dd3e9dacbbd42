/** The secondary indexes of every store file. One that is new has its line here and its databases in `lmdb/file.ts`. */

import { EVENTS } from './events.js';
import type { FileIndex } from './secondary-index.js';
import { SOURCES } from './sources.js';
import { TEXT } from './text/text-index.js';

export const INDEXES: readonly FileIndex[] = [SOURCES, EVENTS, TEXT];
