/**
 * A connection of agents over a pair of streams: the protocol on the one, nothing but the protocol on the other.
 */

import type { Readable, Writable } from 'node:stream';
import { JsonLineTransport } from './line-transport.js';
import type { ToolHost } from './tool-host.js';

export interface StdioOptions {
  readonly input: Readable;
  readonly output: Writable;
  /** The bearer token of the connection; null = none. */
  readonly token: string | null;
  /** On whose behalf its calls write; undefined = nobody is named. */
  readonly principalChain: readonly string[] | undefined;
  readonly lineBytesMax: number;
  /** Of a query: what is under way when the input ends is waited for until the last of them has met it. */
  readonly queryTimeoutMs: number;
  /** For a person: what went wrong beside the protocol. */
  readonly diagnose: (text: string) => void;
}

export interface StdioConnection {
  /** Settles when the connection has ended: its input did, nobody reads it, or it was closed. Whether all was answered. */
  readonly ended: Promise<boolean>;
  close(): Promise<void>;
}

/** Beyond the deadline of queries: to answer that it was met. */
const ANSWER_MS = 5_000;

export async function serveStdio(
  host: ToolHost,
  { input, output, token, principalChain, lineBytesMax, queryTimeoutMs, diagnose }: StdioOptions,
): Promise<StdioConnection> {
  const { serveLines } = await import('./sdk.js');
  const graceMs = queryTimeoutMs + ANSWER_MS;
  let closed = (_answered: boolean): void => undefined;
  const ended = new Promise<boolean>((resolve) => {
    closed = resolve;
  });
  const onClosed = (cutOff: number): void => {
    if (cutOff > 0) {
      const requests = cutOff === 1 ? '1 request was' : `${cutOff} requests were`;
      diagnose(
        `mcp: ${requests} cut off: no answer within ${graceMs} ms of the end of the input (search.query_timeout_ms)\n`,
      );
    }
    closed(cutOff === 0);
  };
  const connection = serveLines(host, {
    transport: (texts, parse) =>
      new JsonLineTransport({ input, output, texts, parse, lineBytesMax, graceMs, onClosed }),
    authorization: token === null ? null : `Bearer ${token}`,
    principalChain: principalChain === undefined ? null : Buffer.from(principalChain.join(',')).toString('latin1'),
    onError: (error) => diagnose(`mcp: ${error.message}\n`),
  });
  return { ended, close: () => connection.close() };
}
