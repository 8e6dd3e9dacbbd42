/**
 * Events of the store as they come, for as long as somebody looks: one request that stays open, given up with its signal. It begins
 * behind the last event that there is, and goes on where it broke off once the server answers again.
 */

import type { Server } from './server.js';

export interface StoreEvent {
  readonly offset: number;
  readonly type: string;
  readonly subject: string | null;
}

const AGAIN_MS = 2_000;
const AGAIN_MS_MAX = 60_000;

/** `took` is called for each; settles when the signal fires, or when the server has no events for this reader. */
export async function followEvents(
  server: Server,
  types: readonly string[],
  took: (event: StoreEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let since: number | null = null;
  for (let waitMs = AGAIN_MS; !signal.aborted; waitMs = Math.min(2 * waitMs, AGAIN_MS_MAX)) {
    try {
      since ??= await lastOffset(server, signal);
      const parameters = new URLSearchParams({ since: String(since), types: types.join(','), follow: 'true' });
      const response = await server.fetch(`${server.base}/events?${parameters}`, {
        headers: { Accept: 'application/x-ndjson' },
        signal,
      });
      // Whoever may not read events sees what comes when they ask again.
      if (response.status >= 400 && response.status < 500) return await response.body?.cancel();
      for await (const line of linesOf(response)) {
        const event = JSON.parse(line) as StoreEvent;
        since = event.offset;
        waitMs = AGAIN_MS;
        took(event);
      }
    } catch {
      // The server is away, which the page says; it is asked again below.
    }
    if (!signal.aborted) await pause(waitMs, signal);
  }
}

async function lastOffset({ background }: Server, signal: AbortSignal): Promise<number> {
  const { next_offset: next, lag } = await background.call('events', { limit: 1 }, { signal });
  return next + lag;
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw new Error(`events: ${response.status}`);
  let rest = '';
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) if (line !== '') yield line;
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
