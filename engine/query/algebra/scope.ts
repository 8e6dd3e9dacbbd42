/**
 * Which variables a node can bind, and which it binds in every solution. A variable that is only
 * possibly bound (UNDEF in VALUES, a BIND whose expression may fail) needs the compatibility rule of
 * SPARQL joins; the others join by equal ids.
 */

import { getOrInsert } from '../../base/maps.js';
import { type Algebra, type NodeOf, namesOf, type QuadPattern } from './algebra.js';
import type { Expression } from './expression.js';

export interface Scope {
  /** In order of first appearance. */
  readonly variables: ReadonlySet<string>;
  readonly certain: ReadonlySet<string>;
}

const NOTHING: ReadonlySet<string> = new Set();

export function patternVariables(pattern: QuadPattern): Set<string> {
  return new Set(namesOf([pattern.g, pattern.s, pattern.p, pattern.o]));
}

/** Nodes never change, and chains of hundreds of them ask for the scope of each other. */
const known = new WeakMap<Algebra, Scope>();

export function scopeOf(node: Algebra): Scope {
  return getOrInsert(known, node, () => computeScope(node));
}

function computeScope(node: Algebra): Scope {
  switch (node.kind) {
    case 'unit':
      return { variables: NOTHING, certain: NOTHING };
    case 'empty':
      return { variables: new Set(node.variables), certain: new Set(node.variables) };
    case 'patterns':
    case 'members':
      return bound(node.patterns.flatMap((pattern) => [...patternVariables(pattern)]));
    case 'walk':
      return bound(namesOf([node.s, node.o]));
    case 'graphs':
      return bound(namesOf([node.name]));
    case 'instances':
      return bound(namesOf([node.subject]));
    case 'closure':
      return bound(namesOf([node.g, node.s, node.o]));
    case 'eachGraph':
      return union([bound([node.variable]), scopeOf(node.input)]);
    case 'outer':
      return { variables: new Set(node.variables), certain: new Set(node.certain) };
    case 'service':
      return { variables: new Set(node.variables), certain: NOTHING };
    case 'tableFunction':
      return bound(namesOf([...node.args.map(({ value }) => value), node.g]));
    case 'leftJoin': {
      const left = scopeOf(node.left);
      return { variables: union([left, scopeOf(node.right)]).variables, certain: left.certain };
    }
    case 'union':
      return alternatives(node.inputs.map(scopeOf));
    case 'minus':
      return scopeOf(node.left);
    case 'values':
      return {
        variables: new Set(node.variables),
        certain: new Set(node.variables.filter((_, index) => node.rows.every((row) => row[index] !== null))),
      };
    case 'join':
      return union(node.inputs.map(scopeOf));
    case 'extend':
      return extendScope(node);
    case 'group':
      return groupScope(node);
    case 'countPattern':
      return bound(node.variables);
    case 'project':
      return projectScope(node);
    case 'filter':
    case 'sort':
    case 'distinct':
    case 'reduced':
    case 'slice':
      return scopeOf(node.input);
  }
}

function bound(names: readonly string[]): Scope {
  const variables = new Set(names);
  return { variables, certain: variables };
}

function union(scopes: readonly Scope[]): Scope {
  return {
    variables: unionOf(scopes.map((scope) => scope.variables)),
    certain: unionOf(scopes.map((scope) => scope.certain)),
  };
}

/** Long chains ask for this at every link, so the first set is copied whole. */
function unionOf(sets: readonly ReadonlySet<string>[]): Set<string> {
  const all = new Set(sets[0]);
  for (let at = 1; at < sets.length; at++) for (const name of sets[at] as ReadonlySet<string>) all.add(name);
  return all;
}

function alternatives(scopes: readonly Scope[]): Scope {
  const variables = union(scopes).variables;
  const certain = [...variables].filter((name) => scopes.every((scope) => scope.certain.has(name)));
  return { variables, certain: new Set(certain) };
}

function extendScope(node: NodeOf<'extend'>): Scope {
  const scope = scopeOf(node.input);
  const variables = new Set(scope.variables).add(node.variable);
  if (!cannotFail(node.expression, scope.certain)) return { variables, certain: scope.certain };
  return { variables, certain: new Set(scope.certain).add(node.variable) };
}

function groupScope(node: NodeOf<'group'>): Scope {
  const scope = scopeOf(node.input);
  const made = node.aggregates.map((aggregate) => aggregate.variable);
  // The other aggregates may be errors, which leave their variable unbound.
  const counts = node.aggregates.filter(({ function: name }) => name === 'count').map(({ variable }) => variable);
  return {
    variables: new Set([...node.keys, ...made]),
    certain: new Set([...node.keys.filter((key) => scope.certain.has(key)), ...counts]),
  };
}

function projectScope(node: NodeOf<'project'>): Scope {
  const scope = scopeOf(node.input);
  return {
    variables: new Set(node.variables),
    certain: new Set(node.variables.filter((name) => scope.certain.has(name))),
  };
}

/** True when the expression yields a value in every solution that binds `certain`. */
function cannotFail(expression: Expression, certain: ReadonlySet<string>): boolean {
  if (expression.kind === 'term') return true;
  return expression.kind === 'variable' && certain.has(expression.name);
}
