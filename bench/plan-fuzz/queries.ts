/**
 * Random queries over a random world. What stands in them, and how often, follows what published logs of endpoints show
 * (Bonifati, Martens and Timm 2017): few patterns, stars and chains first, then OPTIONAL, FILTER, UNION and DISTINCT, paths and
 * subqueries seldom; what is known to make plans hard comes more often than there.
 */
import type { Random } from '../data/random.js';
import { aboutOne, betweenTwo, compares, isNumber, isOrdered, madeOf } from './conditions.js';
import { type Bound, Scope } from './scope.js';
import { randomPath, randomShape } from './shapes.js';
import { separated, type Tree, tree } from './tree.js';
import type { World } from './world.js';

export const PREFIXES = 'PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>\n';

const DEPTH = 2;

/** The text of a query is that of its tree. */
export function randomQuery(random: Random, world: World): Tree {
  const scope = new Scope(random, world);
  const where = randomGroup(scope, startOf(scope), DEPTH);
  return randomForm(scope, world.graphs.length === 0 ? where : inGraphs(scope, where));
}

function startOf(scope: Scope): Bound {
  return scope.fresh(scope.random.choice(scope.world.starts));
}

/** Of a document whose triples all stand in named graphs. */
function inGraphs({ random, world }: Scope, where: Tree): Tree {
  const name = random.happens(0.5) ? '?g' : random.choice(world.graphs);
  return tree([`{ GRAPH ${name} `, where, ' }'], { feature: 'GRAPH' });
}

/** `{ … }` that begins with patterns about a variable. */
function randomGroup(scope: Scope, start: Bound, depth: number, parts = scope.random.below(depth > 1 ? 4 : 2)): Tree {
  const { random } = scope;
  const made: Tree[] = [randomShape(scope, start)];
  if (random.happens(0.1)) made.unshift(randomValues(scope, start));
  for (let left = parts; left > 0; left--) made.push(randomPart(scope, depth));
  return tree(['{ ', ...separated(made, ' '), ' }'], { sort: 'group' });
}

function randomPart(scope: Scope, depth: number): Tree {
  const { random } = scope;
  const about = random.choice(scope.things);
  const nested: [number, () => Tree][] = [
    [5, () => part('OPTIONAL', ['OPTIONAL ', randomGroup(scope, about, depth - 1)])],
    [4, () => randomUnion(scope, about, depth)],
    [2, () => part('MINUS', ['MINUS ', randomGroup(scope.inner(), about, depth - 1, 0)])],
    [2, () => part('EXISTS', ['FILTER EXISTS ', randomGroup(scope.inner(), about, depth - 1)])],
    [2, () => part('NOT EXISTS', ['FILTER NOT EXISTS ', randomGroup(scope.inner(), about, depth - 1)])],
    [3, () => randomSubquery(scope, about, depth)],
    [2, () => randomApart(scope)],
  ];
  return scope.weighted<() => Tree>([
    [5, () => randomShape(scope, about, 1 + random.below(2))],
    [6, () => randomFilter(scope)],
    [2, () => randomPath(scope, about)],
    [1, () => randomValues(scope, random.choice(scope.bound))],
    [1, () => randomBind(scope)],
    ...(depth > 0 ? nested : []),
  ])();
}

function part(feature: string, parts: readonly (string | Tree)[]): Tree {
  return tree(parts, { optional: true, sort: 'part', feature });
}

function randomUnion(scope: Scope, about: Bound, depth: number): Tree {
  const { random } = scope;
  const before = [...scope.bound];
  const branches = Array.from({ length: random.between(2, 4) }, () => {
    const inner = scope.inner(before);
    const group = randomGroup(inner, about, depth - 1);
    scope.bound.push(...inner.bound.filter((one) => !scope.bound.includes(one)));
    return group;
  });
  const [first, ...others] = branches as [Tree, ...Tree[]];
  return part('UNION', [first, ...others.map((branch) => tree([' UNION ', branch], { optional: true }))]);
}

/** Patterns that share nothing with the rest, and a condition between the two. */
function randomApart(scope: Scope): Tree {
  const { random } = scope;
  const before = [...scope.bound];
  const shape = randomShape(scope, startOf(scope), 1 + random.below(3));
  const added = scope.bound.filter((one) => !before.includes(one));
  const pairs = added.flatMap((one) =>
    before.filter((other) => compares(one, other)).map((other) => [one, other] as const),
  );
  const literals = pairs.filter(([one]) => typeof one.of !== 'number');
  const pair = pairs.length === 0 ? null : random.choice(literals.length > 0 && random.happens(0.8) ? literals : pairs);
  const condition = pair === null ? 'true' : betweenTwo(scope, ...pair);
  return part('parts that a condition connects', [shape, tree([` FILTER(${condition})`], { optional: true })]);
}

