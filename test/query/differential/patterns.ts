/** Random group graph patterns, with everything that SPARQL 1.1 lets stand in one. */

import { separated, type Tree, tree } from '../../../bench/plan-fuzz/tree.js';
import { type RowScope, randomAboutRow } from './about-row.js';
import { GRAPHS, NODES, PREDICATES, type Vocabulary } from './data.js';
import { type ExpressionScope, randomCondition, randomValue } from './expressions.js';
import type { Random } from './random.js';

type Part = Tree | string;

export const VARIABLES = ['?a', '?b', '?c', '?d'];

/** What the groups of one query share. */
export class QueryScope {
  #taken = 0;

  constructor(
    readonly random: Random,
    readonly vocabulary: Vocabulary,
  ) {}

  /** A variable that nothing else in the query binds. */
  fresh(): string {
    this.#taken++;
    return `?x${this.#taken}`;
  }
}

export interface GroupScope {
  readonly query: QueryScope;
  /** Variables of the patterns; BIND and subqueries add theirs. */
  readonly variables: string[];
  readonly depth: number;
  /** Inside EXISTS a subquery with a limit means different things to different engines. */
  readonly inExists: boolean;
}

export function topScope(query: QueryScope, depth: number): GroupScope {
  return { query, variables: [...VARIABLES], depth, inExists: false };
}

function below(scope: GroupScope, changes: Partial<GroupScope> = {}): GroupScope {
  return { ...scope, variables: [...scope.variables], depth: scope.depth - 1, ...changes };
}

/** `{ … }` */
export function randomGroup(scope: GroupScope): Tree {
  const { random } = scope.query;
  const parts: Tree[] = [randomBase(scope)];
  for (let more = random.between(0, scope.depth > 0 ? 2 : 1); more > 0; more--) parts.push(randomPart(scope));
  // What is joined with OPTIONAL and MINUS.
  if (random.once(3) && parts.some(({ feature }) => feature === 'OPTIONAL' || feature === 'MINUS')) {
    parts.push(tree([randomTriples(scope)], { optional: true, sort: 'part', feature: 'join after OPTIONAL, MINUS' }));
  }
  return tree(['{ ', ...separated(parts, ' '), ' }'], { sort: 'group' });
}

/** What a group begins with: mostly triples, so that there is something to work on. */
function randomBase(scope: GroupScope): Tree {
  const { random } = scope.query;
  return random.weighted<() => Tree>([
    [10, () => randomTriples(scope)],
    [2, () => randomPath(scope)],
    [1, () => randomValues(scope)],
    ...(scope.depth > 0
      ? ([
          [1, () => randomGraph(scope)],
          [1, () => randomUnion(scope)],
          [1, () => randomSubquery(scope)],
        ] as const)
      : []),
  ])();
}

function randomPart(scope: GroupScope): Tree {
  const { random } = scope.query;
  const nested = (keyword: string, feature: string) =>
    tree([`${keyword} `, randomGroup(below(scope))], { optional: true, sort: 'part', feature });
  return random.weighted<() => Tree>([
    [4, () => randomTriples(scope)],
    [2, () => randomPath(scope)],
    [3, () => randomFilter(scope)],
    [2, () => randomBind(scope)],
    [1, () => randomValues(scope)],
    ...(scope.depth > 0
      ? ([
          [4, () => nested('OPTIONAL', 'OPTIONAL')],
          [2, () => nested('MINUS', 'MINUS')],
          [3, () => randomUnion(scope)],
          [3, () => randomGraph(scope)],
          [2, () => randomSubquery(scope)],
          [1, () => nested('', 'nested group')],
          [3, () => randomExists(scope)],
          [2, () => randomAboutRow(rowScope(scope))],
        ] as const)
      : []),
  ])();
}

function randomSubject({ query: { random, vocabulary }, variables }: GroupScope): string {
  return random.weighted<() => string>([
    [12, () => random.pick(variables)],
    [1, () => random.pick(NODES)],
    [vocabulary.blankNodes.length > 0 ? 1 : 0, () => '[]'],
  ])();
}

function randomObject(scope: GroupScope): string {
  const { random, vocabulary } = scope.query;
  if (vocabulary.tripleTerms && random.once(4)) {
    const part = () => random.pick([...scope.variables, ...NODES.slice(0, 1)]);
    return `<<( ${part()} ${random.pick([...PREDICATES, random.pick(scope.variables)])} ${part()} )>>`;
  }
  return random.once(12) ? random.pick(vocabulary.literals) : randomSubject(scope);
}

function randomTriples(scope: GroupScope): Tree {
  const { random } = scope.query;
  const triple = () => {
    const predicate = random.once(6) ? random.pick(scope.variables) : random.pick(PREDICATES);
    return tree([`${randomSubject(scope)} ${predicate} ${randomObject(scope)} .`], { optional: true });
  };
  return tree(separated(random.list(1, 2, triple), ' '), { optional: true, sort: 'part', feature: 'triples' });
}

