/** The in-memory store against the table of cases of staged transactions. */

import { openMemoryEngine } from '../../engine/storage/memory/engine.js';
import { stageCases } from './stage-cases.js';

stageCases('memory', async () => openMemoryEngine());
stageCases('memory, sparse batches', async () => openMemoryEngine({ batches: { rowsMax: 100, sparse: true } }));
