/** What the command line of all tables says. */
import { list, OptionValues } from '../option-values.js';
import { tableRuns } from './list.js';

export const TABLES_USAGE = `npm run bench -- tables [options]

  Takes every table of docs/benchmarks.md again, one after the other, and puts each into the page as soon as it is there.
  What is done is kept with the state of the code, so a run that was stopped goes on with the next table, and after a
  change of the code it starts anew. A table waits until the machine is idle.

  --only LIST     ${tableRuns('')
    .map(({ name }) => name)
    .join(', ')}
  --again         takes those again that are done
  --list          only says what is done and what is left
  --wait MINUTES  how long a table waits for an idle machine before the run ends; default 30; 0: not at all
  --busy          measures on a busy machine as well; the tables say so
  --uncommitted   measures code that is not committed; the tables name the commit before it
`;

export interface TablesOptions {
  /** Null = all. */
  readonly only: ReadonlySet<string> | null;
  readonly again: boolean;
  readonly list: boolean;
  readonly waitMinutes: number;
  readonly busy: boolean;
  readonly uncommitted: boolean;
}

const given = new OptionValues('tables');

export function parseTablesOptions(args: readonly string[]): TablesOptions {
  const values = given.parse(args, ['only', 'wait'], ['again', 'list', 'busy', 'uncommitted']);
  const names = tableRuns('').map(({ name }) => name);
  const only = values.only === undefined ? null : list(values.only).map((name) => given.known('table', name, names));
  return {
    only: only === null ? null : new Set(only),
    again: values.again,
    list: values.list,
    waitMinutes: given.whole('wait', values.wait ?? '30', 1440, 0),
    busy: values.busy,
    uncommitted: values.uncommitted,
  };
}
