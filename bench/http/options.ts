/** What the command line of the benchmark of HTTP says. */
import { parseArgs } from 'node:util';
import { SvcError } from '../../engine/base/errors.js';
import { parseSize } from '../data/data-set.js';
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

const usage = (message: string): SvcError => new SvcError('usage', message, { hint: 'npm run bench -- http --help' });

export function parseHttpOptions(args: readonly string[]): HttpOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const parse = () =>
    parseArgs({
      args: [...args],
      options: {
        sizes: text,
        shapes: text,
        connections: text,
        seconds: text,
        parts: text,
        requests: text,
        profile: text,
        json: text,
        'no-updates': flag,
        'no-peers': flag,
        'write-docs': flag,
      },
    }).values;
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch (error) {
    throw usage((error as Error).message);
  }
  const sizes = list(values.sizes ?? '200k,1M');
  for (const size of sizes) parseSize(size);
  return {
    sizes,
    shapes: list(values.shapes ?? Object.keys(SHAPES).join(',')).map((name) =>
      known('shape', name, Object.keys(SHAPES) as ShapeName[]),
    ),
    connections: list(values.connections ?? '1,8,64').map((one) => whole('connections', one, 1000)),
    seconds: whole('seconds', values.seconds ?? '5', 3600),
    parts: list(values.parts ?? PARTS.join(',')).map((name) => known('part', name, PARTS)),
    requests: whole('requests', values.requests ?? '20000', 100_000_000),
    updates: !values['no-updates'],
    peers: !values['no-peers'],
    profile: values.profile ?? null,
    json: values.json ?? null,
    writeDocs: values['write-docs'],
  };
}

function list(value: string): string[] {
  return value.split(',').filter((part) => part !== '');
}

function known<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
  const found = names.find((one) => one === name);
  if (found === undefined) throw usage(`there is no ${what} "${name}"; there are ${names.join(', ')}`);
  return found;
}

function whole(name: string, value: string, to: number): number {
  const number = Number(value);
  if (!Number.isInteger(number) || number < 1 || number > to) {
    throw usage(`--${name} is "${value}"; expected a whole number from 1 to ${to}`);
  }
  return number;
}
