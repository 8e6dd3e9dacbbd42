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
  readonly lineBytesMax: number;
  /** For a person: what went wrong beside the protocol. */
  readonly diagnose: (text: string) => void;
}

export interface StdioConnection {
  /** Settles when the connection has ended: its input did, nobody reads it, or it was closed. */
  readonly ended: Promise<void>;
  close(): Promise<void>;
}

export async function serveStdio(
  host: ToolHost,
  { input, output, token, lineBytesMax, diagnose }: StdioOptions,
): Promise<StdioConnection> {
  const { serveLines } = await import('./sdk.js');
  let closed = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    closed = resolve;
  });
  const connection = serveLines(host, {
    transport: (texts, parse) => new JsonLineTransport({ input, output, texts, parse, lineBytesMax, onClosed: closed }),
    authorization: token === null ? null : `Bearer ${token}`,
    onError: (error) => diagnose(`mcp: ${error.message}\n`),
  });
  return { ended, close: () => connection.close() };
}
