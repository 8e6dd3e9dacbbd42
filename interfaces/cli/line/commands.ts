/**
 * Commands from operations. Everything that a command line can say is derived from the operation's
 * projection and request schema: options by field, their checks, documents, representations. What is
 * added here belongs to command lines alone: files in place of text, `--out`, `--each`, `--json`.
 */

import { SvcError } from '../../../engine/base/errors.js';
import { FORMATS } from '../../../engine/rdf/formats/registry.js';
import { parseValueText } from '../../../engine/service/facts/value-text.js';
import type { Body, CommandOperation } from '../../../engine/service/operations/definition/operation.js';
import type { CommandSpec, OptionSpec, ProgramSpec } from './commander.js';
import type { CliOptions } from './streams.js';

interface FieldSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
}

export const PROGRAM_OPTIONS: readonly OptionSpec[] = [
  { flags: '--db <path>', summary: 'the store file; default: store_path of the configuration, .svc/svc.db' },
  {
    flags: '--config <file>',
    summary: 'configuration file; default: $SVC_CONFIG, .svc/config.toml, ~/.config/svc/config.toml',
  },
  {
    flags: '--features <names>',
    summary: 'features to switch on: owl, reactive-reasoner',
    values: ['owl', 'reactive-reasoner'],
  },
  {
    flags: '--url <base>',
    summary: 'work against a running server, such as http://127.0.0.1:3030, in place of a store',
  },
  { flags: '--token <token>', summary: 'bearer token of requests with --url; other users of the machine may see it' },
  { flags: '--token-file <path>', summary: 'file with the bearer token: a regular file of mode 0600 or 0400' },
  {
    flags: '--min-tx <number>',
    summary: 'with --url: wait until the server, a follower for instance, has this transaction',
  },
  {
    flags: '--principal-chain <names>',
    summary: 'on whose behalf it is written: principals with commas between them, the outermost first',
  },
];

export function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

/** The option of a field of a command. */
export function optionName({ projections: { cli } }: CommandOperation, field: string): string {
  return cli.repeated?.[field] ?? cli.named?.[field] ?? field;
}

