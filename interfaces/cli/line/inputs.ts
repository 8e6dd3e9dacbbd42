/** What a command line takes from elsewhere: texts of files, and standard input for `-`. */

import { existsSync, readFileSync } from 'node:fs';
import { SvcError } from '../../../engine/base/errors.js';
import type { Body, CommandOperation } from '../../../engine/service/operations/definition/operation.js';
import { optionKey } from './commands.js';
import { type CliOptions, type CliStreams, textOption } from './streams.js';

/** As names begin that stand for documents of the service. */
const BUILTIN = 'builtin:';

/** A command line, as far as it says what to read. */
export interface Line {
  readonly operation: CommandOperation;
  readonly options: CliOptions;
  readonly words: readonly string[];
  readonly streams: CliStreams;
}

/** The text argument: from the line, from `--file`, or from standard input for `-`. */
export async function readArgument(line: Line): Promise<Body> {
  const { argument } = line.operation.projections.cli;
  if (argument === undefined) return {};
  const file = textOption(line.options, 'file');
  const [word] = line.words;
  if (file !== undefined && word !== undefined)
    throw new SvcError('usage', `give the ${argument.name} or --file, not both`);
  if (file === undefined && word === undefined) throw new SvcError('usage', `missing argument: ${argument.name}`);
  const from = file ?? (word === '-' ? '-' : null);
  if (from === null) refuseFileName(word as string, argument.name);
  return { [argument.field]: from === null ? word : await readInput(line, from) };
}

/** A single word without brackets is no SPARQL. */
function refuseFileName(word: string, name: string): void {
  if (!/^[^\s{}<>()]+$/.test(word)) return;
  if (existsSync(word)) {
    throw new SvcError('invalid_request', `${word} is the name of a file, not ${name.toUpperCase()}`, {
      hint: `--file ${word} reads it`,
    });
  }
  if (!/\.(?:rq|ru|sparql|txt)$/i.test(word)) return;
  throw new SvcError('invalid_request', `${word} is not ${name.toUpperCase()}, and there is no such file`);
}

/** The texts of files that arguments and options name. */
export async function readFiles(line: Line): Promise<Body> {
  const texts: Record<string, string> = {};
  const { takesBase, takesBuiltin, documents } = line.operation.projections.cli;
  const isBased = (takesBase === true || documents === true) && line.options.base !== undefined;
  for (const [field, path] of namedFiles(line)) {
    if (takesBuiltin === true && path.startsWith(BUILTIN)) {
      texts[field] = path;
      continue;
    }
    const text = await readInput(line, path);
    // What may be of any format has its base beside it.
    const hasOwnBase = field === line.operation.textPayload;
    texts[field] = isBased && !hasOwnBase ? await basedText(line, path, text) : text;
    if (isBased && hasOwnBase) {
      const { baseOf } = await import('./base.js');
      texts.base = baseOf(line.options, path) as string;
    }
  }
  return texts;
}

async function basedText({ options }: Line, path: string, text: string): Promise<string> {
  const { baseOf, withBase } = await import('./base.js');
  return withBase(text, baseOf(options, path));
}

function* namedFiles({ operation, options, words }: Line): Generator<readonly [field: string, path: string]> {
  const { positional = [], files = [] } = operation.projections.cli;
  for (const field of files) {
    const at = positional.findIndex((one) => one.field === field);
    const path = at < 0 ? textOption(options, optionKey(field)) : words[at];
    if (path !== undefined) yield [field, path];
  }
}

/** Names of the files that arguments stand for. */
export function filesOf({ operation, words }: Line): string {
  const { positional = [], files = [] } = operation.projections.cli;
  return words.filter((_, at) => files.includes(positional[at]?.field ?? '')).join(', ');
}

/** The request that a file or standard input holds as JSON. */
export async function readBody(line: Line): Promise<Body> {
  const [from] = line.words;
  if (line.operation.projections.cli.body === undefined || from === undefined) return {};
  const { parseJsonRequest } = await import('../../../engine/service/requests/json-request.js');
  const text = await readInput(line, from);
  try {
    return parseJsonRequest(Buffer.from(text), 'the text');
  } catch (error) {
    if (!(error instanceof SvcError)) throw error;
    const { code, message } = error;
    throw new SvcError(code, message, { position: { source: from === '-' ? 'standard input' : from }, cause: error });
  }
}

/** The text of a file, or with `-` of standard input. */
async function readInput(line: Line, from: string): Promise<string> {
  if (from === '-') return readAll(line.streams.stdin);
  try {
    return readFileSync(from, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const account = { ENOENT: 'there is no such file', EISDIR: 'this is a folder' }[code ?? ''] ?? message;
    throw new SvcError('source_unreadable', `${from}: ${account}`, { cause: error });
  }
}

export async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
