/** Every table of `docs/benchmarks.md`: the command that takes it, in the order of the page, and the part of the page it fills. */

export interface TableRun {
  /** What it is called on the command line and in the state of a run. */
  readonly name: string;
  /** The mark in the page. */
  readonly section: string;
  readonly args: readonly string[];
}

/** Results of queries are kept query by query in a folder of this name, so that such a table goes on where it stopped. */
export function tableRuns(folder: string): readonly TableRun[] {
  const queries = (name: string, section: string, ...more: readonly string[]): TableRun => ({
    name,
    section,
    args: ['sparql', '--name', folder, ...more],
  });
  const plain = (name: string, section = name, args: readonly string[] = [name]): TableRun => ({ name, section, args });
  return [
    queries('sparql', 'sparql', '--sizes', '1M,5M'),
    queries('sparql-time', 'sparql-time', '--time'),
    queries('sparql-graphs', 'sparql-graphs', '--graphs'),
    queries('sparql-delta', 'sparql-delta', '--delta'),
    queries('sparql-threads', 'sparql-threads', '--threads'),
    queries('sparql-growth', 'sparql-growth', '--growth'),
    plain('operators'),
    plain('join-sort'),
    plain('threads'),
    plain('load'),
    plain('storage'),
    plain('kernels'),
    plain('commit'),
    plain('growth', 'growth', ['commit', 'growth']),
    plain('time'),
    plain('bitemporal'),
    plain('http'),
    plain('episodes'),
    plain('federation'),
    plain('lake', 'lake', ['lake', '--sizes', '5M']),
    plain('share'),
    plain('freeze'),
    plain('governance'),
    plain('texts'),
    plain('vectors'),
    plain('unified'),
    plain('relevance'),
    plain('reason'),
  ];
}
