/** A writer thread for tests that knows one command more, and lets nobody but one principal write. */
import { serveWriter } from '../../engine/service/host/serve-writer.js';
import { WRITES } from '../../engine/service/writes/commands.js';
import { onlyAda, stamp } from './write-support.js';

await serveWriter({ ...WRITES, stamp }, { authority: onlyAda });
