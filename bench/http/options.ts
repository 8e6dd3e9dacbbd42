/** What the command line of the benchmark of HTTP says. */
import { parseSize } from '../data/data-set.js';
import { list, OptionValues } from '../option-values.js';
import { SHAPES, type ShapeName } from './requests.js';

export const HTTP_USAGE = `npm run bench -- http [options]

Queries over HTTP, from a process of its own, beside a peer's server: throughput and latency of a point
query, of 100 rows and of 100,000 rows, with and without a steady writer; what a long analytic query does
to point queries; requests at a steady rate below what the server can do; ten thousand idle connections;
memory over many requests of mixed kinds.

  --sizes LIST        sizes of the data, default 200k,1M
  --shapes LIST       point, hundred, large; default all
  --connections LIST  default 1,8,64
  --seconds N         how long each case lasts, default 5
  --parts LIST        load, paced, analytic, idle, memory; default all
  --requests N        requests of the run that looks at memory, default 20000
  --no-updates        that run only reads: the store does not grow meanwhile
  --no-peers          leave Virtuoso out
  --profile DIR       CPU profiles of every thread of our server
  --json FILE         write everything that was measured
  --write-docs        put the tables into docs/benchmarks.md
`;

export const PARTS = ['load', 'paced', 'analytic', 'idle', 'memory'] as const;
export type Part = (typeof PARTS)[number];

export interface HttpOptions {
  readonly sizes: readonly string[];
  readonly shapes: readonly ShapeName[];
  readonly connections: readonly number[];
  readonly seconds: number;
  readonly parts: readonly Part[];
  readonly requests: number;
  readonly updates: boolean;
  readonly peers: boolean;
  readonly profile: string | null;
  readonly json: string | null;
  readonly writeDocs: boolean;
}

const given = new OptionValues('http');
const TEXTS = ['sizes', 'shapes', 'connections', 'seconds', 'parts', 'requests', 'profile', 'json'] as const;

export function parseHttpOptions(args: readonly string[]): HttpOptions {
  const values = given.parse(args, TEXTS, ['no-updates', 'no-peers', 'write-docs']);
  const sizes = list(values.sizes ?? '200k,1M');
  for (const size of sizes) parseSize(size);
  return {
    sizes,
    shapes: list(values.shapes ?? Object.keys(SHAPES).join(',')).map((name) =>
      given.known('shape', name, Object.keys(SHAPES) as ShapeName[]),
    ),
    connections: list(values.connections ?? '1,8,64').map((one) => given.whole('connections', one, 1000)),
    seconds: given.whole('seconds', values.seconds ?? '5', 3600),
    parts: list(values.parts ?? PARTS.join(',')).map((name) => given.known('part', name, PARTS)),
    requests: given.whole('requests', values.requests ?? '20000', 100_000_000),
    updates: !values['no-updates'],
    peers: !values['no-peers'],
    profile: values.profile ?? null,
    json: values.json ?? null,
    writeDocs: values['write-docs'],
  };
}
