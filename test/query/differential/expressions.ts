/** Random expressions, typed enough to have values more often than errors. */

import { separated, type Tree, tree } from '../../../bench/plan-fuzz/tree.js';
import { NODES, PREDICATES, type Vocabulary } from './data.js';
import type { Random } from './random.js';

export interface ExpressionScope {
  readonly random: Random;
  readonly vocabulary: Vocabulary;
  /** Variables to read, with their question mark. */
  readonly variables: readonly string[];
  /** A group for EXISTS; null where none may stand. */
  readonly group: (() => Tree) | null;
}

type Part = Tree | string;

const boolean = (feature: string, parts: readonly Part[]): Tree => tree(parts, { sort: 'boolean', feature });
const value = (feature: string, parts: readonly Part[]): Tree => tree(parts, { sort: 'value', feature });

export function randomCondition(scope: ExpressionScope, depth = 2): Tree {
  const { random } = scope;
  const inner = () => randomCondition(scope, depth - 1);
  const any = () => randomValue(scope, depth - 1);
  const text = () => randomText(scope, depth - 1);
  const make = random.weighted<() => Tree>([
    [
      6,
      () =>
        boolean('comparison', [
          '(',
          any(),
          ` ${random.pick(['=', '!=', '!=', '!=', '<', '<=', '>', '>='])} `,
          any(),
          ')',
        ]),
    ],
    ...(depth > 0
      ? ([
          [2, () => boolean('&&', ['(', inner(), ' && ', inner(), ')'])],
          [4, () => boolean('||', ['(', inner(), ' || ', inner(), ')'])],
          [1, () => boolean('!', ['(!', inner(), ')'])],
          [1, () => boolean('IF', ['IF(', inner(), ', ', inner(), ', ', inner(), ')'])],
        ] as const)
      : []),
    [4, () => boolean('BOUND', [`${random.pick(['', '', '!'])}BOUND(${random.pick(scope.variables)})`])],
    [2, () => boolean('isX', [`${random.pick(['isIRI', 'isBlank', 'isLiteral', 'isNumeric'])}(`, any(), ')'])],
    [1, () => boolean('sameTerm', ['sameTerm(', any(), ', ', any(), ')'])],
    [
      2,
      () =>
        boolean('IN', [
          '(',
          any(),
          random.pick([' IN (', ' NOT IN (']),
          ...separated(random.list(0, 3, any), ', '),
          '))',
        ]),
    ],
    [
      1,
      () =>
        boolean('REGEX', [
          'REGEX(',
          text(),
          `, ${random.pick(['"a"', '"^a"', '"B"', '"[ab]$"'])}${random.pick(['', ', "i"'])})`,
        ]),
    ],
    [
      1,
      () =>
        boolean('string test', [`${random.pick(['STRSTARTS', 'STRENDS', 'CONTAINS'])}(`, text(), ', ', text(), ')']),
    ],
    [
      1,
      () =>
        boolean('LANGMATCHES', ['LANGMATCHES(LANG(', any(), `), ${random.pick(['"*"', '"en"', '"EN-gb"', '"fr"'])})`]),
    ],
    [1, () => boolean('effective boolean', [any()])],
    ...(scope.group !== null
      ? ([
          [2, () => boolean('EXISTS', [`${random.pick(['', 'NOT '])}EXISTS `, (scope.group as () => Tree)()])],
        ] as const)
      : []),
  ]);
  return make();
}

export function randomTerm({ random, vocabulary, variables }: ExpressionScope): string {
  return random.weighted<() => string>([
    [6, () => random.pick(variables)],
    [3, () => random.pick(vocabulary.literals)],
    [1, () => random.pick(NODES)],
  ])();
}

