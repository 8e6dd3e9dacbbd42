/**
 * What a shell must know of the program to complete its lines: commands, options, and of each value whether it
 * is one of a few words, a file, or text that nobody can guess. Read from the definitions that lines are parsed
 * by, so that a new command or option is completed as soon as it is there.
 */

import { addTo } from '../../../engine/base/maps.js';
import type { ArgumentSpec, CommandSpec, OptionSpec, ProgramSpec } from '../line/commander.js';

export type ValueKind =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'file' }
  | { readonly kind: 'text' };

export interface CompletionOption {
  /** With its dashes; the long form last. */
  readonly names: readonly string[];
  readonly summary: string;
  /** Null: the option takes none. */
  readonly value: ValueKind | null;
}

export interface CompletionArgument {
  readonly value: ValueKind;
  /** Whether every further word is of the same kind. */
  readonly repeats: boolean;
}

export interface CompletionCommand {
  /** Its name, then its other names. */
  readonly names: readonly [string, ...string[]];
  readonly summary: string;
  /** Without those of the program, which every command takes too. */
  readonly options: readonly CompletionOption[];
  readonly arguments: readonly CompletionArgument[];
}

export interface CompletionModel {
  readonly program: string;
  readonly options: readonly CompletionOption[];
  /** Options of a line without a command. */
  readonly alone: readonly CompletionOption[];
  readonly commands: readonly CompletionCommand[];
}

/** Names of values and arguments that are files or folders. */
const FILE_NAMES: ReadonlySet<string> = new Set(['file', 'path', 'folder']);

function kindOf(name: string, words: readonly string[] | undefined): ValueKind {
  if (words !== undefined) return { kind: 'words', words };
  return { kind: FILE_NAMES.has(name) ? 'file' : 'text' };
}

function toOption({ flags, summary, choices, values }: OptionSpec): CompletionOption {
  const names = flags.match(/(?<=^|[ ,])--?[\w-]+/g) ?? [];
  const placeholder = /[<[]([^>\]]+)[>\]]$/.exec(flags)?.[1];
  return { names, summary, value: placeholder === undefined ? null : kindOf(placeholder, choices ?? values) };
}

function toArgument({ syntax, values }: ArgumentSpec): CompletionArgument {
  const name = syntax.replace(/^[<[]|[>\]]$/g, '').replace(/\.\.\.$/, '');
  return { value: kindOf(name, values), repeats: syntax.includes('...') };
}

const shown = (options: readonly OptionSpec[]): CompletionOption[] => options.map(toOption);

function toCommand(spec: CommandSpec): CompletionCommand {
  return {
    names: [spec.name, ...spec.aliases],
    summary: spec.summary,
    options: shown(spec.options),
    arguments: spec.arguments.map(toArgument),
  };
}

const firstWord = (name: string): string => name.split(' ', 1)[0] as string;

/** Commands by the word that a shell knows them by: those of two words are one, whose argument is the second. */
function byFirstWord(specs: readonly CommandSpec[]): CompletionCommand[] {
  const groups = new Map<string, CommandSpec[]>();
  for (const spec of specs) {
    const word = firstWord(spec.name);
    addTo(groups, word, spec);
  }
  return [...groups].map(([word, group]) => {
    const [only] = group;
    if (only?.name === word) return toCommand(only);
    const options = new Map(
      group.flatMap((spec) => shown(spec.options)).map((option) => [option.names.join(), option]),
    );
    const words = group.map(({ name }) => name.slice(word.length + 1));
    return {
      names: [word],
      summary: group.map(({ summary }) => summary).join('; '),
      options: [...options.values()],
      arguments: [{ value: { kind: 'words', words }, repeats: false }],
    };
  });
}

/** Those that the parser of lines adds by itself. */
function builtIn(commands: readonly CommandSpec[]): CompletionCommand[] {
  const words = [...new Set(commands.map(({ name }) => firstWord(name)))];
  return [
    { names: ['version'], summary: 'print the version', options: [], arguments: [] },
    {
      names: ['help'],
      summary: 'print help of a command',
      options: [],
      arguments: [{ value: { kind: 'words', words }, repeats: false }],
    },
  ];
}

export function completionModel(spec: ProgramSpec): CompletionModel {
  const help: CompletionOption = { names: ['-h', '--help'], summary: 'print help', value: null };
  return {
    program: spec.name,
    options: [...shown(spec.options), help],
    alone: [{ names: ['-V', '--version'], summary: 'print the version', value: null }],
    commands: [...byFirstWord(spec.commands), ...builtIn(spec.commands)],
  };
}
