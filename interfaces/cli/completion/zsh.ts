/** Completion for zsh: sourced, or as a file `_svc` in a folder of `fpath`. Options and commands are shown with what they do. */

import type { CompletionCommand, CompletionModel, CompletionOption } from './model.js';
import { argumentTable, commandTable, optionsBehind, quote, valueTable } from './tables.js';

/** As `_describe` reads them: up to the first colon stands the word. */
function entries(options: readonly CompletionOption[]): string {
  return options
    .flatMap(({ names, summary }) => names.map((name) => quote(`${name}:${summary}`)))
    .map((entry) => `        ${entry}`)
    .join('\n');
}

function optionsTable(model: CompletionModel): string {
  const row = (name: string, options: readonly CompletionOption[]) =>
    `    (${quote(name)})\n      reply=(\n${entries(options)}\n      )\n      ;;`;
  const rows = [
    row('', [...model.options, ...model.alone]),
    ...model.commands.map((command) => row(command.names[0], optionsBehind(model, command.options))),
  ];
  return `_${model.program}_options() {\n  case "$1" in\n${rows.join('\n')}\n  esac\n}\n`;
}

function commandEntries(commands: readonly CompletionCommand[]): string {
  return commands
    .flatMap(({ names, summary }) => names.map((name) => `      ${quote(`${name}:${summary}`)}`))
    .join('\n');
}

export function zshScript(model: CompletionModel): string {
  const { program, commands } = model;
  return `#compdef ${program}
# Completion of ${program} for zsh. Put this into ~/.zshrc, behind compinit:
#   source <(${program} completion zsh)
# or write it to a file _${program} in a folder of $fpath.

${commandTable(model)}
${valueTable(model)}
${argumentTable(model)}
${optionsTable(model)}
_${program}() {
  local cur="\${words[CURRENT]}" command='' pending='' plain='' kind='' word=''
  local -i i position=1
  local -a reply
  for ((i = 2; i < CURRENT; i++)); do
    word="\${words[i]}"
    if [[ -n $pending ]]; then
      pending=''
    elif [[ $word == -- ]]; then
      plain=1
    elif [[ -z $plain && $word == -?* ]]; then
      pending="$(_${program}_value "$command" "$word")"
    elif [[ -z $command ]]; then
      command="$(_${program}_command "$word")"
      [[ -n $command ]] || return 1
    else
      position=$((position + 1))
    fi
  done
  if [[ -n $pending ]]; then
    kind="$pending"
  elif [[ -z $plain && $cur == --*=* ]]; then
    kind="$(_${program}_value "$command" "\${cur%%=*}")"
    compset -P '*='
  elif [[ -z $plain && $cur == -* ]]; then
    _${program}_options "$command"
    _describe -o option reply
    return
  elif [[ -z $command ]]; then
    reply=(
${commandEntries(commands)}
    )
    _describe command reply
    return
  else
    kind="$(_${program}_argument "$command" "$position")"
  fi
  case "$kind" in
    (words\\ *) compadd -- \${=kind#words } ;;
    (file) _files ;;
    (*) return 1 ;;
  esac
}

if [[ "\${funcstack[1]}" == _${program} ]]; then
  _${program} "$@"
else
  compdef _${program} ${program}
fi
`;
}