function randomPath(scope: GroupScope): Tree {
  const { random, vocabulary } = scope.query;
  const path = randomPathExpression(random, 2);
  const end = vocabulary.pathsToLiterals && !vocabulary.tripleTerms ? randomObject(scope) : randomSubject(scope);
  return tree([`${randomSubject(scope)} `, path, ` ${end} .`], {
    optional: true,
    sort: 'part',
    feature: 'path',
  });
}

function randomPathExpression(random: Random, depth: number): Tree {
  const path = (feature: string, parts: readonly Part[]) => tree(parts, { sort: 'path', feature });
  const leaf = () => path('path predicate', [random.pick(PREDICATES)]);
  if (depth === 0) return leaf();
  const inner = () => randomPathExpression(random, depth - 1);
  return random.weighted<() => Tree>([
    [1, leaf],
    [2, () => path('/', ['(', inner(), '/', inner(), ')'])],
    [2, () => path('|', ['(', inner(), '|', inner(), ')'])],
    [2, () => path('^', ['^(', inner(), ')'])],
    [2, () => path('*', ['(', inner(), ')*'])],
    [2, () => path('+', ['(', inner(), ')+'])],
    [2, () => path('?', ['(', inner(), ')?'])],
    [1, () => path('!', [random.pick(['!:p', '!^:q', '!(:p|:q)', '!(:p|^:q)', '!(^:p|^:r)'])])],
  ])();
}

function randomUnion(scope: GroupScope): Tree {
  const groups = scope.query.random.list(2, 3, () => randomGroup(below(scope)));
  return tree(separated(groups, ' UNION '), { optional: true, sort: 'part', feature: 'UNION' });
}

function randomGraph(scope: GroupScope): Tree {
  const { random } = scope.query;
  // What an expression inside sees of the variable of GRAPH is another matter: nothing inside reads it.
  const variable = scope.query.fresh();
  const name = random.weighted([
    [3, random.pick(GRAPHS)],
    [1, ':none'],
    [2, variable],
    [1, random.pick(scope.variables)],
  ]);
  const inner = below(scope);
  const visible = name.startsWith('?') ? inner.variables.filter((known) => known !== name) : inner.variables;
  const plain = randomGroup({ ...inner, variables: visible });
  // The group may bind the variable itself.
  const group =
    name.startsWith('?') && random.once(4)
      ? tree([
          '{ ',
          tree([`${name} ${random.pick(PREDICATES)} ${randomObject(scope)} . `], { optional: true }),
          plain,
          ' }',
        ])
      : plain;
  if (name === variable) scope.variables.push(variable);
  return tree([`GRAPH ${name} `, group], {
    optional: true,
    sort: 'part',
    feature: name.startsWith('?') ? 'GRAPH ?g' : 'GRAPH <g>',
  });
}

function expressionScope(scope: GroupScope, exists: boolean): ExpressionScope {
  return {
    random: scope.query.random,
    vocabulary: scope.query.vocabulary,
    variables: scope.variables,
    group: exists && scope.depth > 0 ? () => randomGroup(below(scope, { inExists: true })) : null,
  };
}

function randomFilter(scope: GroupScope): Tree {
  return tree(['FILTER(', randomCondition(expressionScope(scope, true)), ')'], {
    optional: true,
    sort: 'part',
    feature: 'FILTER',
  });
}

function randomExists(scope: GroupScope): Tree {
  const negated = scope.query.random.once(2);
  const group = randomGroup(below(scope, { inExists: true }));
  return tree([`FILTER ${negated ? 'NOT ' : ''}EXISTS `, group], {
    optional: true,
    sort: 'part',
    feature: negated ? 'NOT EXISTS' : 'EXISTS',
  });
}

function rowScope(scope: GroupScope): RowScope {
  const { query, variables } = scope;
  return {
    random: query.random,
    vocabulary: query.vocabulary,
    variables,
    fresh: () => query.fresh(),
    group: (names) => randomGroup(below(scope, { inExists: true, variables: [...names] })),
  };
}

function randomBind(scope: GroupScope): Tree {
  const expression = randomValue(expressionScope(scope, true));
  const variable = scope.query.fresh();
  scope.variables.push(variable);
  return tree(['BIND(', expression, ` AS ${variable})`], { optional: true, sort: 'part', feature: 'BIND' });
}

function randomValues(scope: GroupScope): Tree {
  const { random, vocabulary } = scope.query;
  const names = [...new Set(random.list(1, 2, () => random.pick(scope.variables)))];
  const cell = () =>
    random.weighted<() => string>([
      [3, () => random.pick(NODES)],
      [1, () => random.pick(vocabulary.literals)],
      [2, () => 'UNDEF'],
    ])();
  const row = () => tree([`(${names.map(cell).join(' ')})`], { optional: true });
  return tree(
    [`VALUES (${names.join(' ')}) { `, ...separated(random.list(random.once(8) ? 0 : 2, 5, row), ' '), ' }'],
    {
      optional: true,
      sort: 'part',
      feature: 'VALUES',
    },
  );
}

