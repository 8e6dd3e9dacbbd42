/**
 * Values for the parameters of templates, taken from the data by queries. Every query gives rows whose columns are
 * parameters; the i-th instance takes the i-th row of each, from the beginning again when there are fewer; of none
 * the templates are left out. They
 * are kept beside the data, since every peer must be asked the same.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { SvcError } from '../../engine/base/errors.js';
import { openStore, type Store, type Term } from '../../interfaces/library/index.js';
import { removeStore, scratchPath } from '../harness/scratch.js';
import type { Data } from './data.js';
import { type Parameters, type QuerySet, readParameterQueries, type Template } from './query-set.js';

export const INSTANCES_MAX = 5;
const XSD = 'http://www.w3.org/2001/XMLSchema#';

interface Kept {
  readonly mark: string;
  readonly parameters: readonly Parameters[];
}

export async function provideParameters(
  set: QuerySet,
  data: Data,
  say: (line: string) => void,
): Promise<readonly Parameters[]> {
  const queries = readParameterQueries(set);
  const texts = queries.map(({ text }) => text).join('\n');
  // By what is asked, not by set: two sets over the same data share their parameters.
  const mark = createHash('md5').update(texts).digest('hex').slice(0, 8);
  const path = `${data.path}.parameters-${mark}.json`;
  if (existsSync(path)) {
    const kept = JSON.parse(readFileSync(path, 'utf8')) as Kept;
    if (kept.mark === data.mark) return kept.parameters;
  }
  if (queries.length === 0) return Array.from({ length: INSTANCES_MAX }, () => ({}));
  say(`choosing parameters of ${set.name} from ${data.path}`);
  const store = scratchPath('parameters.svc');
  try {
    const parameters = await choose(store, data, queries);
    writeFileSync(path, `${JSON.stringify({ mark: data.mark, parameters } satisfies Kept, null, 1)}\n`);
    return parameters;
  } finally {
    removeStore(store);
  }
}

async function choose(path: string, data: Data, queries: readonly Template[]): Promise<readonly Parameters[]> {
  const store = await openStore(path);
  try {
    await store.load(data.path);
    const rows = await Promise.all(queries.map((query) => rowsOf(store, query)));
    return Array.from({ length: INSTANCES_MAX }, (_, at) =>
      Object.assign({}, ...rows.map((some) => (some.length === 0 ? {} : some[at % some.length]))),
    );
  } finally {
    await store.close();
  }
}

async function rowsOf(store: Store, { name, text }: Template): Promise<readonly Parameters[]> {
  const answer = await store.query(text, { inference: false });
  if (answer.kind !== 'select') throw new SvcError('configuration', `parameters ${name}: expected a SELECT`);
  const rows: Parameters[] = [];
  for await (const row of answer.bindings()) {
    rows.push(Object.fromEntries(Object.entries(row).map(([variable, term]) => [variable, spell(term)])));
  }
  return rows;
}

/** A term as SPARQL writes it. */
function spell(term: Term): string {
  if (term.termType === 'NamedNode') return `<${term.value}>`;
  if (term.termType !== 'Literal') throw new SvcError('configuration', `a parameter is a ${term.termType}`);
  const text = JSON.stringify(term.value);
  if (term.language !== '') return `${text}@${term.language}`;
  if (term.datatype.value === `${XSD}integer` && /^\d+$/.test(term.value)) return term.value;
  return term.datatype.value === `${XSD}string` ? text : `${text}^^<${term.datatype.value}>`;
}
