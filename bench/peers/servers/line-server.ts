/**
 * The line protocol for peers in Node, as `svc-lines` speaks it: a JSON object a line in; out, a JSON line with the
 * length of the answer, and then its bytes.
 */
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';

export interface LineHandlers {
  /** Loads a document and says how many triples the store has. */
  load(file: string): Promise<number>;
  /** SPARQL JSON, or N-Triples for a graph. */
  query(text: string, form: string): Promise<string>;
  close?(): Promise<void>;
}

interface LineRequest {
  readonly id?: number;
  readonly op: string;
  readonly file?: string;
  readonly query?: string;
  readonly form?: string;
}

const ERROR_CHARACTERS_MAX = 500;

export async function serveLines(handlers: LineHandlers): Promise<void> {
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.trim() === '') continue;
    const request = JSON.parse(line) as LineRequest;
    if (request.op === 'quit') break;
    await answer(handlers, request);
  }
  await handlers.close?.();
  process.exit(0);
}

async function answer(handlers: LineHandlers, { id, op, file, query, form }: LineRequest): Promise<void> {
  const begin = performance.now();
  let body = '';
  let more: object;
  try {
    if (op === 'load') more = { ok: true, triples: await handlers.load(file as string) };
    else {
      body = await handlers.query(query as string, form as string);
      more = { ok: true };
    }
  } catch (error) {
    body = '';
    more = { ok: false, error: String(error instanceof Error ? error.message : error).slice(0, ERROR_CHARACTERS_MAX) };
  }
  const bytes = Buffer.from(body);
  const head = { id, ...more, bytes: bytes.length, ms: performance.now() - begin };
  writeAll(Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), bytes]));
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
