/**
 * Completion for bash, 3.2 and later. bash takes `--format=csv` apart at the sign, so a value may stand behind a
 * word of its own that is only `=`.
 */

import type { CompletionModel, CompletionOption } from './model.js';
import { argumentTable, commandTable, optionsBehind, quote, valueTable } from './tables.js';

const names = (options: readonly CompletionOption[]) => options.flatMap((option) => option.names).join(' ');

function optionsTable(model: CompletionModel): string {
  const rows = model.commands.map(
    (command) => `    (${quote(command.names[0])}) echo ${quote(names(optionsBehind(model, command.options)))} ;;`,
  );
  const alone = `    ('') echo ${quote(names([...model.options, ...model.alone]))} ;;`;
  return `_${model.program}_options() {\n  case "$1" in\n${[alone, ...rows].join('\n')}\n  esac\n}\n`;
}

export function bashScript(model: CompletionModel): string {
  const { program, commands } = model;
  const words = commands.flatMap((command) => command.names).join(' ');
  return `# Completion of ${program} for bash. To have it in every shell, put this into ~/.bashrc:
#   source <(${program} completion bash)

${commandTable(model)}
${valueTable(model)}
${argumentTable(model)}
${optionsTable(model)}
_${program}_offer() {
  local line
  while IFS= read -r line; do COMPREPLY+=("$line"); done
}

_${program}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command='' pending='' plain='' kind='' position=1 i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${COMP_WORDS[i]}"
    if [[ -n $pending ]]; then
      [[ $word == '=' ]] || pending=''
    elif [[ $word == -- ]]; then
      plain=1
    elif [[ -z $plain && $word == -?* ]]; then
      pending="$(_${program}_value "$command" "$word")"
    elif [[ -z $command ]]; then
      command="$(_${program}_command "$word")"
      [[ -n $command ]] || return 0
    else
      position=$((position + 1))
    fi
  done
  if [[ -n $pending ]]; then
    kind="$pending"
    [[ $cur == '=' ]] && cur=''
  elif [[ -z $plain && $cur == -* ]]; then
    kind="words $(_${program}_options "$command")"
  elif [[ -z $command ]]; then
    kind=${quote(`words ${words}`)}
  else
    kind="$(_${program}_argument "$command" "$position")"
  fi
  case "$kind" in
    (words\\ *) _${program}_offer < <(compgen -W "\${kind#words }" -- "$cur") ;;
    (file)
      compopt -o filenames 2>/dev/null
      _${program}_offer < <(compgen -f -- "$cur")
      ;;
  esac
  return 0
}

complete -F _${program} ${program}
`;
}