function randomFilter(scope: Scope): Tree {
  const { random } = scope;
  const one = random.choice(scope.literals.length > 0 && random.happens(0.8) ? scope.literals : scope.bound);
  const others = scope.bound.filter((other) => other !== one && compares(one, other));
  const condition =
    others.length > 0 && random.happens(0.3)
      ? betweenTwo(scope, one, random.choice(others))
      : random.happens(0.1)
        ? `${aboutOne(scope, one)} || ${aboutOne(scope, random.choice(scope.bound))}`
        : random.happens(0.07)
          ? `!BOUND(${one.name})`
          : aboutOne(scope, one);
  return part('FILTER', [`FILTER(${condition})`]);
}

function randomValues(scope: Scope, { name, of }: Bound): Tree {
  const { random, world } = scope;
  const property = typeof of === 'number' ? null : world.properties.find(({ range }) => range === of);
  const value = (): string =>
    typeof of === 'number'
      ? scope.thingOf(of)
      : property === null || property === undefined
        ? '1'
        : scope.valueFor(property);
  const rows = Array.from({ length: random.between(1, 5) }, value);
  return part('VALUES', [`VALUES ${name} { ${rows.join(' ')} }`]);
}

function randomBind(scope: Scope): Tree {
  const from = scope.random.choice(scope.bound);
  const made = madeOf(scope, from);
  const to = scope.fresh('word');
  return part('BIND', [`BIND(${made} AS ${to.name})`]);
}

function randomSubquery(scope: Scope, about: Bound, depth: number): Tree {
  const { random } = scope;
  const inner = scope.inner([about]);
  const where = randomGroup(inner, about, depth - 1);
  const ordered = inner.bound.filter(isOrdered);
  const { name } = about;
  if (ordered.length > 0 && random.happens(0.25)) {
    const key = random.choice(ordered);
    const limit = tree([` ORDER BY ${key.name} ${name} LIMIT ${random.between(1, 50)}`], { optional: true });
    scope.bound.push(key);
    return part('subquery with LIMIT', [`{ SELECT ${name} ${key.name} `, where, limit, ' }']);
  }
  if (random.happens(0.4)) return part('subquery', [`{ SELECT DISTINCT ${name} `, where, ' }']);
  const count = scope.fresh('integer');
  const having = tree([` HAVING(COUNT(*) > ${random.between(1, 4)})`], { optional: random.happens(0.7) });
  const modifiers = random.happens(0.3) ? [` GROUP BY ${name}`, having] : [` GROUP BY ${name}`];
  return part('subquery with GROUP BY', [`{ SELECT ${name} (COUNT(*) AS ${count.name}) `, where, ...modifiers, ' }']);
}

function randomForm(scope: Scope, where: Tree): Tree {
  const { random } = scope;
  const some = (): string[] => {
    const names = scope.bound.filter(() => random.happens(0.4)).map(({ name }) => name);
    return names.length > 0 ? names : [(scope.bound[0] as Bound).name];
  };
  const names = [...new Set(some())].join(' ');
  const form = (feature: string, parts: readonly (string | Tree)[]): Tree => tree(parts, { feature });
  const limit = (): Tree => tree([` LIMIT ${random.choice([1, 10, 100, 1000])}`], { optional: true });
  return scope.weighted<() => Tree>([
    [4, () => form('SELECT', [`SELECT ${names} `, where])],
    [3, () => form('DISTINCT', [`SELECT DISTINCT ${names} `, where])],
    [5, () => form('COUNT', ['SELECT (COUNT(*) AS ?n) ', where])],
    [2, () => form('LIMIT', [`SELECT ${names} `, where, limit()])],
    [2, () => form('DISTINCT LIMIT', [`SELECT DISTINCT ${names} `, where, limit()])],
    [3, () => form('ASK', ['ASK ', where])],
    [3, () => form('ORDER BY LIMIT', [`SELECT ${names} `, where, ` ORDER BY ${names}`, limit()])],
    [4, () => randomAggregate(scope, where)],
  ])();
}

function randomAggregate(scope: Scope, where: Tree): Tree {
  const { random } = scope;
  const key = random.choice(scope.bound).name;
  const value = random.choice(scope.bound);
  const calls = ['COUNT(*)', `COUNT(DISTINCT ${value.name})`, `COUNT(${value.name})`];
  if (isOrdered(value)) calls.push(`MIN(${value.name})`, `MAX(${value.name})`);
  if (isNumber(value)) calls.push(`SUM(${value.name})`, `AVG(${value.name})`);
  const made = random.choice(calls);
  if (random.happens(0.3)) return tree([`SELECT (${made} AS ?r) `, where], { feature: 'aggregate' });
  return tree([`SELECT ${key} (${made} AS ?r) `, where, ` GROUP BY ${key}`], { feature: 'GROUP BY' });
}
