/** Random queries of every form. */

import { type Tree, tree } from '../../../bench/plan-fuzz/tree.js';
import { GRAPHS, NODES, PREDICATES, type Vocabulary } from './data.js';
import { aggregateSelect, plainSelect, QueryScope, randomGroup, topScope } from './patterns.js';
import type { Random } from './random.js';

export function randomQuery(random: Random, vocabulary: Vocabulary): Tree {
  const query = new QueryScope(random, vocabulary);
  const scope = topScope(
    query,
    random.weighted([
      [2, 0],
      [5, 1],
      [4, 2],
      [1, 3],
    ]),
  );
  const from = random.once(14) ? randomDataset(random) : '';
  return random.weighted<() => Tree>([
    [6, () => withDataset(plainSelect(scope, randomGroup(scope), true).tree, from)],
    [3, () => withDataset(aggregateSelect(scope, randomGroup(scope)).tree, from)],
    [3, () => tree(['SELECT * ', from, randomGroup(scope)], { feature: 'SELECT *' })],
    [2, () => ordered(random, scope, from)],
    [1, () => tree(['ASK ', from, randomGroup(scope)], { feature: 'ASK' })],
    [1, () => construct(random, scope, from)],
  ])();
}

type Scope = ReturnType<typeof topScope>;

/** FROM stands before the group; SELECT without WHERE begins with its columns. */
function withDataset(select: Tree, from: Tree | string): Tree {
  if (from === '') return select;
  const at = select.parts.findIndex((part) => typeof part !== 'string' && part.sort === 'group');
  return { ...select, parts: select.parts.toSpliced(at, 0, from) };
}

function randomDataset(random: Random): Tree {
  const clause = (keyword: string) => () => tree([`${keyword} ${random.pick(GRAPHS)} `], { optional: true });
  const clauses = [...random.list(1, 2, clause('FROM')), ...random.list(0, 2, clause('FROM NAMED'))];
  return tree(clauses, { optional: true, feature: 'FROM' });
}

/** Whose order is checked by its keys, which are selected. */
function ordered(random: Random, scope: Scope, from: Tree | string): Tree {
  const group = randomGroup(scope);
  const names = [...new Set(random.list(1, 2, () => random.pick(scope.variables)))];
  const keys = names.map((name) => (random.once(3) ? `DESC(${name})` : name));
  return tree([`SELECT ${names.join(' ')} `, from, group, ` ORDER BY ${keys.join(' ')}`], { feature: 'ORDER BY' });
}

function construct(random: Random, scope: Scope, from: Tree | string): Tree {
  const group = randomGroup(scope);
  const term = () => (random.once(4) ? random.pick([...NODES, '_:new']) : random.pick(scope.variables));
  const triple = () => {
    const predicate = random.once(3) ? random.pick(scope.variables) : random.pick(PREDICATES);
    return tree(
      [`${term()} ${predicate} ${random.once(6) ? random.pick(scope.query.vocabulary.literals) : term()} . `],
      { optional: true },
    );
  };
  return tree(['CONSTRUCT { ', ...random.list(1, 3, triple), '} ', from, 'WHERE ', group], { feature: 'CONSTRUCT' });
}