/** An expression of any type. */
export function randomValue(scope: ExpressionScope, depth = 2): Tree {
  const { random } = scope;
  const leaf = () => value('term', [randomTerm(scope)]);
  if (depth <= 0) return leaf();
  const any = () => randomValue(scope, depth - 1);
  return random.weighted<() => Tree>([
    [8, leaf],
    [3, () => randomNumber(scope, depth)],
    [3, () => randomText(scope, depth)],
    [1, () => value('IF', ['IF(', randomCondition(scope, depth - 1), ', ', any(), ', ', any(), ')'])],
    [1, () => value('COALESCE', ['COALESCE(', ...separated(random.list(1, 3, any), ', '), ')'])],
    [1, () => value('DATATYPE', ['DATATYPE(', any(), ')'])],
    [
      1,
      () =>
        value('STRDT', [
          'STRDT(',
          randomText(scope, depth - 1),
          `, ${random.pick(['xsd:integer', ':type', 'xsd:string'])})`,
        ]),
    ],
    [1, () => value('STRLANG', ['STRLANG(', randomText(scope, depth - 1), `, ${random.pick(['"en"', '"fr"'])})`])],
    [1, () => value('IRI', [`IRI(STR(${random.pick([...NODES, ...scope.variables])}))`])],
    ...(scope.vocabulary.tripleTerms
      ? ([
          [3, () => value('triple term part', [`${random.pick(['SUBJECT', 'PREDICATE', 'OBJECT'])}(`, any(), ')'])],
          [
            2,
            () =>
              value('TRIPLE', [
                'TRIPLE(',
                any(),
                `, ${random.pick([...PREDICATES, ...scope.variables])}, `,
                any(),
                ')',
              ]),
          ],
          [1, () => value('isTRIPLE', ['isTRIPLE(', any(), ')'])],
        ] as const)
      : []),
    [1, () => value('condition as value', [randomCondition(scope, depth - 1)])],
  ])();
}

export function randomNumber(scope: ExpressionScope, depth = 2): Tree {
  const { random } = scope;
  const leaf = () =>
    value('term', [random.once(2) ? random.pick(scope.variables) : random.pick(['1', '2', '-1', '2.5', '0'])]);
  if (depth <= 0) return leaf();
  const number = () => randomNumber(scope, depth - 1);
  return random.weighted<() => Tree>([
    [3, leaf],
    [4, () => value('arithmetic', ['(', number(), ` ${random.pick(['+', '-', '*', '/'])} `, number(), ')'])],
    [1, () => value('unary minus', ['(-', number(), ')'])],
    [2, () => value('rounding', [`${random.pick(['ABS', 'ROUND', 'CEIL', 'FLOOR'])}(`, number(), ')'])],
    [1, () => value('STRLEN', ['STRLEN(', randomText(scope, depth - 1), ')'])],
    [
      1,
      () =>
        value('cast', [
          `${random.pick(['xsd:integer', 'xsd:decimal', 'xsd:double', 'xsd:float', 'xsd:boolean'])}(`,
          randomValue(scope, depth - 1),
          ')',
        ]),
    ],
    [
      1,
      () =>
        value('date part', [
          `${random.pick(['YEAR', 'MONTH', 'DAY', 'HOURS', 'MINUTES', 'SECONDS'])}(${random.pick(scope.variables)})`,
        ]),
    ],
  ])();
}

export function randomText(scope: ExpressionScope, depth = 2): Tree {
  const { random } = scope;
  const leaf = () =>
    value('term', [
      random.weighted([
        [3, `STR(${random.pick(scope.variables)})`],
        [2, random.pick(scope.variables)],
        [2, random.pick(['"a"', '"b"', '"ab"', '"a"@en', '""'])],
      ]),
    ]);
  if (depth <= 0) return leaf();
  const text = () => randomText(scope, depth - 1);
  return random.weighted<() => Tree>([
    [4, leaf],
    [1, () => value('STR', ['STR(', randomValue(scope, depth - 1), ')'])],
    [1, () => value('LANG', ['LANG(', randomValue(scope, depth - 1), ')'])],
    [1, () => value('case', [`${random.pick(['UCASE', 'LCASE'])}(`, text(), ')'])],
    [1, () => value('SUBSTR', ['SUBSTR(', text(), random.pick([', 1)', ', 2)', ', 1, 1)', ', 0, 2)', ', 1.5, 2.6)'])])],
    [1, () => value('CONCAT', ['CONCAT(', ...separated(random.list(0, 3, text), ', '), ')'])],
    [1, () => value('STRBEFORE', [`${random.pick(['STRBEFORE', 'STRAFTER'])}(`, text(), ', ', text(), ')'])],
    [
      1,
      () => value('REPLACE', ['REPLACE(', text(), random.pick([', "a", "c")', ', "[ab]", "-")', ', "B", "x", "i")'])]),
    ],
    [1, () => value('ENCODE_FOR_URI', ['ENCODE_FOR_URI(', text(), ')'])],
    [1, () => value('hash', [`${random.pick(['MD5', 'SHA1', 'SHA256', 'SHA384', 'SHA512'])}(`, text(), ')'])],
    [1, () => value('cast', ['xsd:string(', randomValue(scope, depth - 1), ')'])],
    [1, () => value('TZ', [`${random.pick(['TZ', 'STR'])}(${random.pick(scope.variables)})`])],
  ])();
}
