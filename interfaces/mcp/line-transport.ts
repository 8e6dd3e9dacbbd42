/**
 * Messages as lines: one JSON text each, in and out.
 * 1. What is no message is answered in the words of the protocol, and the line after it is read on: a line that is not
 *    JSON, one that nests too deeply, one beyond the limit (of which nothing is kept).
 * 2. Input is read no faster than it is answered: beyond so many open requests, and while nobody reads the output, it
 *    waits, also in the middle of a chunk.
 * 3. At the end of the input what is under way has a while to be answered; what is not answered then is cut off, and
 *    counted. As soon as nobody reads the output there is nothing more to answer. The transport closes in both cases,
 *    which cancels what runs.
 */

import type { Readable, Writable } from 'node:stream';
import type { SvcError } from '../../engine/base/errors.js';
import { parseJsonValue } from '../../engine/service/requests/json-request.js';
import type { RawTexts } from './raw-json.js';
import type { LineMessage, LineTransport } from './sdk.js';
import { isServed } from './tool-host.js';

export interface LineTransportOptions {
  readonly input: Readable;
  readonly output: Writable;
  readonly texts: RawTexts;
  /** Throws for what is no message. */
  readonly parse: (value: unknown) => LineMessage;
  /** Of one line, without its end. */
  readonly lineBytesMax: number;
  /** What is under way when the input ends has this long to be answered. */
  readonly graceMs: number;
  /** Told once, when the transport has closed: how many requests were cut off since that time was over. */
  readonly onClosed: (cutOff: number) => void;
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
/** Requests that are open at a time. */
const OPEN_MAX = 256;
const NEWLINE = 0x0a;
type Id = string | number | null;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string | number {
  return typeof value === 'string' || Number.isInteger(value);
}

export class JsonLineTransport implements LineTransport {
  onmessage?: LineTransport['onmessage'];
  onerror?: LineTransport['onerror'];
  onclose?: LineTransport['onclose'];
  readonly #options: LineTransportOptions;
  /** The line so far; null = it is too long, and its end is waited for. */
  #pieces: Buffer[] | null = [];
  #bytes = 0;
  readonly #open = new Set<Id>();
  #ended = false;
  #closed = false;
  #grace: NodeJS.Timeout | null = null;
  #draining: Promise<void> | null = null;

  constructor(options: LineTransportOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { input, output } = this.#options;
    input.on('data', this.#onData);
    input.on('end', this.#onEnd);
    input.on('close', this.#onEnd);
    input.on('error', this.#onEnd);
    output.on('error', this.#onBroken);
    output.on('close', this.#onBroken);
  }

  async close(): Promise<void> {
    this.#close(0);
  }

  #close(cutOff: number): void {
    if (this.#closed) return;
    this.#closed = true;
    if (this.#grace !== null) clearTimeout(this.#grace);
    const { input, output } = this.#options;
    input.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd);
    input.pause();
    // Writes that were on their way may still fail; the listener for errors stays for them.
    output.off('close', this.#onBroken);
    this.#pieces = [];
    this.onclose?.();
    this.#options.onClosed(cutOff);
  }

  async send(message: LineMessage): Promise<void> {
    if (this.#closed) return;
    const { output, texts } = this.#options;
    const written = output.write(`${texts.fill(JSON.stringify(message))}\n`);
    if (!written) await this.#whenDrained();
    if (!('method' in message)) this.#settled(message.id ?? null);
  }

  /** Nothing more is read while nobody takes what was written, so neither answers nor refusals pile up. */
  #whenDrained(): Promise<void> {
    this.#draining ??= new Promise((resolve) => {
      const { input, output } = this.#options;
      input.pause();
      const done = () => {
        output.off('drain', done).off('close', done).off('error', done);
        this.#draining = null;
        this.#readOn();
        resolve();
      };
      output.on('drain', done).on('close', done).on('error', done);
    });
    return this.#draining;
  }

  #readOn(): void {
    const { input } = this.#options;
    const mayRead = !this.#closed && this.#draining === null && this.#open.size < OPEN_MAX;
    if (mayRead && input.isPaused()) input.resume();
  }

  #settled(id: Id): void {
    this.#open.delete(id);
    if (this.#ended && this.#open.size === 0) void this.close();
    else this.#readOn();
  }

  readonly #onBroken = (): void => {
    void this.close();
  };

  readonly #onEnd = (): void => {
    if (this.#ended || this.#closed) return;
    this.#ended = true;
    if (this.#bytes > 0) this.#endLine();
    if (this.#open.size === 0) void this.close();
    else this.#grace = setTimeout(() => this.#close(this.#open.size), this.#options.graceMs);
  };

  readonly #onData = (chunk: Buffer): void => {
    const { input } = this.#options;
    let from = 0;
    while (!this.#closed && from < chunk.length) {
      if (input.isPaused()) {
        input.unshift(chunk.subarray(from));
        return;
      }
      const end = chunk.indexOf(NEWLINE, from);
      if (end < 0) {
        this.#append(chunk.subarray(from));
        return;
      }
      this.#append(chunk.subarray(from, end));
      this.#endLine();
      from = end + 1;
    }
  };

  #append(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#options.lineBytesMax) this.#pieces = null;
    this.#pieces?.push(piece);
  }

  #endLine(): void {
    const pieces = this.#pieces;
    this.#pieces = [];
    this.#bytes = 0;
    if (pieces === null) {
      const max = this.#options.lineBytesMax;
      void this.#refuse(null, INVALID_REQUEST, `the message is larger than ${max} bytes (server.max_body_bytes)`);
      return;
    }
    const line = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
    if (line.toString('latin1', 0, Math.min(line.length, 64)).trim() === '' && line.length <= 64) return;
    this.#take(line);
  }

  #take(line: Buffer): void {
    let value: unknown;
    try {
      value = parseJsonValue(line, 'the line');
    } catch (error) {
      void this.#refuse(null, PARSE_ERROR, `Parse error: ${(error as SvcError).message}`);
      return;
    }
    const id = isObject(value) && isId(value.id) ? value.id : null;
    let message: LineMessage;
    try {
      message = this.#options.parse(value);
    } catch {
      const fault = Array.isArray(value) ? 'one message a line, no batch' : 'the line is no JSON-RPC message';
      void this.#refuse(id, INVALID_REQUEST, `Invalid Request: ${fault}`);
      return;
    }
    const method = 'method' in message ? message.method : undefined;
    if (method !== undefined && id !== null) {
      if (!isServed(method)) {
        void this.#refuse(id, METHOD_NOT_FOUND, 'Method not found');
        return;
      }
      this.#open.add(id);
      if (this.#open.size >= OPEN_MAX) this.#options.input.pause();
    }
    if (method === 'notifications/cancelled') this.#cancelled(message);
    this.onmessage?.(message);
  }

  /** A request that was cancelled is not answered. */
  #cancelled(message: unknown): void {
    const { params } = message as { readonly params?: { readonly requestId?: unknown } };
    const id = params?.requestId;
    if (isId(id)) setImmediate(() => this.#settled(id));
  }

  #refuse(id: Id, code: number, message: string): Promise<void> {
    // What has no id is answered with null, which the library's type does not know.
    return this.send({ jsonrpc: '2.0', id, error: { code, message } } as LineMessage);
  }
}
