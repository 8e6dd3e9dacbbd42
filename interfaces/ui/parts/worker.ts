/**
 * Starts a worker from a file of the web UI. A browser starts none from another origin, so there, on a page of somebody
 * else, a small one imports it.
 */
export function startWorker(url: URL): Worker {
  if (url.origin === location.origin) return new Worker(url, { type: 'module' });
  const loader = URL.createObjectURL(new Blob([`import ${JSON.stringify(url.href)};`], { type: 'text/javascript' }));
  const worker = new Worker(loader, { type: 'module' });
  // The browser has read it once the worker says or fails anything; before, it may not be taken away.
  const forget = (): void => URL.revokeObjectURL(loader);
  worker.addEventListener('message', forget, { once: true });
  worker.addEventListener('error', forget, { once: true });
  return worker;
}
