/** Completion for fish, which takes lines apart by itself: rules, each with the command that it is for. */

import type { CompletionCommand, CompletionModel, CompletionOption, ValueKind } from './model.js';

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function values(value: ValueKind | null): string {
  switch (value?.kind) {
    case undefined:
      return '';
    case 'words':
      return ` -x -a ${quote(value.words.join(' '))}`;
    case 'file':
      return ' -r -F';
    case 'text':
      return ' -x';
  }
}

function optionRule(program: string, { names, summary, value }: CompletionOption, condition: string): string {
  const flags = names.map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  return `complete -c ${program}${condition} ${flags.join(' ')}${values(value)} -d ${quote(summary)}`;
}

function* commandRules(program: string, command: CompletionCommand): Generator<string> {
  const is = `__${program}_is ${command.names.join(' ')}`;
  for (const option of command.options) yield optionRule(program, option, ` -n ${quote(is)}`);
  for (const [at, { value, repeats }] of command.arguments.entries()) {
    if (value.kind === 'text') continue;
    const condition = repeats ? is : `${is}; and __${program}_at ${at + 1}`;
    const offered = value.kind === 'file' ? ' -F' : ` -a ${quote(value.words.join(' '))}`;
    yield `complete -c ${program} -n ${quote(condition)}${offered}`;
  }
}

/** Options with a value, whose next word is no command. */
function withValue(model: CompletionModel): string {
  const all = [...model.options, ...model.commands.flatMap((command) => command.options)];
  return [...new Set(all.filter(({ value }) => value !== null).flatMap(({ names }) => names))].join(' ');
}

export function fishScript(model: CompletionModel): string {
  const { program, commands } = model;
  const none = ` -n ${quote(`not __${program}_plain > /dev/null`)}`;
  const rules = [
    `complete -c ${program} -f`,
    ...model.options.map((option) => optionRule(program, option, '')),
    ...model.alone.map((option) => optionRule(program, option, none)),
    ...commands.flatMap(({ names, summary }) =>
      names.map((name) => `complete -c ${program}${none} -a ${quote(name)} -d ${quote(summary)}`),
    ),
    ...commands.flatMap((command) => [...commandRules(program, command)]),
  ];
  return `# Completion of ${program} for fish. Write it to a file:
#   ${program} completion fish > ~/.config/fish/completions/${program}.fish

# The words of the line that are neither options nor their values; fails when there are none.
function __${program}_plain
    set -l skip
    set -l found
    for word in (commandline -opc)[2..-1]
        if test -n "$skip"
            set skip
        else if contains -- $word ${withValue(model)}
            set skip yes
        else if not string match -q -- '-?*' $word
            set -a found $word
        end
    end
    test -n "$found"; and printf '%s\\n' $found
end

# Whether the command is one of the names given.
function __${program}_is
    set -l plain (__${program}_plain)
    test (count $plain) -gt 0; and contains -- $plain[1] $argv
end

# Whether the next word is the argument of that number.
function __${program}_at
    test (count (__${program}_plain)) -eq $argv[1]
end

${rules.join('\n')}
`;
}
