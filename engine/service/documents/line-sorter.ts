/**
 * Sorts any number of lines by code point within bounded memory, and drops duplicates: lines are
 * collected until the bound, sorted and spilled to a temporary file, and the files are merged at the
 * end. What fits into the bound never touches the disk.
 *
 * Temporary files stand in a folder of their own, which `close` removes.
 */

import { createReadStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { breathe, type Control, throwIfStopped } from '../../base/control.js';
import { fromSystemError, invariant } from '../../base/errors.js';
import { compareCodePoints } from '../../base/text.js';

/** Lines that are handed on, written and merged at a time. */
const BATCH_LINES = 4096;
/** A line of text takes about this many bytes of memory per character, with its string header. */
const HEAP_BYTES_PER_CHARACTER = 1.3;
const HEAP_BYTES_PER_LINE = 32;

export const EXPORT_MEMORY_BYTES_DEFAULT = 256 * 1024 * 1024;

/** UTF-16 order is code point order where there is no surrogate. */
const SURROGATE = /[\ud800-\udfff]/;

function sortLines(lines: string[], surrogates: boolean): void {
  if (surrogates) lines.sort(compareCodePoints);
  else lines.sort();
}

function* distinct(lines: readonly string[]): Generator<string> {
  let previous: string | null = null;
  for (const line of lines) {
    if (line !== previous) yield line;
    previous = line;
  }
}

export class LineSorter {
  #folder: string | null = null;
  readonly #spills: string[] = [];
  #lines: string[] = [];
  #bytes = 0;
  #surrogates = false;
  #complete = false;

  constructor(
    private readonly control: Control,
    private readonly memoryBytesMax: number = EXPORT_MEMORY_BYTES_DEFAULT,
  ) {}

  /** How many files were spilled; 0 when everything fitted. */
  get spills(): number {
    return this.#spills.length;
  }

  async add(lines: readonly string[]): Promise<void> {
    invariant(!this.#complete, 'lines are added before they are sorted');
    for (const line of lines) {
      this.#lines.push(line);
      this.#bytes += line.length * HEAP_BYTES_PER_CHARACTER + HEAP_BYTES_PER_LINE;
      if (!this.#surrogates && SURROGATE.test(line)) this.#surrogates = true;
    }
    if (this.#bytes > this.memoryBytesMax) await this.#spill();
  }

  /** The lines in order, in batches; can be read again. Nothing can be added after the first time. */
  async *sorted(): AsyncGenerator<string[]> {
    if (!this.#complete) {
      this.#complete = true;
      if (this.#spills.length === 0) sortLines(this.#lines, this.#surrogates);
      else if (this.#lines.length > 0) await this.#spill();
    }
    if (this.#spills.length === 0) yield* inBatches(distinct(this.#lines), this.control);
    else yield* this.#merge();
  }

  /** How many distinct lines there are; nothing can be added after. */
  async count(): Promise<number> {
    let lines = 0;
    for await (const batch of this.sorted()) lines += batch.length;
    return lines;
  }

  async close(): Promise<void> {
    this.#lines = [];
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
    this.#folder = null;
  }

  async #spill(): Promise<void> {
    sortLines(this.#lines, this.#surrogates);
    let file: FileHandle | null = null;
    try {
      this.#folder ??= await mkdtemp(join(tmpdir(), 'svc-export-'));
      const path = join(this.#folder, String(this.#spills.length));
      file = await open(path, 'w');
      for await (const batch of inBatches(distinct(this.#lines), this.control)) {
        await file.write(`${batch.join('\n')}\n`);
      }
      this.#spills.push(path);
    } catch (error) {
      throw fromSystemError(error, 'spilling an export to the temporary folder');
    } finally {
      await file?.close();
    }
    this.#lines = [];
    this.#bytes = 0;
  }

  async *#merge(): AsyncGenerator<string[]> {
    const heads: { line: string; rest: AsyncIterator<string> }[] = [];
    for (const path of this.#spills) {
      const rest = linesIn(path);
      const first = await rest.next();
      if (!first.done) heads.push({ line: first.value, rest });
    }
    let batch: string[] = [];
    let previous: string | null = null;
    while (heads.length > 0) {
      let least = 0;
      for (let at = 1; at < heads.length; at++) {
        if (compareCodePoints(heads[at]!.line, heads[least]!.line) < 0) least = at;
      }
      const head = heads[least]!;
      if (head.line !== previous) batch.push(head.line);
      previous = head.line;
      const next = await head.rest.next();
      if (next.done) heads.splice(least, 1);
      else head.line = next.value;
      if (batch.length < BATCH_LINES) continue;
      throwIfStopped(this.control, 'the export');
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
}

/** Lines end with a line feed and nothing else: a text may hold what `node:readline` takes for an end, such as U+2028. */
async function* linesIn(path: string): AsyncGenerator<string> {
  let open = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const [first, ...more] = chunk.split('\n') as [string, ...string[]];
    open += first;
    for (const line of more) {
      yield open;
      open = line;
    }
  }
}

async function* inBatches(lines: Iterable<string>, control: Control): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for (const line of lines) {
    batch.push(line);
    if (batch.length < BATCH_LINES) continue;
    throwIfStopped(control, 'the export');
    yield batch;
    batch = [];
    await breathe();
  }
  if (batch.length > 0) yield batch;
}
