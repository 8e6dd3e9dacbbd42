/**
 * The form of an answer that a line asks for. `--format` says it, and so does the ending of the file that `--out` names,
 * under its compression; where both say one they have to agree. Nothing is made before that is clear.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { compressionOfPath } from '../../../engine/rdf/formats/registry.js';
import type { CommandOperation } from '../../../engine/service/operations/definition/operation.js';
import { offersForms } from '../line/commands.js';
import { type CliOptions, type CliStreams, textOption } from '../line/streams.js';

/** The ending of a file that `--json` may be written to. */
const JSON_ENDING = '.json';

/** `.ttl` of `all.ttl.gz`; null where the name has none. */
function endingOf(path: string): string | null {
  const name = compressionOfPath(path).path.split(/[/\\]/).at(-1) as string;
  const dot = name.lastIndexOf('.');
  return dot < 1 ? null : name.slice(dot).toLowerCase();
}

/**
 * Names of the forms that are wanted; null where the line says none. More than one where an ending stands for several,
 * of which the answer takes the one that can hold it.
 */
function wantedForms(operation: CommandOperation, options: CliOptions): readonly string[] | null {
  const known = operation.representations.filter(({ endings }) => endings !== undefined);
  const given = formatOption(operation, options);
  const out = textOption(options, 'out');
  const ending = out === undefined ? null : endingOf(out);
  if (known.length === 0 || out === undefined || ending === null) return given === undefined ? null : [given];
  const named = known.filter(({ name, endings }) => endings?.includes(ending) || ending === `.${name}`);
  const names = named.map(({ name }) => name);
  if (options.json === true) {
    if (names.length === 0 || ending === JSON_ENDING) return null;
    throw new SvcError('usage', `--json writes JSON, and --out ${out} names ${names.join(' or ')}`, {
      hint: `leave out --json, or name a file with ${JSON_ENDING}`,
    });
  }
  if (given !== undefined) {
    if (names.length === 0 || names.includes(given) || known.every(({ name }) => name !== given)) return [given];
    throw new SvcError('usage', `--format ${given} and --out ${out} (${names.join(' or ')}) differ`, {
      hint: 'leave out --format, or name the file by its ending',
    });
  }
  if (names.length > 0) return names;
  const endings = [...new Set(known.flatMap((form) => form.endings ?? []))].join(', ');
  throw new SvcError('usage', `--out ${out}: no form of this answer has the ending ${ending}`, {
    hint: `endings are ${endings}, each also with .gz or .zst; or name the form by --format`,
  });
}

export interface Form {
  /** Of the answer; `body` is the JSON body. */
  readonly representation: string;
  /** All that would do, the best first, where they are several. */
  readonly acceptable?: readonly string[];
  /** For a request that has the format as a field. */
  readonly format?: string;
}

export function formOfLine(operation: CommandOperation, options: CliOptions, { stdout }: CliStreams): Form {
  const wanted = wantedForms(operation, options);
  const isField = 'format' in operation.projections.cli.options;
  const format = isField && wanted?.[0] !== undefined ? { format: wanted[0] } : {};
  const [first] = operation.representations;
  if (options.json === true || first === undefined) return { representation: 'body', ...format };
  const forms = isField || wanted === null ? [first.name] : wanted;
  for (const name of forms) {
    const form = operation.representations.find((one) => one.name === name);
    if (form === undefined) throw unknownForm(operation, name);
    if (form.binary) refuseTerminal(name, options, stdout);
  }
  const representation = forms[0] as string;
  return { representation, ...(forms.length > 1 ? { acceptable: forms } : {}), ...format };
}

function unknownForm(operation: CommandOperation, name: string): SvcError {
  const names = operation.representations.map((form) => form.name).join(', ');
  return new SvcError('unknown_format', `--format is ${name}; expected one of ${names}`);
}

function refuseTerminal(name: string, options: CliOptions, stdout: CliStreams['stdout']): void {
  if (textOption(options, 'out') !== undefined || (stdout as { isTTY?: boolean }).isTTY !== true) return;
  throw new SvcError('usage', `--format ${name} is binary, and standard output is a terminal`, {
    hint: 'name a file with --out, or send the output to a file or another program',
  });
}

function formatOption(operation: CommandOperation, options: CliOptions): string | undefined {
  const isField = 'format' in operation.projections.cli.options;
  return isField || offersForms(operation) ? textOption(options, 'format') : undefined;
}
