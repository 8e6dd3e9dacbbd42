/** The dot commands: one table that help, completion and the session read. */

import { SvcError } from '../../../engine/base/errors.js';
import { nearestNames } from '../../../engine/base/nearest.js';
import { RESULT_FORMAT_NAMES } from '../../../engine/query/results/formats.js';
import { withFormat } from './answers.js';
import type { CommandWords } from './completion.js';
import type { StatementPlace } from './errors.js';
import { listClasses, listGraphs, listHistory, listPredicates, listPrefixes } from './listings.js';
import type { Session } from './session.js';
import { parseCount, parseSwitch, parseTime, wrongArgument } from './settings.js';

export interface CommandContext {
  readonly session: Session;
  readonly signal: AbortSignal;
  readonly source: StatementPlace['source'];
  /** Runs the statements of a file. */
  readonly readFile: (path: string) => Promise<void>;
}

interface DotCommand extends CommandWords {
  readonly argument: string;
  readonly summary: string;
  run(argument: string, context: CommandContext): Promise<void> | void;
}

const SWITCH = ['on', 'off'];

export const DOT_COMMANDS: readonly DotCommand[] = [
  command('.help', '', 'nothing', 'list the commands', (_, { session }) => session.output.write(helpText())),
  command('.quit', '', 'nothing', 'end the session; Ctrl-D does too', (_, { session }) => {
    session.isOver = true;
  }),
  command(
    '.format',
    '[form]',
    RESULT_FORMAT_NAMES,
    'the form of answers that it can hold; without one, say which',
    setFormat,
  ),
  command('.output', '[file|-]', 'file', 'send answers to a file; - is the terminal', setOutput),
  command('.limit', 'n|off', ['off'], 'rows of a table at most', (argument, { session }) => {
    session.settings.rowsMax = parseCount(argument, '.limit', 1);
  }),
  command('.timing', 'on|off', SWITCH, 'say how long each statement took', (argument, { session }) => {
    session.settings.timing = parseSwitch(argument, '.timing');
  }),
  command('.timeout', 'ms|off', ['off'], 'deadline of a statement; may lower that of the configuration', setTimeoutMs),
  command('.tx', 'n|off', ['off'], 'ask what the store knew after this transaction', (argument, { session }) => {
    session.settings.tx = parseCount(argument, '.tx', 0);
  }),
  command('.valid-at', 't|off', ['off'], 'ask what held at this instant', (argument, { session }) => {
    session.settings.validAt = parseTime(argument);
  }),
  command('.graph', 'iri|off', ['off'], 'read this graph as the default graph', setGraph),
  command(
    '.prefix',
    'name: <iri>',
    'text',
    'declare a prefix, as PREFIX does; `.prefix name: off` takes it back',
    setPrefix,
  ),
  command('.prefixes', '', 'nothing', 'list the prefixes that need no declaration', (_, context) =>
    listPrefixes(context),
  ),
  command('.graphs', '', 'nothing', 'list the graphs with their quads', (_, context) => listGraphs(context)),
  command('.predicates', '', 'nothing', 'list the predicates with their quads', (_, context) =>
    listPredicates(context),
  ),
  command('.classes', '', 'nothing', 'list the classes with their members', (_, context) => listClasses(context)),
  command('.stats', '', 'nothing', 'count what the store holds', (_, { session }) => session.showStats()),
  command(
    '.explain',
    '[statement]',
    'text',
    'show the plan; without a statement, of the last one',
    (argument, context) => explain(argument, false, context),
  ),
  command('.profile', '[statement]', 'text', 'run it and show what happened', (argument, context) =>
    explain(argument, true, context),
  ),
  command('.history', '[n]', 'text', 'list the last statements', (argument, { session }) =>
    listHistory(session, argument === '' ? null : parseCount(argument, '.history', 1)),
  ),
  command('.read', 'file', 'file', 'run the statements of a file', (argument, { readFile }) => {
    if (argument === '') throw wrongArgument('.read', argument, 'the name of a file');
    return readFile(argument);
  }),
];

function command(
  name: string,
  argument: string,
  takes: CommandWords['takes'],
  summary: string,
  run: DotCommand['run'],
): DotCommand {
  return { name, argument, takes, summary, run };
}

/** Other spellings. A colon may stand for any dot. */
const ALIASES: Readonly<Record<string, string>> = { '.exit': '.quit', '.q': '.quit', '.at': '.valid-at' };

