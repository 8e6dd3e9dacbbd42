/** How a peer is asked: a query goes out, the bytes of the answer come back with the time at which the last one was there. */
import type { ChildProcess } from 'node:child_process';
import { Agent, request } from 'node:http';
import { SvcError } from '../../engine/base/errors.js';
import type { Form } from './query-set.js';

export interface Reply {
  readonly body: Buffer;
  /** On the clock of `performance.now`. */
  readonly atMs: number;
  /** The fields of the line before the answer; empty over HTTP. */
  readonly head: Readonly<Record<string, unknown>>;
}

export interface Transport {
  query(text: string, form: Form, timeoutMs: number): Promise<Reply>;
  /** Null over HTTP: the peer has a way of its own to load. */
  load: ((file: string, timeoutMs: number) => Promise<Reply>) | null;
  /** The process has ended: nobody will answer. */
  ended(why: string): void;
  close(): void;
}

export const isGraph = (form: Form): boolean => form === 'CONSTRUCT' || form === 'DESCRIBE';

class TimeOut extends SvcError {
  constructor() {
    super('query_timeout', 'timeout');
  }
}

interface Waiting {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/** A line of JSON, and then so many bytes as it says. */
export class LineTransport implements Transport {
  readonly #child: ChildProcess;
  #waiting: Waiting | null = null;
  #chunks: Buffer[] = [];
  #length = 0;
  #head: { readonly bytes: number; readonly ok: boolean; readonly error?: string } | null = null;
  #requests = 0;

  constructor(child: ChildProcess) {
    this.#child = child;
    child.stdin?.on('error', () => this.ended('its input is closed'));
    child.stdout?.on('data', (chunk: Buffer) => this.#take(chunk));
  }

  query(text: string, form: Form, timeoutMs: number): Promise<Reply> {
    return this.#ask({ op: 'query', query: text, form, graph: isGraph(form) }, timeoutMs);
  }

  readonly load = (file: string, timeoutMs: number): Promise<Reply> => this.#ask({ op: 'load', file }, timeoutMs);

  ended(why: string): void {
    this.#waiting?.reject(new SvcError('service_failed', `the process ended: ${why}`));
    this.#waiting = null;
  }

  close(): void {
    this.#child.stdin?.write('{"op":"quit"}\n');
    this.#child.stdin?.end();
  }

  #ask(message: object, timeoutMs: number): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting = null;
        reject(new TimeOut());
      }, timeoutMs);
      this.#waiting = {
        resolve: (reply) => {
          clearTimeout(timer);
          resolve(reply);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#child.stdin?.write(`${JSON.stringify({ id: ++this.#requests, ...message })}\n`);
    });
  }

  #take(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    if (this.#head === null && !this.#takeHead(chunk)) return;
    if (this.#head === null || this.#length < this.#head.bytes) return;
    const atMs = performance.now();
    const head = this.#head;
    const body = Buffer.concat(this.#chunks).subarray(0, head.bytes);
    const waiting = this.#waiting;
    this.#chunks = [];
    this.#length = 0;
    this.#head = null;
    this.#waiting = null;
    if (head.ok) waiting?.resolve({ body, atMs, head: head as object as Reply['head'] });
    else waiting?.reject(new SvcError('service_failed', head.error ?? 'failed without a word'));
  }

  /** Lines that are no JSON are what some program says about itself. */
  #takeHead(chunk: Buffer): boolean {
    if (!chunk.includes(10)) return false;
    let whole = Buffer.concat(this.#chunks);
    for (let end = whole.indexOf(10); end >= 0 && this.#head === null; end = whole.indexOf(10)) {
      const line = whole.subarray(0, end).toString();
      whole = whole.subarray(end + 1);
      if (line.startsWith('{')) this.#head = JSON.parse(line);
    }
    this.#chunks = [whole];
    this.#length = whole.length;
    return this.#head !== null;
  }
}

const ERROR_CHARACTERS_MAX = 300;

/** SPARQL 1.1 protocol, POST. */
export class HttpTransport implements Transport {
  readonly load = null;
  readonly #url: string;
  readonly #agent: Agent;
  readonly #open = new Set<Waiting>();

  constructor(url: string, keepAlive: boolean) {
    this.#url = url;
    this.#agent = new Agent({ keepAlive });
  }

  query(text: string, form: Form, timeoutMs: number): Promise<Reply> {
    const body = Buffer.from(`query=${encodeURIComponent(text)}`);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': body.length,
      accept: isGraph(form) ? 'application/n-triples, text/plain;q=0.8' : 'application/sparql-results+json',
    };
    return new Promise((resolve, reject) => {
      const settle = (done: () => void): void => {
        clearTimeout(timer);
        this.#open.delete(waiting);
        done();
      };
      const waiting: Waiting = {
        resolve: (reply) => settle(() => resolve(reply)),
        reject: (error) => settle(() => reject(error)),
      };
      const sent = request(this.#url, { method: 'POST', agent: this.#agent, headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', waiting.reject);
        response.on('end', () => {
          const reply = { body: Buffer.concat(chunks), atMs: performance.now(), head: {} };
          if (response.statusCode === 200) return waiting.resolve(reply);
          const text = reply.body.toString().slice(0, ERROR_CHARACTERS_MAX);
          waiting.reject(new SvcError('service_failed', `HTTP ${response.statusCode} ${text}`));
        });
      });
      const timer = setTimeout(() => {
        sent.destroy();
        waiting.reject(new TimeOut());
      }, timeoutMs);
      this.#open.add(waiting);
      sent.on('error', waiting.reject);
      sent.end(body);
    });
  }

  ended(why: string): void {
    for (const waiting of [...this.#open]) waiting.reject(new SvcError('service_failed', `the process ended: ${why}`));
  }

  close(): void {
    this.#agent.destroy();
  }
}
