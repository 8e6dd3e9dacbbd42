/**
 * A query over this store becomes one over all members of a federation:
 *
 *  1. A pattern is asked of the members that have solutions of it, and of no other. One that only this store has is read as ever.
 *  2. Patterns that only one remote has, and that hang together, are sent to it as one group.
 *  3. A path of any length walks over steps that are asked for like patterns.
 *
 * Everything above the patterns stays as it is, so that the answer is that of one store with the facts of all. What would mean
 * something else is refused by name.
 */

import { SvcError } from '../../../base/errors.js';
import { terms } from '../../../rdf/terms.js';
import {
  type Algebra,
  filtered,
  type MemberSource,
  mapChildren,
  type NodeOf,
  namesOf,
  type PatternTerm,
  type QuadPattern,
  unfiltered,
} from '../../algebra/algebra.js';
import { conjunctsOf, type Expression, formatExpression, mapExists } from '../../algebra/expression.js';
import { variablesOf } from '../../algebra/mentioned.js';
import { closureSign, formatPath, type Path } from '../../algebra/path.js';
import { patternVariables } from '../../algebra/scope.js';
import { canBeSaid } from '../../service/filter-text.js';
import type { FederatedRun } from '../../service/members.js';
import type { PlanContext } from '../context/context.js';
import { patternLeaf } from '../context/leaf.js';

export function distribute(algebra: Algebra, run: FederatedRun, context: PlanContext): Algebra {
  return asDistributed(algebra, (patterns) => groupsOf(patterns, run, context));
}

/** Every pattern that a distributed query asks for. Throws what can't be distributed. */
export function patternsToAsk(algebra: Algebra): readonly QuadPattern[] {
  const found: QuadPattern[] = [];
  asDistributed(algebra, (patterns) => {
    found.push(...patterns);
    return [{ kind: 'patterns', patterns }];
  });
  return found;
}

type Groups = (patterns: readonly QuadPattern[]) => readonly Algebra[];

function asDistributed(algebra: Algebra, groups: Groups): Algebra {
  let fresh = 0;
  const newVariable = (): PatternTerm & { kind: 'variable' } => ({ kind: 'variable', name: `_:~walk${fresh++}` });
  const visit = (node: Algebra): Algebra => {
    switch (node.kind) {
      case 'patterns':
        return joinOf(groups(node.patterns));
      case 'join':
        return joinOf(node.inputs.map(visit));
      case 'filter':
        return filterOf(node, visit);
      case 'closure':
        return visitWalk(walkOf(node, newVariable));
      case 'walk':
        return visitWalk(node);
      case 'tableFunction':
        throw refused(`SERVICE <${node.iri}>, which calls a function of this store,`);
      case 'graphs':
        throw refused('GRAPH around a group without a pattern');
      case 'eachGraph':
        throw refused(`GRAPH ?${node.variable} around a subquery or MINUS`);
      case 'countPattern':
      case 'instances':
        throw new SvcError('internal', `a federated query has a node that reads this store alone: ${node.kind}`);
      default:
        return mapExists(mapChildren(node, visit), visit);
    }
  };
  const visitWalk = (node: NodeOf<'walk'>): Algebra => ({ ...node, inputs: node.inputs.map(visit) });
  return visit(algebra);
}

/** Remotes that answer patterns under a filter test what they can of it, too. */
function filterOf(node: NodeOf<'filter'>, visit: (node: Algebra) => Algebra): Algebra {
  const { input, conditions } = unfiltered(node);
  const distributed = visit(input);
  const tested = conditions.flatMap(conjunctsOf).filter(canBeSaid);
  const narrowed = tested.length === 0 ? distributed : narrowedBy(distributed, tested);
  const entered = conditions.map((condition) => {
    const { condition: changed } = mapExists({ kind: 'filter', input: narrowed, condition }, visit) as NodeOf<'filter'>;
    return changed;
  });
  return filtered(narrowed, entered);
}

function narrowedBy(node: Algebra, conditions: readonly Expression[]): Algebra {
  if (node.kind === 'join') return { ...node, inputs: node.inputs.map((input) => narrowedBy(input, conditions)) };
  if (node.kind !== 'members') return node;
  const own = new Set(node.patterns.flatMap((pattern) => [...patternVariables(pattern)]));
  const fit = conditions.filter((condition) => [...variablesOf(condition)].every((name) => own.has(name)));
  return fit.length === 0 ? node : { ...node, conditions: [...node.conditions, ...fit] };
}

/** Joins in joins are one. */
function joinOf(inputs: readonly Algebra[]): Algebra {
  const flat = inputs.flatMap((input) => (input.kind === 'join' ? input.inputs : [input]));
  return flat.length === 1 ? (flat[0] as Algebra) : { kind: 'join', inputs: flat };
}

