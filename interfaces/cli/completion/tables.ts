/**
 * What the scripts for bash and zsh have in common: tables as shell functions. Each answers for a command (by its
 * first name; empty before there is one) and prints a kind of value: `words a b`, `file`, `text`, or nothing.
 */

import type { CompletionModel, CompletionOption, ValueKind } from './model.js';

/** A word that no shell of these takes apart. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function shownKind(value: ValueKind): string {
  return quote(value.kind === 'words' ? `words ${value.words.join(' ')}` : value.kind);
}

function* optionRows(options: readonly CompletionOption[], command: string): Generator<string> {
  for (const { names, value } of options) {
    if (value === null) continue;
    const patterns = names.map((name) => (command === '*' ? `*${quote(` ${name}`)}` : quote(`${command} ${name}`)));
    yield `    (${patterns.join('|')}) echo ${shownKind(value)} ;;`;
  }
}

/** `_svc_command <word>`: the first name of a command. */
export function commandTable({ program, commands }: CompletionModel): string {
  const rows = commands.map(({ names }) => `    (${names.map(quote).join('|')}) echo ${quote(names[0])} ;;`);
  return `_${program}_command() {\n  case "$1" in\n${rows.join('\n')}\n  esac\n}\n`;
}

/** `_svc_value <command> <option>`: what the value of an option is; nothing when it takes none. */
export function valueTable({ program, options, commands }: CompletionModel): string {
  const rows = [
    ...commands.flatMap((command) => [...optionRows(command.options, command.names[0])]),
    ...optionRows(options, '*'),
  ];
  return `_${program}_value() {\n  case "$1 $2" in\n${rows.join('\n')}\n  esac\n}\n`;
}

/** `_svc_argument <command> <position>`: what stands at a position, counted from 1. */
export function argumentTable({ program, commands }: CompletionModel): string {
  const rows = commands.flatMap(({ names: [name], arguments: all }) =>
    all.map(({ value, repeats }, at) => {
      const pattern = repeats ? `${quote(`${name} `)}*` : quote(`${name} ${at + 1}`);
      return `    (${pattern}) echo ${shownKind(value)} ;;`;
    }),
  );
  return `_${program}_argument() {\n  case "$1 $2" in\n${rows.join('\n')}\n  esac\n}\n`;
}

/** Every option that may follow a command; those of the program are taken behind it too. */
export function optionsBehind(model: CompletionModel, own: readonly CompletionOption[]): readonly CompletionOption[] {
  const names = new Set(own.flatMap((option) => option.names));
  return [...own, ...model.options.filter((option) => !option.names.some((name) => names.has(name)))];
}
