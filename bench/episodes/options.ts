/** What the command line of the benchmark of episodes says. */
import { list, OptionValues } from '../option-values.js';
import { parseRows } from '../options.js';

export const EPISODES_USAGE = `npm run bench -- episodes [options]

Durable episodes of 20 statements through the library and over HTTP, one by one and by many writers at once, on
stores that have had so many episodes before; joins of two hops over them; one episode of very many nodes; small
writes with and without stored SHACL shapes, and validation of a whole store.

  --sizes LIST    episodes that the stores have had, default 0,100k,1M; made once, through the library
  --seconds N     how long each case lasts, default 5
  --writers N     writers at once, default 64
  --nodes LIST    nodes of one large episode, default 100k
  --joined LIST   episodes under the joins, default 10k and the sizes
  --facts N       facts of the store that is validated, default 1M
  --parts LIST    writes, joins, large, shapes; default all
  --runs N        repetitions; medians are shown; default 1
  --json FILE     write everything that was measured
  --write-docs    put the tables into docs/benchmarks.md
`;

export const PARTS = ['writes', 'joins', 'large', 'shapes'] as const;
export type Part = (typeof PARTS)[number];

export interface EpisodesOptions {
  readonly sizes: readonly string[];
  readonly seconds: number;
  readonly writers: number;
  readonly nodes: readonly string[];
  /** Episodes under the joins. */
  readonly joined: readonly string[];
  readonly facts: string;
  readonly parts: readonly Part[];
  readonly runs: number;
  readonly json: string | null;
  readonly writeDocs: boolean;
}

const given = new OptionValues('episodes');
const TEXTS = ['sizes', 'seconds', 'writers', 'nodes', 'joined', 'facts', 'parts', 'runs', 'json'] as const;

export function parseEpisodesOptions(args: readonly string[]): EpisodesOptions {
  const values = given.parse(args, TEXTS, ['write-docs']);
  const { sizes = '0,100k,1M', nodes = '100k', facts = '1M' } = values;
  const joined = values.joined === undefined ? new Set(['10k', ...list(sizes)]) : new Set(list(values.joined));
  for (const size of [...list(sizes), ...list(nodes), ...joined, facts]) parseRows(size);
  return {
    sizes: list(sizes),
    seconds: given.whole('seconds', values.seconds ?? '5', 3600),
    writers: given.whole('writers', values.writers ?? '64', 1000),
    nodes: list(nodes),
    joined: [...joined].filter((size) => parseRows(size) > 0),
    facts,
    parts: list(values.parts ?? PARTS.join(',')).map((name) => given.known('part', name, PARTS)),
    runs: given.whole('runs', values.runs ?? '1', 100),
    json: values.json ?? null,
    writeDocs: values['write-docs'],
  };
}
