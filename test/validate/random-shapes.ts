/** Random data and shapes over a few names, so that most of what is said is about something. */

import fc from 'fast-check';

const NODES = [':a', ':b', ':c', ':d', ':e'];
const LITERALS = ['1', '2', '"x"', '"x"@en', '"y"@en', '"1"', '"abc"^^xsd:integer'];
const PREDICATES = [':p', ':q', ':r'];
const CLASSES = [':C', ':D', ':E'];

const node = fc.constantFrom(...NODES);
const predicate = fc.constantFrom(...PREDICATES);
const type = fc.constantFrom(...CLASSES);
const value = fc.oneof({ weight: 2, arbitrary: node }, fc.constantFrom(...LITERALS));

/** One triple as Turtle. */
export const triple = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(node, predicate, value).map((parts) => parts.join(' ')) },
  { weight: 3, arbitrary: fc.tuple(node, type).map(([s, o]) => `${s} a ${o}`) },
  { weight: 1, arbitrary: fc.tuple(type, type).map(([s, o]) => `${s} rdfs:subClassOf ${o}`) },
);

export const triples = fc.uniqueArray(triple, { maxLength: 16 });

export interface ShapeChoices {
  /** Shapes that ask for named ones, which may be themselves. */
  readonly recursive: boolean;
  /** Constraints on which the oracle and SHACL agree. */
  readonly paths: fc.Arbitrary<string>;
}

const simple: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: predicate },
  predicate.map((p) => `[ sh:inversePath ${p} ]`),
);

/** Paths to the given depth; `inverses`: those of paths too, not of predicates alone. */
export function pathTo(depth: number, inverses = true): fc.Arbitrary<string> {
  if (depth === 0) return simple;
  const inner = pathTo(depth - 1, inverses);
  return fc.oneof(
    { weight: 3, arbitrary: simple },
    fc.tuple(inner, inner).map(([a, b]) => `( ${a} ${b} )`),
    fc.tuple(inner, inner).map(([a, b]) => `[ sh:alternativePath ( ${a} ${b} ) ]`),
    (inverses ? inner : predicate).map((path) => `[ sh:inversePath ${path} ]`),
    inner.map((path) => `[ sh:zeroOrMorePath ${path} ]`),
    inner.map((path) => `[ sh:oneOrMorePath ${path} ]`),
    inner.map((path) => `[ sh:zeroOrOnePath ${path} ]`),
  );
}

const plainConstraint: fc.Arbitrary<string> = fc.oneof(
  type.map((c) => `sh:class ${c}`),
  fc.constantFrom('sh:datatype xsd:integer', 'sh:datatype xsd:string', 'sh:datatype rdf:langString'),
  fc.constantFrom('sh:nodeKind sh:IRI', 'sh:nodeKind sh:Literal', 'sh:nodeKind sh:BlankNodeOrIRI'),
  fc.constantFrom('sh:minInclusive 2', 'sh:maxExclusive 2', 'sh:minLength 2', 'sh:maxLength 20', 'sh:pattern "x|a$"'),
  fc.constantFrom('sh:languageIn ( "en" )', 'sh:in ( :a :b 1 "x" )'),
  value.map((one) => `sh:hasValue ${one}`),
  predicate.map((p) => `sh:disjoint ${p}`),
);

const equals = predicate.map((p) => `sh:equals ${p}`);

const closed = fc.constantFrom('sh:closed true ; sh:ignoredProperties ( rdf:type :p )');

const counts = fc.oneof(
  fc.constantFrom('sh:minCount 1', 'sh:minCount 2', 'sh:maxCount 1', 'sh:maxCount 0', 'sh:uniqueLang true'),
  predicate.map((p) => `sh:lessThan ${p}`),
  predicate.map((p) => `sh:lessThanOrEquals ${p}`),
);

export const NAMED = [':S0', ':S1', ':S2'];

function bodyOf(depth: number, isProperty: boolean, choices: ShapeChoices): fc.Arbitrary<string> {
  const parts: fc.Arbitrary<string>[] = [plainConstraint];
  // Of a node shape the other validator tells one of two results.
  if (isProperty || choices.recursive) parts.push(equals);
  if (isProperty) parts.push(counts, counts);
  else parts.push(closed);
  if (depth > 0) {
    const inner = bodyOf(depth - 1, false, choices).map((body) => `[ ${body} ]`);
    parts.push(propertyOf(depth - 1, choices).map((property) => `sh:property ${property}`));
    parts.push(propertyOf(depth - 1, choices).map((property) => `sh:property ${property}`));
    parts.push(
      fc.tuple(fc.constantFrom('and', 'or', 'xone'), inner, inner).map(([name, a, b]) => `sh:${name} ( ${a} ${b} )`),
    );
    parts.push(
      inner.map((shape) => `sh:not ${shape}`),
      inner.map((shape) => `sh:node ${shape}`),
    );
    if (choices.recursive) parts.push(fc.constantFrom(...NAMED).map((name) => `sh:node ${name}`));
    if (isProperty) {
      const bound = fc.constantFrom('sh:qualifiedMinCount 1', 'sh:qualifiedMaxCount 1');
      const disjoint = fc.constantFrom('', ' ; sh:qualifiedValueShapesDisjoint true');
      parts.push(
        fc
          .tuple(inner, bound, disjoint)
          .map(([shape, count, more]) => `sh:qualifiedValueShape ${shape} ; ${count}${more}`),
      );
    }
  }
  // Parameters that a shape may have once are not repeated.
  return fc
    .uniqueArray(fc.oneof(...parts), { minLength: 1, maxLength: 3, selector: (part) => part.split(' ')[0] })
    .map((some) => some.join(' ; '));
}

function propertyOf(depth: number, choices: ShapeChoices): fc.Arbitrary<string> {
  return fc.tuple(choices.paths, bodyOf(depth, true, choices)).map(([path, body]) => `[ sh:path ${path} ; ${body} ]`);
}

const target = fc.oneof(
  { weight: 3, arbitrary: type.map((c) => `sh:targetClass ${c}`) },
  node.map((one) => `sh:targetNode ${one}`),
  predicate.map((p) => `sh:targetSubjectsOf ${p}`),
  predicate.map((p) => `sh:targetObjectsOf ${p}`),
);

/** A few named shapes, each with targets. */
export function shapesGraph(choices: ShapeChoices): fc.Arbitrary<string> {
  const one = fc.tuple(fc.uniqueArray(target, { minLength: 1, maxLength: 2 }), bodyOf(2, false, choices));
  return fc
    .array(one, { minLength: NAMED.length, maxLength: NAMED.length })
    .map((all) =>
      all.map(([targets, body], at) => `${NAMED[at]} a sh:NodeShape ; ${targets.join(' ; ')} ; ${body} .`).join('\n'),
    );
}
