/**
 * The order inside the rooms of the engine: which folder of a room may import which. Each list goes from the ground up: a
 * place imports places before it in the list, and what stands beside it in its own folder. A place is a folder or a file;
 * the files that a list does not name stand where it has a `*`, or else above everything. A list is a total order, so the
 * folders that it names can't form a cycle.
 *
 * `EXCEPTIONS` are imports that point up all the same. The list only gets shorter: an exception that nothing needs is a
 * problem, as is an import upwards that the list does not name.
 */
import { type Problem, resolveImport, type SourceFile } from './sources.js';

export interface InnerOrder {
  /** By folder, what stands in it. */
  readonly orders: Readonly<Record<string, readonly string[]>>;
  /** `from -> to` */
  readonly exceptions: readonly string[];
}

const ORDERS: Readonly<Record<string, readonly string[]>> = {
  'engine/base': [
    'errors.ts',
    'waiting.ts',
    'interrupt.ts',
    'control.ts',
    'interruptible.ts',
    'principal.ts',
    'threads',
  ],
  'engine/governance': ['*', 'audit'],
  'engine/graphs': [
    'targets.ts',
    'create-graph.ts',
    'graph-store.ts',
    'labels',
    'datasets',
    'forks',
    'queries',
    'shapes',
    'proposals',
    'ontologies',
  ],
  'engine/kernels': ['as'],
  'engine/lake': [
    'layout.ts',
    'literal-columns.ts',
    'lake-file.ts',
    'lake-engine.ts',
    'parquet',
    'target',
    'export',
    'iceberg',
    'sql',
    'engines',
  ],
  'engine/lake/sql': ['refusal.ts', 'scalars.ts', 'sql-terms.ts', 'inline-fields.ts', 'expressions', 'dialects'],
  'engine/query': [
    'algebra',
    'functions',
    'read-context.ts',
    'read-gate.ts',
    'parse',
    'regex',
    'runtime',
    'terms',
    'expressions',
    'aggregates',
    'service',
    'execute',
    'execution.ts',
    'inference',
    'parameters',
    'registry',
    'rewrites',
    'physical',
    'plan',
    'options.ts',
    'refusals.ts',
    'tell-graphs.ts',
    'resolve.ts',
    'plan-lookup.ts',
    'open-query.ts',
    'explain',
    'results',
    'query.ts',
    'about',
    'update',
  ],
  'engine/query/execute': ['group', 'sort', 'tables', 'range-join', 'scan', 'join', 'paths', 'rows'],
  'engine/query/plan': ['access', 'cache', 'statistics', 'context', 'build', 'join-search', 'passes'],
  'engine/rdf': ['terms.ts', 'blank-node-scope.ts', 'canonical', 'resolve-iri.ts', 'formats', 'values'],
  'engine/rdf/formats': ['registry.ts', 'input', 'output', 'jsonld', 'rdfxml', 'turtle', 'reader.ts', 'writer.ts'],
  'engine/reason': ['rules', 'evaluate', 'maintain', 'owl', 'explain', 'graph'],
  'engine/reason/graph': ['pace.ts', 'memory-bound.ts', 'kernel-arrays.ts', 'projection.ts', 'algorithms'],
  'engine/search': ['kept-tables.ts', 'text', 'labels', 'names', 'embeddings', 'match', 'context'],
  'engine/service': [
    'requests',
    'configuration',
    'documents',
    'gates',
    'options',
    'reads',
    'facts',
    'paths',
    'alignment',
    'episodes',
    'events',
    'reasoning',
    'pipeline',
    'governance',
    'archives',
    'embedding',
    'export',
    'lake',
    'share',
    'linked-data',
    'federation',
    'search',
    'share',
    'writes',
    'threads',
    'store',
    'operations',
    'host',
  ],
  'engine/service/operations': [
    'definition',
    'admin',
    'facts',
    'episodes',
    'events',
    'query',
    'graphs',
    'shapes',
    'proposals',
    'alignment',
    'paths',
    'reasoning',
    'ontologies',
    'algorithms',
    'search',
    'sharing',
    'lake',
    'governance',
  ],
  'engine/storage': [
    'ids',
    'seam',
    'lmdb',
    'runs',
    'time',
    'sources',
    'dictionary',
    'bulk',
    'delta',
    'log',
    'snapshot',
    'fold',
    'merge',
    'stats',
    'stage',
    'indexes',
    'replication',
    'verify',
    'packs',
    'admin',
    'repair',
    'documents',
    'lmdb-store',
    'memory',
  ],
  'engine/validate': [
    'likeness.ts',
    'yield-timer.ts',
    'shapes',
    'data',
    'value-tests',
    'checks',
    'evaluate',
    'validate.ts',
    'changes',
    'messages.ts',
    'suggestions',
  ],
  'interfaces/cli': [
    'version.ts',
    'line',
    'documents',
    'output',
    'messages',
    'serve',
    'prefixes',
    'repl',
    'completion',
    'doctor',
    'remote',
    'program.ts',
    'run.ts',
    'main.ts',
  ],
  'interfaces/http': [
    'answers',
    'request',
    'addresses',
    'guard',
    'figures',
    'pages',
    'protocols',
    '*',
    'exchange.ts',
    'openapi.ts',
    'mcp-route.ts',
    'unreadable.ts',
    'server.ts',
    'server-routes.ts',
    'serve.ts',
    'follower-server.ts',
  ],
  // Views stand side by side: none imports another.
  'interfaces/ui': [
    'wire',
    'parts',
    'datalinks',
    'foreign',
    'writes',
    'entity',
    'explorer',
    'workbench',
    'timeline',
    'schema',
    'page',
    '*',
  ],
};

