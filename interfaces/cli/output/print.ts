/** Writes what a command answers: a body as a person reads it or as JSON, a document as it comes, to a file or standard output. */

import type {
  Answer,
  AnswerContext,
  Body,
  CommandOperation,
} from '../../../engine/service/operations/definition/operation.js';
import { writeJson } from '../../../engine/service/requests/json.js';
import { JSON_MEDIA_TYPE } from '../../../engine/service/requests/operation-answer.js';
import { readAll } from '../line/inputs.js';
import { type CliOptions, type CliStreams, textOption } from '../line/streams.js';
import { formOfLine } from './out-form.js';
import { type Chunks, type Output, writeFile } from './output.js';
import type { ProgressSink } from './progress.js';

/** A command line, as far as it says how its answer is written. */
export interface Printing {
  readonly operation: CommandOperation;
  readonly options: CliOptions;
  readonly streams: CliStreams;
  readonly output: Output;
  readonly progress: ProgressSink;
}

export interface Printed {
  readonly code: number;
  /** Of what was written before it was compressed. */
  readonly bytes: number;
}

export async function print(run: Printing, answer: Answer<Body>, about: AnswerContext): Promise<Printed> {
  const { operation, options } = run;
  const { text, notice, succeeded, failureCode = 1 } = operation.projections.cli;
  if (answer.kind === 'document' && answer.mediaType === JSON_MEDIA_TYPE && text !== undefined && !options.json) {
    // A body that is written as it is made, for a person.
    const body = JSON.parse(await readAll(encoded(answer.chunks))) as Body;
    return print(run, { kind: 'body', body }, about);
  }
  if (answer.kind === 'document' && answer.mediaType === JSON_MEDIA_TYPE && succeeded !== undefined) {
    // A server's body, as it came; whether what was asked was done stands in it.
    const shown = `${(await readAll(encoded(answer.chunks))).trimEnd()}\n`;
    return { code: succeeded(JSON.parse(shown) as Body) ? 0 : failureCode, bytes: await writeOut(run, [shown]) };
  }
  if (answer.kind === 'document') {
    const bytes = await writeOut(run, options.json ? line(answer.chunks) : await forReader(run, answer.chunks));
    run.progress.clear();
    return { code: 0, bytes };
  }
  const shown = options.json || text === undefined ? `${writeJson(answer.body)}\n` : text(answer.body, about);
  const bytes = await writeOut(run, operation.name === 'ask' ? await forReader(run, [shown]) : [shown]);
  if (notice !== undefined && options.json !== true) run.streams.stderr.write(notice(answer.body, about));
  return { code: succeeded === undefined || succeeded(answer.body) ? 0 : failureCode, bytes };
}

/** A table that a person reads at a terminal has columns of one width. */
async function forReader({ operation, options, streams }: Printing, chunks: Chunks): Promise<Chunks> {
  const { isTTY, columns } = streams.stdout as { readonly isTTY?: boolean; readonly columns?: number };
  if (isTTY !== true || options.out !== undefined || options.json === true) return chunks;
  const form = formOfLine(operation, options, streams).representation;
  const isTable = form === 'table' || operation.name === 'ask';
  return isTable ? (await import('./terminal-table.js')).alignedTable(chunks, columns || streams.columns) : chunks;
}

/** To the file of `--out`, or standard output; gives how much it was. */
async function writeOut({ operation, options, output }: Printing, chunks: Chunks): Promise<number> {
  let bytes = 0;
  async function* counted(): AsyncGenerator<Uint8Array | string> {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      yield chunk;
    }
  }
  // Where it is a field of the request, the operation writes that file.
  const isField = 'out' in operation.projections.cli.options;
  const out = isField ? undefined : textOption(options, 'out');
  if (out === undefined) await output.writeAll(counted());
  else await writeFile(out, counted());
  return bytes;
}

async function* encoded(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
}

/** A JSON text as a line of its own. */
async function* line(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array | string> {
  yield* chunks;
  yield '\n';
}
