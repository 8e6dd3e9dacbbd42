/**
 * A shapes graph to shapes.
 *
 *  1. Shapes are the nodes that are typed as shapes, have a target or a parameter, or are referred to by
 *     another shape (SHACL 2.1). All of them are read and checked, whether a target leads to them or not.
 *     References go through a worklist, so that deep nesting takes no stack.
 *  2. Sibling shapes of disjoint qualified shapes are known once all are read.
 *  3. Cycles are found (`recursion.ts`). Those through a negation have no meaning and are refused.
 *  4. Shapes that say the same get the same key (`shape-keys.ts`).
 *  5. Each shape gets the IRI that results name it by.
 */

import type { Control } from '../../base/control.js';
import { SvcError } from '../../base/errors.js';
import { termKey } from '../../rdf/canonical/lines.js';
import type { Literal, Quad, Term } from '../../rdf/terms.js';
import { RDF_LANG_STRING, terms, XSD_STRING } from '../../rdf/terms.js';
import { YieldTimer } from '../yield-timer.js';
import { pathText, readPath } from './path.js';
import { atMostOne, flag, iri, PARAMETERS, readConstraints } from './read-constraints.js';
import { SparqlReader } from './read-sparql.js';
import { checkRecursion } from './recursion.js';
import { giveKeys } from './shape-keys.js';
import { SEVERITIES, type Shape, type Shapes, shapesIn, type Target } from './shapes.js';
import { invalidShape, ShapesGraph, shown } from './shapes-graph.js';
import { ON_VIOLATION, RDF_TYPE, RDFS_CLASS, SH, SUB_CLASS_OF } from './vocabulary.js';

/** The predicates that give a shape targets. */
const TARGETS: Readonly<Record<string, Target['kind']>> = {
  targetNode: 'node',
  targetClass: 'class',
  targetSubjectsOf: 'subjectsOf',
  targetObjectsOf: 'objectsOf',
};
const VIOLATION = terms.namedNode(`${SH}Violation`);

/**
 * Terms of the advanced features (SHACL-AF) and of SHACL 1.2 that constrain data and are not evaluated here. A shape with
 * one of them would check less than it says, so it is refused.
 */
const UNSUPPORTED = [
  ...['target', 'rule', 'values', 'expression', 'js'],
  ...['targetWhere', 'shape', 'nodeByExpression', 'someValue', 'memberShape', 'minListLength', 'maxListLength'],
  ...['uniqueMembers', 'singleLine', 'subsetOf', 'rootClass', 'reifierShape', 'reificationRequired'],
] as const;

/** Between two looks at the clock. */
const QUADS_PER_STEP = 1024;
const SHAPES_PER_STEP = 64;

export function compileShapes(quads: Iterable<Quad>): Shapes {
  const steps = compileSteps(quads);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

/** Compiles graphs of any size: gives the event loop its turns, and stops when the caller cancels. */
export async function compileInTurns(quads: Iterable<Quad>, control: Control): Promise<Shapes> {
  const timer = new YieldTimer(control);
  const steps = compileSteps(quads);
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await timer.turn();
  }
}

function* compileSteps(quads: Iterable<Quad>): Generator<void, Shapes> {
  const graph = new ShapesGraph();
  let taken = 0;
  for (const quad of quads) {
    graph.add(quad);
    if (++taken % QUADS_PER_STEP === 0) yield;
  }
  return yield* new Compiler(graph).compile();
}

type Growing = { -readonly [Key in keyof Shape]: Shape[Key] };

class Compiler {
  readonly #shapes: Growing[] = [];
  readonly #byNode = new Map<string, Growing>();
  readonly #graph: ShapesGraph;
  readonly #sparql: SparqlReader;
  readonly #classes: ReadonlySet<string>;
  readonly #nodeShapeTypes: ReadonlySet<string>;
  readonly #propertyShapeTypes: ReadonlySet<string>;
  /** Shapes that others refer to, with the first that does. */
  readonly #referrer: (Growing | null)[] = [];

  constructor(graph: ShapesGraph) {
    this.#graph = graph;
    this.#sparql = new SparqlReader(graph);
    this.#classes = graph.subclassesOf([RDFS_CLASS], SUB_CLASS_OF.value);
    this.#nodeShapeTypes = graph.subclassesOf([`${SH}NodeShape`], SUB_CLASS_OF.value);
    this.#propertyShapeTypes = graph.subclassesOf([`${SH}PropertyShape`], SUB_CLASS_OF.value);
  }

