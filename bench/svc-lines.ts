/**
 * A store behind a line protocol, so that any harness can drive it: `svc-lines --db PATH`.
 * In, one JSON object a line: `{"id":1,"op":"load","file":"x.nt"}`, `{"id":2,"op":"query","query":"..."}`,
 * `{"op":"quit"}`. Out, in the same sequence: a JSON line `{"id":2,"ok":true,"bytes":123,"ms":1.5}`,
 * then exactly so many bytes: SPARQL JSON, or N-Triples for a graph. What fails answers `"ok":false` with the error, and the
 * next request is served. PATH may be a folder; the store is then a file in it.
 */
import { readSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate, setTimeout } from 'node:timers/promises';
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

/** Answers one line, if it is not empty; false when it was the last. */
async function serve(store: Store, line: string): Promise<boolean> {
  if (line.trim() === '') return true;
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

/** Bytes of a read; a longer line comes in several. */
const READ_BYTES = 65_536;
const NEW_LINE = 10;

/**
 * Reads and answers by turns. The read blocks: there is one client, and a turn of the event loop around each read costs
 * as much as a small query. What waits for the loop has its turn behind each answer, while the client reads it.
 */
async function serveLines(store: Store): Promise<void> {
  const chunk = Buffer.allocUnsafe(READ_BYTES);
  let rest: Buffer = NOTHING;
  for (;;) {
    const read = await readSome(chunk);
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let end = bytes.indexOf(NEW_LINE); end >= 0; end = bytes.indexOf(NEW_LINE, from)) {
      if (!(await serve(store, bytes.toString('utf8', from, end)))) return;
      from = end + 1;
    }
    rest = bytes.subarray(from);
    if (read === 0) {
      await serve(store, rest.toString());
      return;
    }
    await setImmediate();
  }
}

/** 0 at the end. An input that does not block is asked again in a millisecond. */
async function readSome(into: Buffer): Promise<number> {
  for (;;) {
    try {
      return readSync(0, into);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
    }
    await setTimeout(1);
  }
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
