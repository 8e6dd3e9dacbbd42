/** How the command line describes `svc completion`, and what it does: it prints a script, and opens nothing. */

import { SvcError } from '../../../engine/base/errors.js';
import type { CommandSpec, ProgramSpec } from '../line/commander.js';

export const SHELLS = ['bash', 'zsh', 'fish'] as const;

export const COMPLETION_COMMAND: CommandSpec = {
  name: 'completion',
  aliases: [],
  summary: 'Print a script that lets a shell complete lines of svc',
  notes: ['Commands, options, their values where they are words, and files. Print it anew after an update of svc.'],
  examples: [
    'source <(svc completion bash)',
    'source <(svc completion zsh)',
    'svc completion fish > ~/.config/fish/completions/svc.fish',
  ],
  arguments: [{ syntax: '<shell>', summary: SHELLS.join(', '), values: SHELLS }],
  options: [],
};

export async function completionScript(shell: string | undefined, program: ProgramSpec): Promise<string> {
  const { completionModel } = await import('./model.js');
  const model = completionModel(program);
  switch (shell) {
    case 'bash':
      return (await import('./bash.js')).bashScript(model);
    case 'zsh':
      return (await import('./zsh.js')).zshScript(model);
    case 'fish':
      return (await import('./fish.js')).fishScript(model);
    default:
      throw new SvcError(
        'usage',
        `no completion for the shell ${JSON.stringify(shell)}; there is: ${SHELLS.join(', ')}`,
      );
  }
}
