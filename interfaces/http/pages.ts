/** Routes of the server itself: whether it lives, whether it answers, what it counts. */

import { ServerMetrics } from './metrics.js';
import type { Page } from './server.js';

export interface ServerState {
  /** False before the store is open and from the moment that the server is asked to stop. */
  readonly ready: boolean;
}

function json(status: number, body: object): Awaited<ReturnType<Page>> {
  return {
    status,
    mediaType: 'application/json',
    body: JSON.stringify(body),
    headers: { 'Cache-Control': 'no-store' },
  };
}

export function serverPages(state: ServerState, metrics: ServerMetrics): Readonly<Record<string, Page>> {
  return {
    '/health': async () => json(200, { status: 'ok' }),
    '/ready': async () =>
      state.ready ? json(200, { status: 'ready' }) : json(503, { status: 'stopping', code: 'unavailable' }),
    '/metrics': async () => ({ mediaType: ServerMetrics.contentType, body: await metrics.render() }),
  };
}
