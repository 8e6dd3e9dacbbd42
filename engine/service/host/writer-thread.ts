/** The body of the writer thread: the store, opened for writing, behind the one job of writing. */

import { serveWriter } from './serve-writer.js';

await serveWriter();
