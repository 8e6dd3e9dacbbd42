/** Conditions and computed values of random queries. */
import type { Bound, Scope } from './scope.js';
import type { LiteralKind } from './world.js';

const ORDERED: ReadonlySet<LiteralKind> = new Set<LiteralKind>([
  'integer',
  'decimal',
  'double',
  'number',
  'word',
  'text',
  'date',
  'dateTime',
  'gYear',
  'gYearMonth',
  'time',
  'duration',
]);
const NUMBERS: ReadonlySet<LiteralKind> = new Set<LiteralKind>(['integer', 'decimal', 'double', 'number']);
const TEXTS: ReadonlySet<LiteralKind> = new Set<LiteralKind>(['word', 'text', 'label']);

export function isNumber({ of }: Bound): boolean {
  return NUMBERS.has(of as LiteralKind);
}

export function isOrdered({ of }: Bound): boolean {
  return ORDERED.has(of as LiteralKind);
}

/** About one variable alone. */
export function aboutOne(scope: Scope, { name, of }: Bound): string {
  const { random } = scope;
  if (typeof of === 'number') {
    return random.choice([
      `${name} != ${scope.thingOf(of)}`,
      `${name} = ${scope.thingOf(of)}`,
      `${name} IN (${scope.thingOf(of)}, ${scope.thingOf(of)}, ${scope.thingOf(of)})`,
      `isIRI(${name})`,
      `STRENDS(STR(${name}), "7")`,
    ]);
  }
  const constant = (): string => scope.constantOf(of);
  const word = (): string => random.choice(scope.world.words);
  const compare = `${name} ${random.choice(['=', '!=', '<', '>', '<=', '>='])} ${constant()}`;
  if (TEXTS.has(of)) {
    return random.choice([
      `CONTAINS(STR(${name}), "${word()}")`,
      `REGEX(STR(${name}), "^${word()}", "i")`,
      `STRSTARTS(LCASE(STR(${name})), "${word().slice(0, 2).toLowerCase()}")`,
      `LANGMATCHES(LANG(${name}), "${random.choice(['en', 'de', '*'])}")`,
      `LANG(${name}) = "fr"`,
      `STRLEN(STR(${name})) > ${random.between(3, 12)}`,
      `${name} = ${constant()}`,
      `${name} IN (${constant()}, ${constant()})`,
    ]);
  }
  if (!ORDERED.has(of)) return `${name} ${random.choice(['=', '!='])} ${constant()}`;
  if (of === 'date' || of === 'dateTime') {
    return random.choice([compare, compare, `YEAR(${name}) = ${random.between(1950, 1960)}`, `MONTH(${name}) = 3`]);
  }
  return random.choice([compare, compare, compare, `${name} IN (${constant()}, ${constant()})`]);
}

/** Between two variables of the kinds that compare. */
export function betweenTwo(scope: Scope, one: Bound, other: Bound): string {
  const { random } = scope;
  const [a, b] = [one.name, other.name];
  if (typeof one.of === 'number') return random.choice([`${a} = ${b}`, `sameTerm(${a}, ${b})`, `${a} != ${b}`]);
  if (isNumber(one)) {
    return random.choice([
      `${a} = ${b}`,
      `${a} = ${b} + 1`,
      `${a} < ${b}`,
      `${a} > ${b} && ${a} < ${b} + 3`,
      `ABS(${a} - ${b}) < 2`,
    ]);
  }
  if (TEXTS.has(one.of)) {
    return random.choice([
      `${a} = ${b}`,
      `LCASE(STR(${a})) = LCASE(STR(${b}))`,
      `STR(${a}) = STR(${b})`,
      `sameTerm(${a}, ${b})`,
      `LANG(${a}) = LANG(${b})`,
      `CONTAINS(STR(${a}), STR(${b}))`,
    ]);
  }
  if (!isOrdered(one)) return random.choice([`${a} = ${b}`, `sameTerm(${a}, ${b})`]);
  return random.choice([`${a} = ${b}`, `${a} < ${b}`, `${a} >= ${b}`]);
}

/** Two kinds of which values compare. */
export function compares({ of: a }: Bound, { of: b }: Bound): boolean {
  if (typeof a === 'number' || typeof b === 'number') return a === b;
  return a === b || (NUMBERS.has(a) && NUMBERS.has(b)) || (TEXTS.has(a) && TEXTS.has(b));
}

/** A value made of a variable. */
export function madeOf({ random }: Scope, { name, of }: Bound): string {
  if (typeof of === 'number') return `STRAFTER(STR(${name}), "t")`;
  if (NUMBERS.has(of)) return random.choice([`${name} * 2`, `FLOOR(${name} / 10)`, `xsd:integer(${name})`]);
  if (TEXTS.has(of))
    return random.choice([`LCASE(STR(${name}))`, `SUBSTR(STR(${name}), 1, 3)`, `STRLEN(STR(${name}))`]);
  return `STR(${name})`;
}
