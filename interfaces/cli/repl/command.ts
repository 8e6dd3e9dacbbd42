/** How the command line describes `svc repl`. */

import { RESULT_FORMAT_NAMES } from '../../../engine/query/results/formats.js';
import type { CommandSpec } from '../line/commander.js';

export const REPL_COMMAND: CommandSpec = {
  name: 'repl',
  aliases: [],
  summary: 'Ask and update line by line, at a terminal or from a pipe',
  notes: [
    'A statement ends with ; at the end of a line outside of brackets, with a line that is only ;, with an empty',
    'line when it is whole, or with the input. :help lists the commands, which begin with a colon or a dot.',
    'From a pipe there is no prompt, and the exit code is not 0 when a statement failed.',
  ],
  examples: [
    'svc repl --db graph.db',
    'svc repl --read-only',
    'echo "SELECT * { ?s ?p ?o } LIMIT 5" | svc repl --format csv',
  ],
  arguments: [],
  options: [
    { flags: '--read-only', summary: 'refuse updates' },
    { flags: '--no-history', summary: 'neither read nor keep the history of statements' },
    { flags: '--format <form>', summary: 'the form of answers, as .format sets it', values: RESULT_FORMAT_NAMES },
  ],
};
