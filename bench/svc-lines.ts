/**
 * A store behind a line protocol, so that any harness can drive it: `svc-lines --db PATH`.
 * In, one JSON object a line: `{"id":1,"op":"load","file":"x.nt"}`, `{"id":2,"op":"query","query":"..."}`,
 * `{"op":"quit"}`. Out, in the same sequence: a JSON line `{"id":2,"ok":true,"bytes":123,"ms":1.5}`,
 * then exactly so many bytes: SPARQL JSON, or N-Triples for a graph. What fails answers `"ok":false` with the error, and the
 * next request is served. PATH may be a folder; the store is then a file in it.
 */
import { statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compileForQueries } from '../engine/base/compile-tiers.js';
import { openStore, type Store, SvcError } from '../interfaces/library/index.js';

const FILE_IN_FOLDER = 'store.svc';
const ERROR_CHARACTERS_MAX = 1000;
const NOTHING = Buffer.alloc(0);

interface Request {
  readonly id?: number;
  readonly op?: string;
  readonly file?: string;
  readonly query?: string;
}

interface Reply {
  readonly body: Buffer;
  /** More fields of the header line. */
  readonly extra: Readonly<Record<string, number | string>>;
}

async function load(store: Store, { file }: Request): Promise<Reply> {
  if (typeof file !== 'string') throw new SvcError('invalid_request', 'a load names its "file"');
  const { quadsAdded } = await store.load(file);
  return { body: NOTHING, extra: { triples: quadsAdded } };
}

async function query(store: Store, request: Request): Promise<Reply> {
  if (typeof request.query !== 'string') throw new SvcError('invalid_request', 'a query has its text in "query"');
  const answer = await store.query(request.query, { inference: false });
  const parts: Uint8Array[] = [];
  for await (const part of answer.encode(answer.kind === 'graph' ? 'ntriples' : 'json'))
    parts.push(typeof part === 'string' ? Buffer.from(part) : part);
  return { body: Buffer.concat(parts), extra: {} };
}

async function answer(store: Store, request: Request): Promise<Reply> {
  switch (request.op) {
    case 'load':
      return load(store, request);
    case 'query':
      return query(store, request);
    default:
      throw new SvcError(
        'invalid_request',
        `there is no op ${JSON.stringify(request.op)}; there are load, query, quit`,
      );
  }
}

/** Answers one line; false when it was the last. */
async function serve(store: Store, line: string): Promise<boolean> {
  const begin = performance.now();
  let request: Request = {};
  let reply: Reply = { body: NOTHING, extra: {} };
  let failure: Readonly<Record<string, unknown>> = {};
  try {
    request = JSON.parse(line) as Request;
    if (request.op === 'quit') return false;
    reply = await answer(store, request);
  } catch (error) {
    failure = describe(error);
  }
  const ok = Object.keys(failure).length === 0;
  const ms = performance.now() - begin;
  const head = { id: request.id ?? null, ok, ...failure, ...reply.extra, bytes: reply.body.length, ms };
  writeAll(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), reply.body]));
  return true;
}

function describe(error: unknown): Readonly<Record<string, unknown>> {
  const text = error instanceof Error ? error.message : String(error);
  const code = error instanceof SvcError ? error.code : 'internal';
  return { code, error: `${code}: ${text}`.slice(0, ERROR_CHARACTERS_MAX) };
}

/** Synchronously, since the reader measures until the last byte; a full pipe is tried again. */
function writeAll(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    }
  }
}

/** Takes chunks as they come: asynchronous iteration over lines, or over chunks, costs as much as a small query. */
function serveLines(store: Store): Promise<void> {
  return new Promise((resolve, reject) => {
    let rest = '';
    const waiting: string[] = [];
    let serving = false;
    let ended = false;
    const serveWaiting = async (): Promise<void> => {
      serving = true;
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
        if (line.trim() !== '' && !(await serve(store, line))) return resolve();
      }
      serving = false;
      if (ended) resolve();
    };
    const take = (lines: readonly string[]): void => {
      waiting.push(...lines);
      if (!serving) serveWaiting().catch(reject);
    };
    process.stdin.setEncoding('utf8');
    process.stdin.on('data', (chunk: string) => {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() as string;
      if (lines.length > 0) take(lines);
    });
    process.stdin.on('end', () => {
      ended = true;
      take([rest]);
    });
    process.stdin.on('error', reject);
  });
}

function storePath(path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? join(path, FILE_IN_FOLDER) : path;
}

async function main(): Promise<void> {
  const { db } = parseArgs({ options: { db: { type: 'string' } } }).values;
  if (db === undefined) throw new SvcError('usage', 'svc-lines needs --db PATH');
  compileForQueries();
  const store = await openStore(storePath(db));
  try {
    await serveLines(store);
  } finally {
    await store.close();
  }
}

try {
  await main();
  // A harness may keep its end of the input open.
  process.exit(0);
} catch (error) {
  console.error(error instanceof SvcError ? `error: ${error.describe()}` : error);
  process.exit(error instanceof SvcError ? error.exitCode : 1);
}
