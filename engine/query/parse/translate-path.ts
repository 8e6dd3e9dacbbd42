/**
 * Property paths (SPARQL 1.1, 9.3 and 18.2.2.4): sequences become joins over variables that no solution
 * shows, alternatives unions, inverses swapped ends, negated sets patterns with a filter; what can be
 * of any length, or of none, stays a closure.
 */

import { SvcError } from '../../base/errors.js';
import { type Term, terms } from '../../rdf/terms.js';
import type { Algebra, PatternTerm } from '../algebra/algebra.js';
import type { Expression } from '../algebra/expression.js';
import type { Path } from '../algebra/path.js';
import { patternTerm } from './translate-triples.js';
import type { GraphScope, Translation } from './translation.js';
import type { TraqulaAlgebra } from './traqula.js';

type Symbol = TraqulaAlgebra.PropertyPathSymbol;

export function translatePath(
  { subject, predicate, object }: TraqulaAlgebra.Path,
  graph: GraphScope,
  translation: Translation,
): Algebra {
  const [s, o] = [subject, object].map((term) => patternTerm(term as Term, translation)) as [PatternTerm, PatternTerm];
  return pathPattern(s, pathOf(predicate), o, graph, translation);
}

function pathPattern(s: PatternTerm, path: Path, o: PatternTerm, g: GraphScope, translation: Translation): Algebra {
  switch (path.kind) {
    case 'predicate': {
      const p: PatternTerm = { kind: 'term', term: terms.namedNode(path.iri), inPath: true };
      return { kind: 'patterns', patterns: [{ s, p, o, g }] };
    }
    case 'inverse':
      return pathPattern(o, path.path, s, g, translation);
    case 'sequence': {
      const steps = path.paths.length;
      const ends = Array.from(
        { length: steps - 1 },
        (): PatternTerm => ({ kind: 'variable', name: translation.fresh() }),
      );
      const nodes = [s, ...ends, o];
      const inputs = path.paths.map((step, at) =>
        pathPattern(nodes[at] as PatternTerm, step, nodes[at + 1] as PatternTerm, g, translation),
      );
      return { kind: 'join', inputs };
    }
    case 'alternative':
      return { kind: 'union', inputs: path.paths.map((part) => pathPattern(s, part, o, g, translation)) };
    case 'closure':
      return { kind: 'closure', s, path: path.path, o, g, min: path.min, max: path.max };
    case 'negated': {
      const inputs: Algebra[] = [];
      if (path.forward !== null) inputs.push(anyBut(path.forward, s, o, g, translation));
      if (path.backward !== null) inputs.push(anyBut(path.backward, o, s, g, translation));
      return inputs.length === 1 ? (inputs[0] as Algebra) : { kind: 'union', inputs };
    }
  }
}

function anyBut(
  iris: readonly string[],
  s: PatternTerm,
  o: PatternTerm,
  g: GraphScope,
  translation: Translation,
): Algebra {
  const p: PatternTerm = { kind: 'variable', name: translation.fresh() };
  const input: Algebra = { kind: 'patterns', patterns: [{ s, p, o, g }] };
  const excluded = iris.map((iri): Expression => ({ kind: 'term', term: terms.namedNode(iri) }));
  return { kind: 'filter', input, condition: { kind: 'call', operator: 'notin', args: [p, ...excluded] } };
}

function pathOf(symbol: Symbol): Path {
  switch (symbol.type) {
    case 'link':
      return { kind: 'predicate', iri: symbol.iri.value };
    case 'inv':
      return invert(pathOf(symbol.path));
    case 'seq':
      return { kind: 'sequence', paths: symbol.input.map(pathOf) };
    case 'alt':
      return { kind: 'alternative', paths: symbol.input.map(pathOf) };
    case 'nps':
      return { kind: 'negated', forward: symbol.iris.map((iri) => iri.value), backward: null };
    case 'OneOrMorePath':
      return { kind: 'closure', path: pathOf(symbol.path), min: 1, max: null };
    case 'ZeroOrMorePath':
      return { kind: 'closure', path: pathOf(symbol.path), min: 0, max: null };
    case 'ZeroOrOnePath':
      return { kind: 'closure', path: pathOf(symbol.path), min: 0, max: 1 };
    default:
      throw new SvcError('internal', 'the parser gave an unknown kind of path');
  }
}

function invert(path: Path): Path {
  if (path.kind === 'negated') return { kind: 'negated', forward: path.backward, backward: path.forward };
  return path.kind === 'inverse' ? path.path : { kind: 'inverse', path };
}
