/**
 * Failures in the words of the command line. The engine and the server name fields of a request, routes and options of
 * the library; here these are the options and the commands that do the same.
 */

import { type ErrorCode, SvcError } from '../../../engine/base/errors.js';
import type { CommandOperation } from '../../../engine/service/operations/definition/operation.js';
import { flagOf } from '../line/commands.js';
import type { CliOptions } from '../line/streams.js';

const RELATIVE = /relative IRI without a base|is relative,? and there is no base/;
const REMOTE_CONTEXT = /^(?:.*)the remote context .* is not fetched/;

/** Codes whose messages may name fields; those of parsers quote what they found. */
const OF_FIELDS: ReadonlySet<ErrorCode> = new Set(['invalid_request', 'unsupported', 'usage', 'not_found_in_store']);

export function inWordsOf(
  operation: CommandOperation,
  options: CliOptions,
  words: readonly string[],
  error: unknown,
): unknown {
  if (!(error instanceof SvcError)) return error;
  const message = OF_FIELDS.has(error.code) ? withFlags(operation, error.message) : error.message;
  const hints = [
    error.hint === undefined ? [] : [translated(operation, error.hint)],
    hintsOf(operation, options, words, error),
  ];
  const hint = hints.flat().join('; ');
  if (message === error.message && hint === (error.hint ?? '')) return error;
  const { code, position, cause } = error;
  const told = new SvcError(code, message, { ...(position && { position }), ...(hint !== '' && { hint }), cause });
  return Object.assign(told, 'findings' in error ? { findings: error.findings } : {});
}

function hintsOf(
  { name, projections: { cli } }: CommandOperation,
  options: CliOptions,
  words: readonly string[],
  { message, code, position }: SvcError,
): string[] {
  const hints: string[] = [];
  const takesBase = cli.documents === true || cli.takesBase === true;
  if (RELATIVE.test(message) && takesBase) {
    hints.push('--base <iri> resolves relative IRIs, --base file by the place of each file');
  }
  if (RELATIVE.test(message) && 'base' in cli.options) hints.push('or give a base by --base <iri>');
  if (REMOTE_CONTEXT.test(message)) hints.push('--remote-contexts fetches it');
  const [, missing] = name === 'ask' ? (/^missing '(\w+)' parameter/.exec(message) ?? []) : [];
  if (missing !== undefined) hints.push(`--params '{"${missing}": ...}' gives it`);
  const isOfDocument = code === 'parse_error' || code === 'invalid_utf8';
  const isOneOfMany = cli.documents === true && options.each !== true && position?.source !== undefined;
  if (isOfDocument && isOneOfMany && (words.length > 1 || words[0] !== position.source) && words[0] !== '-') {
    hints.push('nothing was loaded; --each loads one document a transaction and goes on after one that fails');
  }
  return hints;
}

/** `'valid_at'` as `--valid-at`, where that is an option of the command. */
function withFlags({ projections: { cli } }: CommandOperation, message: string): string {
  const named: Record<string, string> = {};
  for (const field of Object.keys(cli.options))
    named[field] = flagOf(cli.named?.[field] ?? cli.repeated?.[field] ?? field);
  for (const { field, name } of cli.positional ?? []) named[field] = name;
  if (cli.argument !== undefined) named[cli.argument.field] = cli.argument.name;
  const told = message
    .replace(/(?:field )?'([a-z_]+)'/g, (whole, field: string) => named[field] ?? whole)
    .replace(/^([a-z_]+)(?=: )/, (field) => named[field] ?? field);
  return told === message ? message : told.replace(/^(missing [^']+) parameter\b/, '$1');
}

/** What the other faces call the commands. */
const COMMANDS_FOR: readonly (readonly [RegExp, string])[] = [
  [/\(CREATE GRAPH, POST \/graph\/create\)/, '(svc graph create <iri>)'],
  [
    /^send shapes in Turtle, or store a set with \/shapes$/,
    'name them by --shapes <file>, or store a set by svc shapes load',
  ],
  [/^ask for "list" to see those there are$/, 'svc ask lists those there are'],
  [/^run it with update$/, 'run it with svc update'],
  [/^ask it with read \(query\)$/, 'ask it with svc read'],
  [/^GET \/queries\/running lists/, 'svc queries running lists'],
  [/\bload the document with knot$/, 'load the document with svc knot'],
  [/\ballow_orphan\b/, '--allow-orphan'],
  [/\bon_orphan: /, '--on-orphan '],
  [/\bleave base_ns out, or name another store$/, 'leave out --base-ns, or name another store with --db'],
];

function translated({ projections }: CommandOperation, hint: string): string {
  const [family] = projections.cli.command.split(' ');
  if (hint === 'list shows those there are') return `svc ${family} list shows those there are`;
  return COMMANDS_FOR.reduce((text, [pattern, command]) => text.replace(pattern, command), hint);
}
