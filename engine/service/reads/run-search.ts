/** A search by text that a query calls, over what the query reads. */

import { SvcError } from '../../base/errors.js';
import type { FunctionCall, FunctionColumn, FunctionRows } from '../../query/functions/table-function.js';
import { idSet } from '../../search/match/entity-set.js';
import { isNarrowed, textsOf } from '../../search/match/texts-of.js';
import type { TermId } from '../../storage/ids/layout.js';
import { paceOf } from '../../storage/indexes/text/pace.js';
import { columnOf, idIn } from '../../storage/seam/rows.js';
import type { IdColumn } from '../../storage/seam/scan.js';
import type { SearchArguments } from './search-functions.js';

/** Literals that are asked for at first, for each row that is wanted, and times that when they do not suffice. */
const LITERALS_EACH = 2;
const LITERALS_LEAST = 64;
const MORE = 8;
/** Memory of a row of the answer while it is made. */
const ROW_BYTES = 160;

interface Fact {
  readonly entity: TermId;
  readonly predicate: TermId;
  readonly literal: TermId;
  readonly score: number;
}

export async function runSearch(call: FunctionCall, { query, limit, all }: SearchArguments): Promise<FunctionRows> {
  const { snapshot, control, memoryBytes } = call;
  const pace = paceOf(control, 'the query');
  const texts = textsOf(snapshot);
  const blind = isNarrowed(snapshot);
  const known = new Map<string, Fact>();
  let seen = 0;
  const first = limit === null ? Number.MAX_SAFE_INTEGER : LITERALS_LEAST + LITERALS_EACH * limit;
  for (let wanted = first; call.graphs !== null; wanted *= MORE) {
    const { ids, scores, isAll } = texts.best(query, wanted, { all, blind }, pace);
    for (const fact of factsOf(call, ids.slice(seen), scores.subarray(seen), pace)) {
      // A fact of several graphs comes once.
      const key = `${fact.entity} ${fact.predicate} ${fact.literal}`;
      if (known.has(key)) continue;
      known.set(key, fact);
      if (known.size * ROW_BYTES > memoryBytes) {
        throw new SvcError('query_complexity', 'the facts that a search finds take more memory than the query may', {
          hint: 'ask for fewer: <urn:svc:search:limit>, or more words',
        });
      }
    }
    seen = ids.length;
    if (isAll || (limit !== null && known.size >= limit)) break;
  }
  const facts = [...known.values()];
  return rowsOf(limit === null ? facts : facts.slice(0, limit), call.results);
}

/** Those with some literals, in the sequence of the literals, then by ids. */
function factsOf(call: FunctionCall, ids: readonly TermId[], scores: Float64Array, pace: () => void): Fact[] {
  const { snapshot, graphs, time } = call;
  if (ids.length === 0 || graphs === null) return [];
  const placeOf = new Map(ids.map((id, at) => [id, at]));
  const keys = idSet(ids);
  const probe = snapshot.probe({
    graphs,
    pattern: {},
    order: 'OSPG',
    time,
    keys: ['o'],
    columns: ['s', 'p', 'o'],
  });
  const found: { readonly place: number; readonly fact: Fact }[] = [];
  try {
    probe.begin([keys], keys.length / 2);
    for (let batch = probe.next(); batch !== null; batch = probe.next()) {
      pace();
      const { rows, columns } = batch;
      for (let row = 0; row < rows; row++) {
        const literal = idIn(columns.o as IdColumn, row);
        const place = placeOf.get(literal) as number;
        const [entity, predicate] = [idIn(columns.s as IdColumn, row), idIn(columns.p as IdColumn, row)];
        found.push({ place, fact: { entity, predicate, literal, score: scores[place] as number } });
      }
    }
  } finally {
    probe.close();
  }
  return found.sort((a, b) => a.place - b.place).map(({ fact }) => fact);
}

function rowsOf(facts: readonly Fact[], results: readonly string[]): FunctionRows {
  const columns: Readonly<Record<string, () => FunctionColumn>> = {
    entity: () => ({ kind: 'ids', ids: columnOf(facts.map(({ entity }) => entity)) }),
    predicate: () => ({ kind: 'ids', ids: columnOf(facts.map(({ predicate }) => predicate)) }),
    literal: () => ({ kind: 'ids', ids: columnOf(facts.map(({ literal }) => literal)) }),
    score: () => ({ kind: 'doubles', values: Float64Array.from(facts, ({ score }) => score) }),
  };
  return {
    rows: facts.length,
    columns: new Map(results.map((name) => [name, (columns[name] as () => FunctionColumn)()])),
  };
}
