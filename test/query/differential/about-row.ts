/**
 * EXISTS about rows that may or may not have a variable: its pattern gives the variable a value, compares
 * it with one, or reads it on the other side of a MINUS or in a group that is asked graph by graph.
 */

import { separated, type Tree, tree } from '../../../bench/plan-fuzz/tree.js';
import { NODES, PREDICATES, type Vocabulary } from './data.js';
import type { Random } from './random.js';

type Part = Tree | string;

export interface RowScope {
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  /** What the row may have bound. */
  readonly variables: readonly string[];
  /** A variable that nothing else in the query binds. */
  readonly fresh: () => string;
  /** A group over these variables. */
  readonly group: (variables: readonly string[]) => Tree;
}

/** A filter; or a group of its own, in which VALUES leave the variable unbound in some rows. */
export function randomAboutRow(scope: RowScope): Tree {
  const { random } = scope;
  const asked = random.pick(scope.variables);
  const others = scope.variables.filter((name) => name !== asked);
  const other = others.length === 0 ? scope.fresh() : random.pick(others);
  const negated = random.once(2);
  const filter = tree(
    [`FILTER ${negated ? 'NOT ' : ''}EXISTS { `, ...randomPattern(scope, asked, other, others), ' }'],
    {
      optional: true,
      sort: 'part',
      feature: 'EXISTS about the row',
    },
  );
  if (random.once(2)) return filter;
  const row = () => tree([`(${randomCell(scope)} ${randomCell(scope)})`], { optional: true });
  const rows = separated([...random.list(2, 4, row), '(UNDEF UNDEF)'], ' ');
  return tree([`{ VALUES (${asked} ${other}) { `, ...rows, ' } ', filter, ' }'], {
    optional: true,
    sort: 'part',
    feature: 'EXISTS about UNDEF',
  });
}

function randomCell(scope: RowScope): string {
  const { random } = scope;
  return random.weighted([
    [1, 'UNDEF'],
    [2, randomConstant(scope)],
  ]);
}

function randomConstant({ random, vocabulary }: RowScope): string {
  return random.once(3) ? random.pick(vocabulary.literals) : random.pick(NODES);
}

function randomPattern(scope: RowScope, asked: string, other: string, others: readonly string[]): Part[] {
  const { random, fresh } = scope;
  const triple = (subject: string, object: string): string => `${subject} ${random.pick(PREDICATES)} ${object} . `;
  const compared = (name: string) =>
    tree([`FILTER(${name} ${random.pick(['=', '!='])} ${asked}) `], {
      optional: true,
      feature: 'filter about the row',
    });
  const minus = (name: string): Tree => {
    const [own, free] = [fresh(), fresh()];
    const right = random.weighted<() => Part[]>([
      [3, () => [triple(name, own), compared(own)]],
      [1, () => [triple(name, asked)]],
      [1, () => [triple(free, own), compared(own)]],
      [1, () => [triple(free, asked)]],
      [1, () => [triple(name, own), tree([`OPTIONAL { ${triple(own, asked)}} `], { optional: true })]],
    ])();
    return tree(['MINUS { ', ...right, '} '], { optional: true, feature: 'MINUS about the row' });
  };
  return random.weighted<() => Part[]>([
    [3, () => [triple(other, asked), `FILTER(${equality(scope, asked)}) `]],
    [2, () => [tree([scope.group(others), ' '], { optional: true }), ...randomBinding(scope, asked, other)]],
    [3, () => [triple(other, fresh()), minus(other)]],
    [
      3,
      () => {
        const [own, free] = [fresh(), fresh()];
        const graph = others.length > 1 && random.once(3) ? random.pick(others) : fresh();
        return [`GRAPH ${graph} { `, triple(own, free), minus(own), compared(random.pick([own, free])), '} '];
      },
    ],
  ])();
}

function equality(scope: RowScope, name: string): string {
  const constant = randomConstant(scope);
  return scope.random.once(2) ? `${name} = ${constant}` : `sameTerm(${name}, ${constant})`;
}

function randomBinding(scope: RowScope, asked: string, other: string): Part[] {
  const { random } = scope;
  const value = random.weighted([
    [3, randomConstant(scope)],
    [2, other],
    [1, '1/0'],
    [1, `COALESCE(${asked}, ${randomConstant(scope)})`],
  ]);
  const check = tree([`FILTER(${equality(scope, asked)}) `], { optional: true });
  return [tree([`BIND(${value} AS ${asked}) `], { optional: true, feature: 'BIND about the row' }), check];
}