const EXCEPTIONS: readonly string[] = [];

const SELF = 'tools/tidy/inner-order.ts';

/** What of a folder a path is or stands in: a folder, or a file. */
function placeOf(folder: string, path: string): string {
  return path.slice(folder.length + 1).split('/', 1)[0] as string;
}

export function checkInnerOrder(
  files: readonly SourceFile[],
  { orders, exceptions }: InnerOrder = { orders: ORDERS, exceptions: EXCEPTIONS },
): Problem[] {
  const problems: Problem[] = [];
  const unneeded = new Set(exceptions);
  for (const [folder, order] of Object.entries(orders)) {
    const inside = files.filter(({ path }) => path.startsWith(`${folder}/`));
    const places = new Set(inside.map(({ path }) => placeOf(folder, path)));
    for (const name of order) {
      if (name !== '*' && !places.has(name))
        problems.push({ path: SELF, line: 1, message: `${folder}/${name} does not exist` });
    }
    for (const name of places) {
      if (order.includes(name) || name.includes('.')) continue;
      problems.push({ path: SELF, line: 1, message: `the folder ${folder}/${name} has no place in the order` });
    }
    problems.push(
      ...arrowsUp(folder, order, inside).filter(({ arrow }) => !(unneeded.delete(arrow) || exceptions.includes(arrow))),
    );
  }
  for (const room of new Set(files.map(({ path }) => /^engine\/[^/]+(?=\/[^/]+\/)/.exec(path)?.[0]))) {
    if (room === undefined || room in orders) continue;
    problems.push({ path: SELF, line: 1, message: `the folders of ${room} have no order` });
  }
  for (const arrow of unneeded) {
    problems.push({ path: SELF, line: 1, message: `an exception that nothing needs any more: ${arrow}` });
  }
  return problems;
}

function arrowsUp(
  folder: string,
  order: readonly string[],
  files: readonly SourceFile[],
): (Problem & { readonly arrow: string })[] {
  const levels = new Map(order.map((name, level) => [name, level]));
  const rest = levels.get('*') ?? order.length;
  const levelOf = (name: string): number => levels.get(name) ?? rest;
  const found: (Problem & { readonly arrow: string })[] = [];
  for (const { path, imports, threads } of files) {
    const from = placeOf(folder, path);
    for (const { text, line } of [...imports, ...threads]) {
      const target = resolveImport(path, text);
      if (!target?.startsWith(`${folder}/`)) continue;
      const to = placeOf(folder, target);
      if (to === from || levelOf(to) <= levelOf(from)) continue;
      const message = `imports ${target}: in ${folder}, ${from} may not look at ${to}`;
      found.push({ path, line, message, arrow: `${path} -> ${target}` });
    }
  }
  return found;
}
