/**
 * Reads a command line by a plain description of the commands.
 *
 * `commander` stands behind this file: help texts, `--flag=value`, suggestions for misspelt flags,
 * without dependencies. `node:util`'s parseArgs and a help writer of our own would replace it.
 */

import { Command, CommanderError, Option } from 'commander';
import { nearestNames } from '../../../engine/base/nearest.js';

export interface OptionSpec {
  /** As commander writes it: `--graph <iri>`. */
  readonly flags: string;
  readonly summary: string;
  /** It may stand several times, and its values make a list. */
  readonly repeats?: boolean;
  readonly choices?: readonly string[];
  /** Words that a shell offers for the value; what else may stand there is for the command to judge. */
  readonly values?: readonly string[];
}

export interface ArgumentSpec {
  /** As commander writes it: `<sparql>`, `[file...]`. */
  readonly syntax: string;
  readonly summary: string;
  /** Words that a shell offers. */
  readonly values?: readonly string[];
}

export interface CommandSpec {
  /** One word, or two: `graph list`. */
  readonly name: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  readonly notes: readonly string[];
  readonly examples: readonly string[];
  readonly arguments: readonly ArgumentSpec[];
  readonly options: readonly OptionSpec[];
}

export interface ProgramSpec {
  readonly name: string;
  readonly version: string;
  readonly summary: string;
  readonly options: readonly OptionSpec[];
  readonly commands: readonly CommandSpec[];
  readonly epilogue: string;
}

/** A list is that of an option that may be repeated. */
export type OptionValue = string | boolean | readonly string[] | undefined;

/** What a command line means. */
export type Parsed =
  | {
      readonly kind: 'run';
      readonly command: string;
      readonly arguments: readonly string[];
      /** By the name of the flag without dashes, in camel case. */
      readonly options: Readonly<Record<string, OptionValue>>;
    }
  /** Help or the version were asked for, or the line is wrong. */
  | { readonly kind: 'done'; readonly exitCode: number; readonly out: string; readonly err: string };

const EXIT_UNKNOWN_COMMAND = 1;
const EXIT_USAGE = 2;

function toOption(spec: OptionSpec, beside: readonly OptionSpec[]): Option {
  const option = new Option(spec.flags, spec.summary);
  // `--no-shapes` beside `--shapes <name>` is an option of its own, and does not set that one to false.
  if (option.negate) option.negate = !beside.some(({ flags }) => flags.startsWith(option.flags.replace('--no-', '--')));
  if (spec.choices) option.choices(spec.choices);
  if (spec.repeats) option.argParser((value, before: readonly string[] = []) => [...before, value]);
  return option;
}

function describeExamples(spec: CommandSpec): string {
  const notes = spec.notes.length === 0 ? '' : `\n${spec.notes.join('\n')}\n`;
  return `${notes}\nExamples:\n${spec.examples.map((example) => `  ${example}`).join('\n')}`;
}

function addCommand(program: Command, spec: CommandSpec, onRun: (parsed: Parsed) => void): void {
  // Not by `program.command`, which takes the second word of a name for an argument.
  const command = new Command(spec.name).copyInheritedSettings(program);
  program.addCommand(command);
  command.description(spec.summary).aliases([...spec.aliases]);
  for (const { syntax, summary } of spec.arguments) command.argument(syntax, summary);
  for (const option of spec.options) command.addOption(toOption(option, spec.options));
  command.configureHelp({ showGlobalOptions: true });
  command.addHelpText('after', describeExamples(spec));
  command.allowExcessArguments(false);
  command.action((...given: unknown[]) => {
    const words = given.slice(0, spec.arguments.length).flat();
    const list = words.filter((word): word is string => typeof word === 'string');
    onRun({ kind: 'run', command: spec.name, arguments: list, options: command.optsWithGlobals() });
  });
}

/** The exit code of what commander throws instead of ending the process. */
function exitCodeOf(error: CommanderError): number {
  if (/^commander\.(help|helpDisplayed|version)$/.test(error.code) && error.exitCode === 0) return 0;
  return error.code === 'commander.unknownCommand' ? EXIT_UNKNOWN_COMMAND : EXIT_USAGE;
}

