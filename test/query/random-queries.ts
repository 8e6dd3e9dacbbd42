/** Random data and random queries over it, small enough to evaluate naively and dense enough to match. */

import fc from 'fast-check';

const NODES = [':n0', ':n1', ':n2', ':n3'];
const PREDICATES = [':p0', ':p1', ':p2'];
const GRAPHS = [':g0', ':g1'];
const LITERALS = [
  '0',
  '1',
  '2',
  '-1',
  '01',
  '1.0',
  '1.5',
  '1e0',
  '"a"',
  '"b"',
  '"a"@en',
  'true',
  '"x"^^xsd:integer',
  '"NaN"^^xsd:double',
  '"2020-01-01"^^xsd:date',
  '"2020-01-01T00:00:00Z"^^xsd:dateTime',
  '"f"^^:type',
  '"300"^^xsd:byte',
];
const VARIABLES = ['?a', '?b', '?c', '?d', '?e'];

const node = fc.constantFrom(...NODES);
const predicate = fc.constantFrom(...PREDICATES);
const literal = fc.constantFrom(...LITERALS);
const variable = fc.constantFrom(...VARIABLES);
const object = fc.oneof(node, literal);

const triple = fc.tuple(node, predicate, object).map((parts) => `${parts.join(' ')} .`);

/** A TriG document: a default graph and two named ones. */
export const documents = fc
  .tuple(fc.array(triple, { maxLength: 40 }), fc.array(triple, { maxLength: 12 }), fc.array(triple, { maxLength: 12 }))
  .map(
    ([root, first, second]) =>
      `${root.join('\n')}\n${GRAPHS[0]} { ${first.join('\n')} }\n${GRAPHS[1]} { ${second.join('\n')} }`,
  );

const pattern = fc
  .tuple(
    fc.oneof(
      { weight: 5, arbitrary: variable },
      { weight: 1, arbitrary: node },
      { weight: 1, arbitrary: fc.constant('[]') },
    ),
    fc.oneof({ weight: 1, arbitrary: variable }, { weight: 4, arbitrary: predicate }),
    fc.oneof({ weight: 5, arbitrary: variable }, { weight: 2, arbitrary: object }),
  )
  .map((parts) => `${parts.join(' ')} .`);

const patterns = fc.array(pattern, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));

const constant = fc.oneof(node, literal);
const operand = fc.oneof({ weight: 3, arbitrary: variable }, { weight: 2, arbitrary: constant });

const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc
      .tuple(operand, fc.constantFrom('=', '!=', '<', '<=', '>', '>='), operand)
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('&&', '||'), tie('expression'))
      .map(([a, operator, b]) => `(${a} ${operator} ${b})`),
    tie('expression').map((inner) => `(!${inner})`),
    fc
      .tuple(fc.constantFrom('isIRI', 'isBlank', 'isLiteral', 'isNumeric', 'BOUND'), variable)
      .map(([name, arg]) => `${name}(${arg})`),
    fc.tuple(operand, operand).map(([a, b]) => `sameTerm(${a}, ${b})`),
    fc
      .tuple(variable, fc.constantFrom('IN', 'NOT IN'), fc.array(constant, { maxLength: 3 }))
      .map(([a, operator, list]) => `(${a} ${operator} (${list.join(', ')}))`),
    fc
      .tuple(fc.constantFrom('STR', 'LANG', 'DATATYPE'), variable, constant)
      .map(([name, arg, other]) => `(${name}(${arg}) = ${other})`),
    fc
      .tuple(operand, fc.constantFrom('+', '-', '*', '/'), operand, operand)
      .map(([a, operator, b, c]) => `(${a} ${operator} ${b} < ${c})`),
    fc
      .tuple(tie('expression'), operand, operand)
      .map(([condition, a, b]) => `(IF(${condition}, ${a}, ${b}) = COALESCE(${a}, ${b}))`),
  ),
}));

const filter = expression.map((text) => `FILTER(${text})`);
const values = fc
  .tuple(
    fc.constantFrom('?a ?b', '?b ?c'),
    fc.array(fc.tuple(fc.oneof(constant, fc.constant('UNDEF')), fc.oneof(constant, fc.constant('UNDEF'))), {
      maxLength: 4,
    }),
  )
  .map(([names, rows]) => `VALUES (${names}) { ${rows.map((row) => `(${row.join(' ')})`).join(' ')} }`);
const graph = fc
  .tuple(fc.constantFrom('?g', '?a', ...GRAPHS, ':none'), fc.oneof(patterns, fc.constant('')))
  .map(([name, inner]) => `GRAPH ${name} { ${inner} }`);
const bind = fc
  .oneof(
    operand,
    expression,
    fc.tuple(variable, constant).map(([a, b]) => `(${a} + ${b})`),
  )
  .map((text) => `BIND(${text} AS ?z)`);

/** The inside of a WHERE clause; the last part may use ?z. */
export const groups = fc
  .tuple(
    fc.array(
      fc.oneof({ weight: 4, arbitrary: patterns }, { weight: 1, arbitrary: values }, { weight: 1, arbitrary: graph }),
      { minLength: 1, maxLength: 2 },
    ),
    fc.option(bind, { freq: 3, nil: '' }),
    fc.option(fc.constant('?a ?b ?z .'), { freq: 6, nil: '' }),
    fc.array(filter, { maxLength: 2 }),
  )
  .map(([parts, bound, after, filters]) => [...parts, bound, bound === '' ? '' : after, ...filters].join(' '));

export interface RandomQuery {
  readonly text: string;
  /** The order of the rows is part of the answer up to ties. */
  readonly limited: boolean;
}

const tail = fc.tuple(
  fc.option(fc.nat({ max: 4 }), { nil: null }),
  fc.option(fc.nat({ max: 3 }), { freq: 2, nil: null }),
);

export const queries: fc.Arbitrary<RandomQuery> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        groups,
        fc.constantFrom('', 'DISTINCT '),
        fc.constantFrom('*', '?a', '?a ?b', '?c ?z ?a', '?a (?b = ?c AS ?y)'),
        fc.option(fc.tuple(variable, expression), { nil: null }),
      )
      .map(selectText),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(groups, fc.constantFrom('', 'DISTINCT '), fc.constantFrom('*', '?a ?b'), tail).map(limitedText),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        groups,
        fc.constantFrom('?a', '?b', '?a ?b', ''),
        fc.constantFrom('*', '?c', 'DISTINCT ?c', 'DISTINCT *', '(?a + 1)'),
      )
      .map(countText),
  },
  { weight: 1, arbitrary: groups.map((group) => ({ text: `ASK { ${group} }`, limited: false })) },
);

function selectText([group, distinct, projection, order]: [
  string,
  string,
  string,
  [string, string] | null,
]): RandomQuery {
  const by = order === null ? '' : `ORDER BY ${order[0]} DESC(${order[1]})`;
  return { text: `SELECT ${distinct}${projection} { ${group} } ${by}`, limited: false };
}

function limitedText([group, distinct, projection, [limit, offset]]: [
  string,
  string,
  string,
  [number | null, number | null],
]): RandomQuery {
  const slice = `${limit === null ? '' : `LIMIT ${limit}`} ${offset === null ? '' : `OFFSET ${offset}`}`;
  return { text: `SELECT ${distinct}${projection} { ${group} } ${slice}`, limited: true };
}

function countText([group, keys, counted]: [string, string, string]): RandomQuery {
  const by = keys === '' ? '' : `GROUP BY ${keys}`;
  return { text: `SELECT ${keys} (COUNT(${counted}) AS ?n) { ${group} } ${by}`, limited: false };
}
