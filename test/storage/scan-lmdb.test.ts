/** The LMDB store against the table of behaviour cases that every storage passes. */

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLmdbEngine } from '../../engine/storage/lmdb-store/open.js';
import { scanCases } from './scan-cases.js';

let stores = 0;
const folder = mkdtempSync(join(tmpdir(), 'svc-scan-'));

scanCases('LMDB', () => openLmdbEngine(join(folder, `store-${stores++}.db`)));