/** `svc pack --version 2`: the version of what is packed, where any other command would tell that of the program. */
function ownVersion(spec: ProgramSpec, words: readonly string[]): readonly string[] {
  if (words[plainWords(spec, words)[0] ?? -1] !== 'pack') return words;
  return words.map((word) => word.replace(/^--version(?==|$)/, '--pack-version'));
}

export function parseCommandLine(spec: ProgramSpec, words: readonly string[]): Parsed {
  let out = '';
  let err = '';
  let parsed: Parsed | null = null;
  const program = new Command(spec.name);
  program.description(spec.summary).version(`${spec.name} ${spec.version}`, '-V, --version', 'print the version');
  program.helpOption('-h, --help', 'print help').helpCommand('help [command]', 'print help of a command');
  program.exitOverride().configureOutput({
    writeOut: (text) => {
      out += text;
    },
    writeErr: (text) => {
      err += text;
    },
  });
  for (const option of spec.options) program.addOption(toOption(option, spec.options));
  for (const command of spec.commands) {
    addCommand(program, command, (run) => {
      parsed = run;
    });
  }
  program.addHelpText('after', spec.epilogue);
  const joined = ownVersion(spec, joinName(spec, words));
  const command = joined[plainWords(spec, joined)[0] ?? -1];
  if (words.length === 0) return { kind: 'done', exitCode: EXIT_USAGE, out: '', err: program.helpInformation() };
  if (command === 'version') return { kind: 'done', exitCode: 0, out: `${spec.name} ${spec.version}\n`, err: '' };
  if (command !== undefined && command !== 'help' && !knows(spec, command)) {
    const next = joined[plainWords(spec, joined)[1] ?? -1];
    const isBegun = spec.commands.some(({ name }) => name.startsWith(`${command} `));
    const named = isBegun && next !== undefined ? `${command} ${next}` : command;
    return { kind: 'done', exitCode: EXIT_UNKNOWN_COMMAND, out: '', err: describeUnknown(spec, named, isBegun) };
  }
  try {
    program.parse([...joined], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return { kind: 'done', exitCode: exitCodeOf(error), out, err };
  }
  // Only flags: the store was named, but nothing to do with it.
  return parsed ?? { kind: 'done', exitCode: EXIT_USAGE, out: '', err: program.helpInformation() };
}

/** What may have been meant, and where all commands are listed. */
function describeUnknown(spec: ProgramSpec, named: string, isBegun: boolean): string {
  const names = spec.commands.flatMap(({ name, aliases }) => [name, ...aliases]);
  const [first] = named.split(' ');
  const near = isBegun ? names.filter((name) => name.startsWith(`${first} `)) : nearestNames(named, names);
  const hint = near.length === 0 ? '' : `  hint: did you mean ${near.join(', ')}?\n`;
  const usage = `Usage: ${spec.name} [options] [command]`;
  return `unknown command: ${named}\n${hint}\n${usage}\n\n${spec.name} help lists the commands.\n`;
}

function knows(spec: ProgramSpec, name: string): boolean {
  return spec.commands.some((command) => command.name === name || command.aliases.includes(name));
}

/** Where words stand that are neither options nor, before the command, their values. */
function plainWords(spec: ProgramSpec, words: readonly string[]): number[] {
  return [...words.keys()].filter((at) => !(words[at] as string).startsWith('-') && !takesValue(spec, words[at - 1]));
}

/** The line with a name of two words as one. */
function joinName(spec: ProgramSpec, words: readonly string[]): readonly string[] {
  const plain = plainWords(spec, words);
  if (words[plain[0] ?? -1] === 'help') plain.shift();
  const [first, second] = plain;
  if (first === undefined || second === undefined) return words;
  const name = `${words[first]} ${words[second]}`;
  if (!knows(spec, name)) return words;
  return words.flatMap((word, at) => (at === first ? [name] : at === second ? [] : [word]));
}

/** Whether a word before the command is a program option whose value is the next word. */
function takesValue(spec: ProgramSpec, word: string | undefined): boolean {
  return word !== undefined && spec.options.some(({ flags }) => flags.startsWith(`${word} <`));
}
