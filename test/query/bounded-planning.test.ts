/** Parts within parts are planned in several ways each: that ends, however deep they stand and whatever the endpoints behind them cost. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeOf, ParsedQuery } from '../../engine/query/algebra/algebra.js';
import { beginRun } from '../../engine/query/open-query.js';
import { parseQuery } from '../../engine/query/parse/parse.js';
import { leafPlan } from '../../engine/query/physical/plan.js';
import { compoundPart } from '../../engine/query/plan/build/compound.js';
import { distribute } from '../../engine/query/plan/build/distribute.js';
import { PlanTerms, TrackedSnapshot } from '../../engine/query/plan/cache/dependencies.js';
import { PlanContext } from '../../engine/query/plan/context/context.js';
import { QueryDataset } from '../../engine/query/plan/context/dataset.js';
import { planAlgebra } from '../../engine/query/plan/planner.js';
import { WHOLE_SCOPE } from '../../engine/query/read-context.js';
import { GraphBooks } from '../../engine/query/registry/graph-book.js';
import { rewriteQuery } from '../../engine/query/rewrites/index.js';
import type { FederatedRun } from '../../engine/query/service/members.js';
import { CURRENT } from '../../engine/storage/seam/scan.js';
import { PREFIXES, storeOf } from './support.js';

const snapshot = (await storeOf(':a :p :b ; :q :c ; :r 1 . :b :p :c ; :q :a ; :r 2 . :c :r 3 .')).snapshot();
/** Both remotes have solutions of every pattern. */
const everywhere = {
  sourcesOf: () => [
    { name: 'one', rows: 10 },
    { name: 'two', rows: 7 },
  ],
} as unknown as FederatedRun;

type Plan = ConstructorParameters<typeof PlanContext>[5];

/** What is planned of a text, with a planner of its own. */
function inContext<Made>(
  text: string,
  plan: Plan,
  disabled: readonly string[],
  use: (context: PlanContext, query: ParsedQuery) => Made,
): Made {
  const { terms, budget } = beginRun(snapshot, {});
  try {
    const tracked = new TrackedSnapshot(snapshot);
    const dataset = new QueryDataset(tracked, {
      clause: null,
      scope: WHOLE_SCOPE,
      time: CURRENT,
      books: new GraphBooks(),
    });
    const context = new PlanContext(tracked, dataset, new PlanTerms(tracked, terms), CURRENT, new Set(disabled), plan);
    return use(context, rewriteQuery(parseQuery(PREFIXES + text), new Set()));
  } finally {
    budget.close();
  }
}

/** Groups that were planned. */
function planned(text: string, federated: boolean): number {
  let groups = 0;
  const counting: Plan = (...given) => {
    groups++;
    return planAlgebra(...given);
  };
  inContext(text, counting, [], (context, { algebra, variables }) => {
    planAlgebra(federated ? distribute(algebra, everywhere, context) : algebra, new Set(variables), null, context);
  });
  return groups;
}

const GROUP = '?x :p ?y . ?y :q ?z . ?z :r ?w';

function nested(depth: number, part: (inner: string) => string): string {
  return depth === 0 ? GROUP : `${GROUP} ${part(nested(depth - 1, part))}`;
}

const PARTS: Readonly<Record<string, (inner: string) => string>> = {
  EXISTS: (inner) => `FILTER NOT EXISTS { ${inner} }`,
  OPTIONAL: (inner) => `OPTIONAL { ${inner} }`,
  MINUS: (inner) => `MINUS { ${inner} }`,
  UNION: (inner) => `{ ${inner} } UNION { ?x :r ?w }`,
  subquery: (inner) => `{ SELECT DISTINCT ?x ?y { ${inner} } }`,
  'all of them': (inner) =>
    `{ SELECT DISTINCT ?x ?y { ${inner} FILTER EXISTS { ${inner} } } } OPTIONAL { ?x :q ?z { ${inner} } UNION { ?x :r ?w } }`,
};

for (const [name, part] of Object.entries(PARTS)) {
  test(`${name} within ${name}, over several stores and behind SERVICE`, () => {
    for (const depth of [3, 5]) {
      const deep = name === 'all of them' ? depth - 2 : depth;
      const local = nested(deep, part);
      const groups = local.split(GROUP).length - 1;
      const remote = local.replaceAll('?y :q ?z .', 'SERVICE <http://endpoint.example/sparql> { ?y :q ?z }');
      for (const [text, federated] of [
        [local, true],
        [remote, false],
      ] as const) {
        const made = planned(`SELECT * { ${text} }`, federated);
        assert.ok(made > 0 && made < 500 + 40 * groups, `${made} for ${groups} groups at depth ${depth}`);
      }
    }
  });
}

test('a way that was looked at is there for the same columns in another sequence, when no further plan is made', () => {
  const text = 'SELECT * { { ?x :p ?y } UNION { ?x :q ?y . ?y :r ?w } }';
  inContext(text, planAlgebra, ['hash-joins'], (context, { algebra, variables }) => {
    const union = (algebra as NodeOf<'project'>).input;
    const { joinTo } = compoundPart(union, new Set(variables), context);
    const input = (names: readonly string[], rows: number) => leafPlan({ kind: 'project' }, names, { rows, cost: 0 });
    for (let size = 0; size < 12; size++) assert.ok(joinTo?.(input(['x', 'y'], 10 ** size)) ?? null);
    assert.ok(joinTo?.(input(['y', 'x'], 1e13)) ?? null);
    assert.equal(joinTo?.(input(['z'], 10)) ?? null, null);
  });
});
