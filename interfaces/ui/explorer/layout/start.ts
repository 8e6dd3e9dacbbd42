/** Starts the worker of the layout, on pages of other origins, too. */
import { startWorker } from '../../parts/worker.js';

export function layoutWorker(): Worker {
  return startWorker(new URL('./layout-worker.js', import.meta.url));
}