  /** Yields now and then. */
  *compile(): Generator<void, Shapes> {
    this.#refuseUnsupported();
    for (const node of this.#declared()) this.#shapeOf(node, null);
    // Reading a shape may add others at the end.
    for (let at = 0; at < this.#shapes.length; at++) {
      this.#read(this.#shapes[at] as Growing);
      if (at % SHAPES_PER_STEP === 0) yield;
    }
    this.#findSiblings();
    yield;
    checkRecursion(this.#shapes);
    yield;
    giveKeys(this.#shapes);
    yield;
    this.#nameSources();
    return {
      shapes: this.#shapes,
      targeted: this.#shapes.filter((shape) => shape.targets.length > 0 && !shape.deactivated),
      nodeShapes: this.#shapes.filter((shape) => this.#isDeclaredNodeShape(shape)).length,
    };
  }

  #refuseUnsupported(): void {
    for (const name of UNSUPPORTED) {
      const [found] = this.#graph.withPredicate(SH + name);
      if (found === undefined) continue;
      throw new SvcError('unsupported', `sh:${name} of ${shown(found.subject)} is not evaluated`, {
        hint: 'use the components of SHACL core, or sh:sparql',
      });
    }
  }

  #declared(): Term[] {
    const found: Term[] = [];
    // Before any shape is read, so that the error names the outer shape, which has an IRI more often.
    for (const { subject, object } of this.#graph.withPredicate(`${SH}property`)) {
      if (this.#graph.isSubject(object) && this.#graph.values(object, 'path').length === 0)
        throw noProperty(subject, object);
    }
    for (const { subject, object } of this.#graph.withPredicate(RDF_TYPE.value)) {
      if (this.#nodeShapeTypes.has(object.value) || this.#propertyShapeTypes.has(object.value)) found.push(subject);
    }
    const parameters = [...Object.keys(TARGETS), ...PARAMETERS].map((name) => SH + name);
    for (const predicate of [...parameters, ...this.#sparql.parameters]) {
      for (const { subject } of this.#graph.withPredicate(predicate)) {
        if (!this.#isParameterDeclaration(subject)) found.push(subject);
      }
    }
    return found;
  }

  /** Parameters of constraint components are described in the vocabulary of property shapes. */
  #isParameterDeclaration(node: Term): boolean {
    return this.#graph.hasType(node, new Set([`${SH}Parameter`]));
  }

  #isDeclaredNodeShape({ path, node, targets }: Shape): boolean {
    if (path !== null) return false;
    return node.termType === 'NamedNode' || targets.length > 0 || this.#graph.hasType(node, this.#nodeShapeTypes);
  }

  #shapeOf(node: Term, referrer: Growing | null): Growing {
    const key = termKey(node);
    let shape = this.#byNode.get(key);
    if (shape === undefined) {
      shape = { ...UNREAD, index: this.#shapes.length, node, constraints: [] };
      this.#byNode.set(key, shape);
      this.#shapes.push(shape);
      this.#referrer.push(referrer);
    }
    return shape;
  }

  #read(shape: Growing): void {
    const graph = this.#graph;
    const { node } = shape;
    const paths = graph.values(node, 'path');
    const [path] = paths;
    if (paths.length > 1) throw invalidShape(node, `it has ${paths.length} values of sh:path, and may have one`);
    if (path === undefined && graph.hasType(node, this.#propertyShapeTypes)) {
      throw invalidShape(node, 'it is a sh:PropertyShape without sh:path');
    }
    if (path !== undefined && graph.hasType(node, this.#nodeShapeTypes)) {
      throw invalidShape(node, 'it is a sh:NodeShape and has a sh:path, which only property shapes have');
    }
    shape.path = path === undefined ? null : readPath(graph, path, node);
    shape.pathText = shape.path === null ? null : pathText(shape.path);
    shape.targets = this.#targetsOf(node);
    const reader = { graph, node };
    shape.deactivated = flag(reader, 'deactivated');
    shape.severityTerm = this.#severityOf(node);
    shape.severity = SEVERITIES.find((name) => shape.severityTerm.value === SH + name) ?? 'Info';
    shape.messages = graph.values(node, 'message').map((message) => messageOf(node, message));
    shape.emits = graph.all(node, ON_VIOLATION).some((value) => value.termType === 'Literal' && value.value === 'emit');
    shape.constraints = readConstraints({
      ...reader,
      isProperty: shape.path !== null,
      refer: (other, parameter) => this.#refer(shape, other, parameter),
    });
    for (const sparql of this.#sparql.constraintsOf(shape)) shape.constraints.push({ kind: 'sparql', sparql });
  }

  #refer(shape: Growing, node: Term, parameter: string): Shape {
    if (node.termType !== 'NamedNode' && node.termType !== 'BlankNode') {
      throw invalidShape(shape.node, `sh:${parameter} needs a shape, not ${shown(node)}`);
    }
    if (parameter === 'property' && this.#graph.values(node, 'path').length === 0) throw noProperty(shape.node, node);
    return this.#shapeOf(node, shape);
  }

  #targetsOf(node: Term): Target[] {
    const graph = this.#graph;
    const targets = Object.entries(TARGETS).flatMap(([name, kind]) =>
      graph.values(node, name).map((term): Target => {
        if (kind !== 'node') return { kind, term: iri({ node }, name, term) };
        if (term.termType === 'NamedNode' || term.termType === 'Literal') return { kind, term };
        throw invalidShape(node, `sh:targetNode needs an IRI or a literal, not ${shown(term)}`);
      }),
    );
    const isClass = node.termType === 'NamedNode' && graph.hasType(node, this.#classes);
    if (isClass) targets.push({ kind: 'class', term: node });
    return targets;
  }

  /** Any IRI (SHACL 2.1.4). */
  #severityOf(node: Term): Term {
    const severity = atMostOne({ graph: this.#graph, node }, 'severity') ?? VIOLATION;
    if (severity.termType === 'NamedNode') return severity;
    const known = SEVERITIES.map((name) => `sh:${name}`).join(', ');
    throw invalidShape(node, `sh:severity is an IRI, not ${shown(severity)}`, `use ${known} or an IRI of your own`);
  }

  /** SHACL 4.7.3: the other qualified shapes of the property shapes beside a disjoint one. */
  #findSiblings(): void {
    const graph = this.#graph;
    for (const { node, constraints } of this.#shapes) {
      const isDisjoint = flag({ graph, node }, 'qualifiedValueShapesDisjoint');
      for (const constraint of constraints) {
        if (constraint.kind !== 'qualifiedMinCount' && constraint.kind !== 'qualifiedMaxCount') continue;
        if (isDisjoint) constraint.siblings.push(...this.#siblingsOf(node, constraint.shape));
      }
    }
  }

  #siblingsOf(node: Term, own: Shape): Shape[] {
    const found = new Set<Shape>();
    for (const { subject, object } of this.#graph.withPredicate(`${SH}property`)) {
      if (!object.equals(node)) continue;
      for (const property of this.#graph.values(subject, 'property')) {
        for (const value of this.#graph.values(property, 'qualifiedValueShape')) {
          const shape = this.#byNode.get(termKey(value));
          if (shape !== undefined && shape !== own) found.add(shape);
        }
      }
    }
    return [...found];
  }

  /** The nearest named shape: breadth first from the named ones down. */
  #nameSources(): void {
    const waiting = this.#shapes.filter(({ node }) => node.termType === 'NamedNode');
    for (const shape of waiting) shape.source = shape.node.value;
    for (let at = 0; at < waiting.length; at++) {
      const shape = waiting[at] as Growing;
      for (const inner of shape.constraints.flatMap(shapesIn) as Growing[]) {
        if (inner.source !== '') continue;
        inner.source = shape.source;
        waiting.push(inner);
      }
    }
    for (const shape of this.#shapes) if (shape.source === '') shape.source = `_:${shape.node.value}`;
  }
}

const UNREAD: Omit<Growing, 'index' | 'node' | 'constraints'> = {
  path: null,
  pathText: null,
  targets: [],
  severity: 'Violation',
  severityTerm: VIOLATION,
  messages: [],
  deactivated: false,
  emits: false,
  source: '',
  cycle: -1,
  key: -1,
};

function noProperty(shape: Term, node: Term): Error {
  return invalidShape(shape, `its sh:property ${shown(node)} is no property shape: it has no sh:path`);
}

function messageOf(node: Term, message: Term): Literal {
  if (message.termType === 'Literal') {
    const datatype = message.datatype.value;
    if (datatype === XSD_STRING || datatype === RDF_LANG_STRING) return message;
  }
  throw invalidShape(node, `sh:message needs a string, not ${shown(message)}`);
}

/** Shapes without any shape in them are most likely another document. */
export function refuseEmpty({ shapes }: Shapes, what: string): void {
  if (shapes.length > 0) return;
  throw new SvcError('invalid_request', `${what} holds no SHACL shape`, {
    hint: 'a shape is a node of type sh:NodeShape or sh:PropertyShape, or one with a target such as sh:targetClass',
  });
}
