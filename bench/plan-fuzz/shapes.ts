/** Basic graph patterns of random queries: stars, chains and trees that begin at a variable. */
import type { Bound, Scope } from './scope.js';
import { separated, type Tree, tree } from './tree.js';
import { iri, type Property } from './world.js';

const PATTERNS_MAX = 6;

/** Some patterns, connected with the variable; at least one. */
export function randomShape(scope: Scope, start: Bound, patterns = 1 + scope.random.below(4)): Tree {
  const { random } = scope;
  const star = random.happens(0.4);
  const parts: Tree[] = [];
  let at = start;
  for (let left = Math.min(patterns, PATTERNS_MAX); left > 0; left--) {
    const [part, next] = randomPattern(scope, at);
    parts.push(part);
    if (star) continue;
    // A chain goes on from the new thing; a tree may go back.
    if (next !== null && typeof next.of === 'number') at = random.happens(0.75) ? next : random.choice([start, at]);
    else at = start;
  }
  return tree(separated(parts, ' '), { optional: true, sort: 'part', feature: star ? 'star' : 'chain' });
}

/** A pattern about a thing, and the variable that it adds. */
function randomPattern(scope: Scope, { name, of }: Bound): readonly [Tree, Bound | null] {
  const { random } = scope;
  const number = of as number;
  const incoming = scope.propertiesTo(number);
  const outgoing = scope.propertiesFrom(number);
  const pattern = (text: string): Tree => tree([text], { optional: true });
  if (random.happens(0.12))
    return [pattern(`${name} a ${random.happens(0.7) ? scope.classOf(number) : scope.anyClass()} .`), null];
  if (incoming.length > 0 && random.happens(0.2)) {
    const property = random.choice(incoming);
    if (random.happens(0.1))
      return [pattern(`${scope.thingOf(property.domain)} ${iri(property.name)} ${name} .`), null];
    const subject = scope.fresh(property.domain);
    return [pattern(`${subject.name} ${iri(property.name)} ${name} .`), subject];
  }
  // Nothing that is sampled leads on from some things of a document.
  if (outgoing.length === 0 && incoming.length === 0) return [pattern(`${name} a ${scope.classOf(number)} .`), null];
  if (outgoing.length === 0) {
    const property = random.choice(incoming);
    const subject = scope.fresh(property.domain);
    return [pattern(`${subject.name} ${iri(property.name)} ${name} .`), subject];
  }
  const property = random.choice(outgoing);
  if (random.happens(0.03)) {
    const predicate = scope.fresh('word');
    scope.bound.pop();
    const object = scope.fresh(property.range);
    return [pattern(`${name} ${predicate.name}p ${object.name} .`), null];
  }
  if (random.happens(0.15)) return [pattern(`${name} ${iri(property.name)} ${scope.valueFor(property)} .`), null];
  const object = scope.fresh(property.range);
  return [pattern(`${name} ${iri(property.name)} ${object.name} .`), object];
}

/** A path from a thing to a new variable. */
export function randomPath(scope: Scope, { name, of }: Bound): Tree {
  const { random } = scope;
  const own = scope.propertiesFrom(of as number).filter(({ range }) => typeof range === 'number');
  const loops = own.filter(({ range, domain }) => range === domain);
  const from = scope.propertiesFrom(of as number);
  const next = random.choice(own.length > 0 ? own : from.length > 0 ? from : scope.world.properties);
  const closed = loops.length > 0 && random.happens(0.7);
  const property = closed ? random.choice(loops) : next;
  const object = scope.fresh(property.range);
  const path = pathText(scope, property, loops, closed);
  const [first, last] = random.happens(0.3) ? [object, { name }] : [{ name }, object];
  return tree([`${first.name} ${first === object ? `^(${path})` : path} ${last.name} .`], {
    optional: true,
    sort: 'part',
    feature: 'path',
  });
}

function pathText(scope: Scope, property: Property, loops: readonly Property[], closed: boolean): string {
  const { random } = scope;
  const step = iri(property.name);
  if (closed) {
    const inner = loops.length > 1 && random.happens(0.3) ? `(${loops.map((one) => iri(one.name)).join('|')})` : step;
    return inner + random.choice(['+', '*', '?', '+', `/${inner}`]);
  }
  const further = typeof property.range === 'number' ? scope.propertiesFrom(property.range) : [];
  if (further.length > 0 && random.happens(0.5)) return `(${step}|${step}/${iri(random.choice(further).name)})`;
  return `${step}?`;
}