export async function runCommand(text: string, context: CommandContext): Promise<void> {
  const [, name = '', argument = ''] = /^([.:]\S*)\s*([\s\S]*)$/.exec(text.trim()) ?? [];
  const dotted = name.replace(/^:/, '.');
  const wanted = Object.hasOwn(ALIASES, dotted) ? ALIASES[dotted] : dotted;
  const found = DOT_COMMANDS.find((known) => known.name === wanted);
  if (found === undefined) throw unknownCommand(name);
  if (found.takes === 'nothing' && argument !== '') throw wrongArgument(name, argument, 'nothing behind it');
  await found.run(argument.trim(), context);
}

function unknownCommand(name: string): SvcError {
  const mark = name[0] ?? '.';
  const near = nearestNames(
    name,
    DOT_COMMANDS.map((known) => mark + known.name.slice(1)),
  );
  const hint = near.length === 0 ? `${mark}help lists the commands` : `did you mean ${near.join(' or ')}?`;
  return new SvcError('invalid_request', `unknown command: ${name}`, { hint });
}

export function helpText(): string {
  const heads = DOT_COMMANDS.map(({ name, argument }) => `${name} ${argument}`.trimEnd());
  const width = Math.max(...heads.map((head) => head.length));
  const lines = DOT_COMMANDS.map(({ summary }, at) => `${(heads[at] as string).padEnd(width)}  ${summary}`);
  const rules = [
    'A query or an update ends with ; at the end of a line outside of brackets, with a line that is only ;,',
    'or with an empty line when it is whole. PREFIX and BASE on lines of their own hold for the session.',
    'A colon may stand for the dot of a command; :q is .quit, and :at is .valid-at. help, quit and exit need neither.',
  ];
  return `${[...rules, '', ...lines].join('\n')}\n`;
}

async function setFormat(argument: string, { session }: CommandContext): Promise<void> {
  const { settings } = session;
  if (argument !== '') {
    settings.formats = withFormat(settings.formats, argument);
    return;
  }
  const { rows, boolean, graph } = settings.formats;
  await session.output.write(`rows: ${rows}\nboolean: ${boolean}\ngraph: ${graph}\n`);
}

async function setOutput(argument: string, { session }: CommandContext): Promise<void> {
  const { output } = session;
  if (argument === '') await output.write(`${output.path ?? '-'}\n`);
  else if (argument === '-') await output.toStandard();
  else await output.toFile(argument);
}

function setTimeoutMs(argument: string, { session }: CommandContext): void {
  const timeoutMs = parseCount(argument, '.timeout', 1);
  const { timeoutMaxMs } = session;
  if (timeoutMs !== null && timeoutMs > timeoutMaxMs) {
    throw new SvcError('invalid_request', `.timeout is ${timeoutMs}; search.query_timeout_ms is ${timeoutMaxMs}`, {
      hint: 'raise search.query_timeout_ms in the configuration',
    });
  }
  session.settings.timeoutMs = timeoutMs;
}

/** An IRI in angle brackets or bare, or a prefixed name. */
function setGraph(argument: string, { session }: CommandContext): void {
  if (argument === 'off') {
    session.settings.graph = null;
    return;
  }
  const inBrackets = /^<([^<>\s]+)>$/.exec(argument)?.[1];
  const [, prefix = '', local = ''] = /^([^:/\s]*):([^/\s][^\s]*)$/.exec(argument) ?? [];
  const namespace = session.prefixes.table[prefix];
  if (inBrackets !== undefined) session.settings.graph = inBrackets;
  else if (namespace !== undefined && local !== '') session.settings.graph = namespace + local;
  else if (/^[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]+$/.test(argument)) session.settings.graph = argument;
  else throw wrongArgument('.graph', argument, 'an IRI, a name with a known prefix, or off');
}

function setPrefix(argument: string, { session }: CommandContext): void {
  const [, name, iri] = /^([^\s:<>]*):\s*(?:<([^<>\s]+)>|off)$/.exec(argument) ?? [];
  if (name === undefined)
    throw wrongArgument('.prefix', argument, 'a name with its colon and an IRI in angle brackets');
  if (iri !== undefined) session.prefixes.declare(name, iri);
  else if (!session.prefixes.forget(name)) throw wrongArgument('.prefix', argument, 'a prefix that was declared');
}

async function explain(argument: string, analyze: boolean, { session, signal, source }: CommandContext): Promise<void> {
  const text = argument === '' ? session.lastStatement : argument;
  if (text === null) throw wrongArgument(analyze ? '.profile' : '.explain', '', 'a query, since there was none yet');
  await session.explain(text, analyze, signal, source);
}