/** The key under which the parser gives an option: `valid_at` to `validAt`. */
export function optionKey(field: string): string {
  return field.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function schemaOf(operation: CommandOperation, field: string): FieldSchema {
  return (operation.request as { properties?: Record<string, FieldSchema> }).properties?.[field] ?? {};
}

const ON_OFF = 'on|off';

function fieldOption(operation: CommandOperation, field: string, placeholder: string): OptionSpec {
  const schema = schemaOf(operation, field);
  const summary = schema.description ?? '';
  // A truth value that has a default elsewhere can be said either way.
  if (placeholder === ON_OFF) return { flags: `${flagOf(field)} <on|off>`, summary, choices: ['on', 'off'] };
  if (schema.type === 'boolean') return { flags: flagOf(field), summary };
  const flags = `${flagOf(optionName(operation, field))} <${placeholder}>`;
  if (operation.projections.cli.repeated?.[field] !== undefined) return { flags, summary, repeats: true };
  return { flags, summary, ...(schema.enum && { values: schema.enum }) };
}

/** The word of `--base` that stands for the place of each file. */
export const BASE_OF_FILE = 'file';

const BASE_OPTION: OptionSpec = {
  flags: '--base <iri>',
  summary: 'base that relative IRIs of files are resolved against; file: the place of each of them',
  values: [BASE_OF_FILE],
};

const REPRESENTATION_OPTION = 'the form of the answer';

function optionsOf(operation: CommandOperation): OptionSpec[] {
  const cli = operation.projections.cli;
  const options = Object.entries(cli.options).map(([field, placeholder]) =>
    fieldOption(operation, field, placeholder as string),
  );
  if (cli.argument) options.push({ flags: '--file <path>', summary: `read the ${cli.argument.name} from a file` });
  if (cli.documents) {
    options.push(
      {
        flags: '--format <format>',
        summary: 'format of named files and of standard input, whatever the extension says',
        values: FORMATS.map(({ name }) => name),
      },
      BASE_OPTION,
      { flags: '--remote-contexts', summary: 'fetch the contexts that JSON-LD documents name by their address' },
      { flags: '--each', summary: 'one transaction per document; go on after one that fails' },
      { flags: '--threads <n>', summary: 'threads that work on the load: 1 or 2', values: ['1', '2'] },
    );
  }
  if (cli.takesBase) options.push(BASE_OPTION);
  if (offersForms(operation)) {
    const names = operation.representations.map(({ name }) => name);
    options.push({
      flags: '--format <form>',
      summary: `${REPRESENTATION_OPTION}: ${names.join(', ')} (default ${names[0]})`,
      values: names,
    });
  }
  if (cli.text === undefined)
    options.push({
      flags: '--out <file>',
      summary: 'write to a file instead of standard output; its ending says the form',
    });
  if (cli.refusesEmpty) options.push({ flags: '--allow-empty', summary: 'write the document though it holds nothing' });
  options.push({ flags: '--json', summary: 'answer with the JSON body of the HTTP request of the same purpose' });
  if (operation.access !== 'read' || operation.name === 'export') {
    options.push({
      flags: '--progress <how>',
      summary: 'auto, json (lines on standard error) or none',
      choices: ['auto', 'json', 'none'],
    });
  }
  return options;
}

/** Whether `--format` chooses among representations, rather than being a request field. */
export function offersForms(operation: CommandOperation): boolean {
  return operation.representations.length > 0 && !('format' in operation.projections.cli.options);
}

function argumentsOf(operation: CommandOperation): CommandSpec['arguments'] {
  const { argument, documents, body, bundle, positional = [] } = operation.projections.cli;
  if (documents) return [{ syntax: '<file...>', summary: 'files and directories; - is standard input' }];
  if (argument) return [{ syntax: `[${argument.name}]`, summary: argument.summary }];
  if (bundle) return [{ syntax: `<${bundle.name}>`, summary: bundle.summary }];
  if (body) return [{ syntax: `<${body.name}>`, summary: body.summary }];
  return positional.map(({ name, summary, optional }) => ({ syntax: optional ? `[${name}]` : `<${name}>`, summary }));
}

function toCommand(operation: CommandOperation): CommandSpec {
  const { command, aliases = [], notes = [], examples } = operation.projections.cli;
  const [parameters, options] = [argumentsOf(operation), optionsOf(operation)];
  return { name: command, aliases, summary: operation.summary, notes, examples, arguments: parameters, options };
}

export function describeProgram(operations: readonly CommandOperation[], version: string): ProgramSpec {
  return {
    name: 'svc',
    version,
    summary: 'A knowledge-graph store: RDF quads in an immutable, bitemporal log',
    options: PROGRAM_OPTIONS,
    commands: operations.map(toCommand),
    epilogue: '\nExamples:\n  svc knot people.ttl\n  svc read "SELECT * WHERE { ?s ?p ?o } LIMIT 10"\n  svc help knot',
  };
}

/** The JSON of an option that is no value of a fact. */
function parseJson(text: string, field: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new SvcError('invalid_request', `${flagOf(field)} is no JSON: ${text}`, {
      hint: 'JSON needs quotes of the shell around it: \'{"name": "text"}\'',
      cause: error,
    });
  }
}

/** The request that a command line makes. Values that don't parse stay text, for the check to name. */
export function toRequest(operation: CommandOperation, options: CliOptions, words: readonly string[]): Body {
  const { cli } = operation.projections;
  const request: Record<string, unknown> = { ...cli.defaults };
  for (const [at, { field }] of (cli.positional ?? []).entries()) {
    const word = words[at];
    if (word !== undefined) request[field] = cli.json?.includes(field) ? parseValueText(word, field) : word;
  }
  for (const field of Object.keys(cli.options)) {
    const value = options[optionKey(optionName(operation, field))];
    if (value === undefined) continue;
    const type = schemaOf(operation, field).type;
    const numeric =
      (type === 'integer' || type === 'number') &&
      typeof value === 'string' &&
      /^-?\d+(\.\d+)?(e[-+]?\d+)?$/i.test(value);
    if (cli.options[field] === ON_OFF) {
      request[field] = value === 'on';
      continue;
    }
    // A list without the brackets of JSON is one of words.
    const isWords = type === 'array' && typeof value === 'string' && !/^\s*\[/.test(value);
    const isJson = typeof value === 'string' && !isWords && (cli.json?.includes(field) ?? false);
    if (isJson) request[field] = type === undefined ? parseValueText(value, flagOf(field)) : parseJson(value, field);
    else if (type === 'array' && typeof value === 'string') request[field] = value.split(',').filter(Boolean);
    else request[field] = numeric ? Number(value) : value;
  }
  return request;
}
