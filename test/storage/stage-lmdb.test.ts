/** The LMDB store against the table of cases of staged transactions. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { stageCases } from './stage-cases.js';

let stores = 0;
const folder = mkdtempSync(join(tmpdir(), 'svc-stage-'));

stageCases('LMDB', () => openLmdbEngine(join(folder, `store-${stores++}.db`)));