function groupsOf(patterns: readonly QuadPattern[], run: FederatedRun, context: PlanContext): readonly Algebra[] {
  const own: QuadPattern[] = [];
  const exclusive = new Map<string, { pattern: QuadPattern; source: MemberSource }[]>();
  const groups: Algebra[] = [];
  for (const pattern of patterns) {
    const sources = run.sourcesOf(pattern);
    const local = patternLeaf(pattern, context) !== null;
    const [source] = sources;
    if (source === undefined) {
      if (!local) return [{ kind: 'empty', variables: variablesIn(patterns) }];
      own.push(pattern);
    } else if (!local && sources.length === 1) {
      const alike = exclusive.get(source.name) ?? [];
      exclusive.set(source.name, [...alike, { pattern, source }]);
    } else groups.push({ kind: 'members', patterns: [pattern], local, sources, conditions: [] });
  }
  if (own.length > 0) groups.push({ kind: 'patterns', patterns: own });
  for (const [name, parts] of exclusive) {
    for (const together of connectedParts(parts)) {
      const rows = Math.min(...together.map(({ source }) => source.rows));
      const asked = together.map(({ pattern }) => pattern);
      groups.push({ kind: 'members', patterns: asked, local: false, sources: [{ name, rows }], conditions: [] });
    }
  }
  return groups;
}

/** Patterns that share variables, directly or by others: the product of those that don't is made here. */
function connectedParts<Part extends { readonly pattern: QuadPattern }>(parts: readonly Part[]): Part[][] {
  let groups: { readonly names: ReadonlySet<string>; readonly parts: Part[] }[] = [];
  for (const part of parts) {
    const names = patternVariables(part.pattern);
    const near = groups.filter((group) => [...names].some((name) => group.names.has(name)));
    const merged = {
      names: new Set([...names, ...near.flatMap((group) => [...group.names])]),
      parts: [...near.flatMap((group) => group.parts), part],
    };
    groups = [...groups.filter((group) => !near.includes(group)), merged];
  }
  return groups.map((group) => group.parts);
}

function variablesIn(patterns: readonly QuadPattern[]): string[] {
  return [...new Set(patterns.flatMap(({ g, s, p, o }) => namesOf([g, s, p, o])))];
}

type NewVariable = () => PatternTerm & { readonly kind: 'variable' };

function walkOf({ s, path, o, g, min, max }: NodeOf<'closure'>, newVariable: NewVariable): NodeOf<'walk'> {
  if (g?.kind === 'variable') throw refused('a path of any length inside of GRAPH with a variable');
  const [from, to, node] = [newVariable(), newVariable(), newVariable()];
  const steps = stepsOf(path, from, to, g, newVariable);
  const isFree = s.kind === 'variable' && o.kind === 'variable';
  const nodes = min === 0 && isFree ? [nodesOf(node, g, newVariable)] : [];
  const label = `${formatExpression(s)} ${formatPath(path)}${closureSign({ min, max })} ${formatExpression(o)}`;
  const inputs = [steps, ...nodes];
  return { kind: 'walk', inputs, from: from.name, to: to.name, node: node.name, s, o, min, max, label };
}

/** The pairs of ends of one walk along a path. */
function stepsOf(path: Path, s: PatternTerm, o: PatternTerm, g: PatternTerm | null, newVariable: NewVariable): Algebra {
  switch (path.kind) {
    case 'predicate': {
      const p: PatternTerm = { kind: 'term', term: terms.namedNode(path.iri), inPath: true };
      return { kind: 'patterns', patterns: [{ s, p, o, g }] };
    }
    case 'inverse':
      return stepsOf(path.path, o, s, g, newVariable);
    case 'sequence': {
      const between = path.paths.slice(1).map(newVariable);
      const ends = [s, ...between, o];
      return joinOf(
        path.paths.map((step, at) =>
          stepsOf(step, ends[at] as PatternTerm, ends[at + 1] as PatternTerm, g, newVariable),
        ),
      );
    }
    case 'alternative':
      return { kind: 'union', inputs: path.paths.map((part) => stepsOf(part, s, o, g, newVariable)) };
    case 'closure':
      return walkOf({ kind: 'closure', s, path: path.path, o, g, min: path.min, max: path.max }, newVariable);
    case 'negated': {
      const inputs = [
        ...(path.forward === null ? [] : [anyBut(path.forward, s, o, g, newVariable)]),
        ...(path.backward === null ? [] : [anyBut(path.backward, o, s, g, newVariable)]),
      ];
      return inputs.length === 1 ? (inputs[0] as Algebra) : { kind: 'union', inputs };
    }
  }
}

function anyBut(
  iris: readonly string[],
  s: PatternTerm,
  o: PatternTerm,
  g: PatternTerm | null,
  newVariable: NewVariable,
): Algebra {
  const p = newVariable();
  const input: Algebra = { kind: 'patterns', patterns: [{ s, p, o, g }] };
  const excluded = iris.map((iri): Expression => ({ kind: 'term', term: terms.namedNode(iri) }));
  return { kind: 'filter', input, condition: { kind: 'call', operator: 'notin', args: [p, ...excluded] } };
}

/** Every subject and object of the graph. */
function nodesOf(node: PatternTerm, g: PatternTerm | null, newVariable: NewVariable): Algebra {
  const pattern = (s: PatternTerm, o: PatternTerm): Algebra => ({
    kind: 'patterns',
    patterns: [{ s, p: newVariable(), o, g }],
  });
  return { kind: 'union', inputs: [pattern(node, newVariable()), pattern(newVariable(), node)] };
}

function refused(what: string): SvcError {
  return new SvcError('invalid_request', `${what} is not supported with federated: "join"`, {
    hint: 'ask without it, or ask each store the whole query with federated: true',
  });
}