function randomSubquery(scope: GroupScope): Tree {
  const { random } = scope.query;
  const inner = below(scope);
  const where = randomGroup(inner);
  const select = random.once(2) ? aggregateSelect(inner, where) : plainSelect(inner, where, !scope.inExists);
  scope.variables.push(...select.added);
  return tree(['{ ', select.tree, ' }'], { optional: true, sort: 'part', feature: 'subquery' });
}

export interface Select {
  readonly tree: Tree;
  /** Variables that it makes. */
  readonly added: readonly string[];
}

/** SELECT of variables and expressions, perhaps the first few in a total order. */
export function plainSelect(scope: GroupScope, where: Tree, limits: boolean): Select {
  const { random } = scope.query;
  const names = [...new Set(random.list(1, 3, () => random.pick(scope.variables)))];
  const added = random.once(4) ? [scope.query.fresh()] : [];
  const columns: Part[] = [
    ...names,
    ...added.map((name) =>
      tree(['(', randomValue(expressionScope(scope, true)), ` AS ${name})`], {
        optional: true,
        feature: 'SELECT expression',
      }),
    ),
  ];
  const modifier = random.weighted([
    [4, ''],
    [2, 'DISTINCT '],
    [1, 'REDUCED '],
  ]);
  const limit = limits && modifier !== 'REDUCED ' && random.once(4);
  // Ties of equal values in different forms are broken too, so that the first few are always the same.
  const keys = [...names, ...added].flatMap((name) => [name, `STR(${name})`, `DATATYPE(${name})`, `LANG(${name})`]);
  const tail = limit
    ? tree(
        [
          ` ORDER BY ${keys.join(' ')} LIMIT ${random.between(0, 5)}${random.once(3) ? ` OFFSET ${random.between(0, 2)}` : ''}`,
        ],
        { optional: true, feature: 'LIMIT' },
      )
    : '';
  return {
    tree: tree([`SELECT ${modifier}`, ...separated(columns, ' '), ' ', where, tail], {
      feature: modifier.trim() || 'SELECT',
    }),
    added,
  };
}

/** SELECT of groups: keys, aggregates, HAVING. */
export function aggregateSelect(scope: GroupScope, where: Tree): Select {
  const { random } = scope.query;
  const keys = [...new Set(random.list(0, 2, () => random.pick(scope.variables)))];
  const keyExpression = random.once(5) ? scope.query.fresh() : null;
  const inner = expressionScope(scope, false);
  const added: string[] = keyExpression === null ? [] : [keyExpression];
  const columns = random.list(1, 2, () => {
    const name = scope.query.fresh();
    added.push(name);
    return tree(['(', randomAggregate(inner, keys), ` AS ${name})`], { feature: 'aggregate' });
  });
  const by: Part[] = [
    ...keys,
    ...(keyExpression === null
      ? []
      : [tree(['(', randomValue(inner, 1), ` AS ${keyExpression})`], { feature: 'GROUP BY expression' })]),
  ];
  const having = random.once(3)
    ? tree(
        [
          ' HAVING(',
          randomAggregate(inner, keys),
          ` ${random.pick(['>', '<=', '='])} ${random.pick(['1', '2', '0'])})`,
        ],
        { optional: true, feature: 'HAVING' },
      )
    : '';
  const grouping = by.length === 0 ? '' : tree([' GROUP BY ', ...separated(by, ' ')], { feature: 'GROUP BY' });
  const shown = [...keys, ...(keyExpression === null ? [] : [keyExpression])];
  return { tree: tree(['SELECT ', ...separated([...shown, ...columns], ' '), ' ', where, grouping, having]), added };
}

function randomAggregate(scope: ExpressionScope, keys: readonly string[]): Tree {
  const { random } = scope;
  const argument = () => (random.once(3) ? randomValue(scope, 1) : random.pick(scope.variables));
  const distinct = random.once(3) ? 'DISTINCT ' : '';
  const aggregate = (name: string, parts: readonly Part[]) =>
    tree(parts, { feature: `${name}${distinct === '' ? '' : ' DISTINCT'}` });
  return random.weighted<() => Tree>([
    [2, () => aggregate('COUNT(*)', [`COUNT(${distinct}*)`])],
    [3, () => aggregate('COUNT', [`COUNT(${distinct}`, argument(), ')'])],
    [2, () => aggregate('SUM', [`SUM(${distinct}`, argument(), ')'])],
    [2, () => aggregate('AVG', [`AVG(${distinct}`, argument(), ')'])],
    [2, () => aggregate('MIN', ['MIN(', argument(), ')'])],
    [2, () => aggregate('MAX', ['MAX(', argument(), ')'])],
    // The order of what is joined is open, its length is not.
    [
      1,
      () =>
        aggregate('GROUP_CONCAT', [
          `STRLEN(GROUP_CONCAT(${distinct}`,
          argument(),
          random.pick(['; SEPARATOR="")', ')']),
          ')',
        ]),
    ],
    [keys.length > 0 ? 1 : 0, () => aggregate('SAMPLE', [`SAMPLE(${keys[0]})`])],
  ])();
}
