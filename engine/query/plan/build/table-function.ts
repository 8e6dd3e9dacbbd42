/** Plans for functions that give rows: what a call takes and gives is settled here, before anything runs. */

import { SvcError } from '../../../base/errors.js';
import type { Term } from '../../../rdf/terms.js';
import type { NodeOf } from '../../algebra/algebra.js';
import type { TableFunctionSpec } from '../../execute/rows/table-function.js';
import { argumentPrefix, tableFunction } from '../../functions/table-function.js';
import { nameInText } from '../../parameters/substitute.js';
import { leafPlan, type Plan } from '../../physical/plan.js';
import type { PlanContext } from '../context/context.js';

type Call = NodeOf<'tableFunction'>;

/** Guesses: rows of a call, and nanoseconds that it takes. */
const ROWS = 10_000;
const COST = 10_000_000;

export function tableFunctionPlan(node: Call, context: PlanContext): Plan {
  const { iri } = node;
  const { takes, gives, check } = tableFunction(iri, context.functions);
  const refused = (why: string, hint: string): SvcError =>
    new SvcError('invalid_request', `SERVICE <${iri}>: ${why}`, { hint });
  if (node.g?.kind === 'variable') {
    const graph = nameInText(node.g.name);
    throw refused(
      `it stands in GRAPH ?${graph}, and reads one graph`,
      'write GRAPH <iri>, or give the graph as a parameter',
    );
  }
  const args = new Map<string, Term[]>();
  const results: TableFunctionSpec['results'][number][] = [];
  for (const { name, value } of node.args) {
    if (takes.includes(name)) {
      if (value.kind === 'variable') {
        const given = value.name.startsWith('_:') ? 'a blank node' : `?${nameInText(value.name)}`;
        throw refused(`'${name}' is ${given}, and it takes an IRI or a literal`, 'write it, or give it as a parameter');
      }
      args.set(name, [...(args.get(name) ?? []), value.term]);
    } else if (gives.includes(name)) {
      results.push(value.kind === 'variable' ? { name, variable: value.name } : { name, term: value.term });
    } else {
      throw refused(
        `it has neither an argument nor a result '${name}'`,
        `it takes ${listed(takes)}, and gives ${listed(gives)}, each with ${argumentPrefix(iri)} in front`,
      );
    }
  }
  check(args);
  const variables = results.flatMap((result) => ('variable' in result ? [result.variable] : []));
  const twice = variables.find((name, at) => variables.indexOf(name) < at);
  if (twice !== undefined)
    throw refused(`?${nameInText(twice)} stands for two of its results`, 'give each a variable of its own');
  const graphs = context.dataset.graphsOf(node.g);
  const spec: TableFunctionSpec = { iri, args, results, graphs, time: context.time };
  return leafPlan({ kind: 'tableFunction', spec }, variables, { rows: ROWS, startup: COST, cost: COST });
}

function listed(names: readonly string[]): string {
  return names.length === 0 ? 'nothing' : names.join(', ');
}
