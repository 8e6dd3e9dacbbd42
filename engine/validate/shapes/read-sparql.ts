/** SPARQL constraints and constraint components of a shapes graph (SHACL 5 and 6), read and checked. */

import { SvcError } from '../../base/errors.js';
import { prepareQuery } from '../../query/query.js';
import { type Literal, type Term, terms, XSD_STRING } from '../../rdf/terms.js';
import { localName } from '../likeness.js';
import { type Path, sparqlPath } from './path.js';
import { atMostOne, flag } from './read-constraints.js';
import type { SparqlConstraint } from './shapes.js';
import { invalidShape, type ShapesGraph, shown } from './shapes-graph.js';
import { faultOfQuery } from './sparql-restrictions.js';
import { SH, SUB_CLASS_OF } from './vocabulary.js';

const OWL_IMPORTS = 'http://www.w3.org/2002/07/owl#imports';

interface Component {
  readonly node: Term;
  readonly parameters: readonly { readonly path: string; readonly name: string; readonly optional: boolean }[];
}

interface ShapeNode {
  readonly node: Term;
  readonly path: Path | null;
}

export class SparqlReader {
  readonly #graph: ShapesGraph;
  readonly #components: readonly Component[];

  constructor(graph: ShapesGraph) {
    this.#graph = graph;
    const types = graph.subclassesOf([`${SH}ConstraintComponent`], SUB_CLASS_OF.value);
    const nodes = new Map<string, Term>();
    for (const { subject } of graph.withPredicate(`${SH}parameter`)) {
      if (subject.termType === 'NamedNode' && graph.hasType(subject, types)) nodes.set(subject.value, subject);
    }
    this.#components = [...nodes.values()].map((node) => this.#component(node));
  }

  #component(node: Term): Component {
    const parameters = this.#graph.values(node, 'parameter').map((parameter) => {
      const path = atMostOne({ graph: this.#graph, node: parameter }, 'path');
      if (path?.termType !== 'NamedNode') throw invalidShape(node, 'a parameter of it has no IRI as its sh:path');
      const optional = flag({ graph: this.#graph, node: parameter }, 'optional');
      return { path: path.value, name: localName(path.value), optional };
    });
    return { node, parameters };
  }

  /** Predicates whose subjects are shapes: parameters that a component can not do without. */
  get parameters(): readonly string[] {
    return this.#components.flatMap(({ parameters }) =>
      parameters.filter(({ optional }) => !optional).map(({ path }) => path),
    );
  }

  constraintsOf(shape: ShapeNode): SparqlConstraint[] {
    const own = this.#graph.values(shape.node, 'sparql').flatMap((node) => this.#constraint(shape, node));
    return [...own, ...this.#components.flatMap((component) => this.#ofComponent(shape, component))];
  }

  #constraint(shape: ShapeNode, node: Term): SparqlConstraint[] {
    if (flag({ graph: this.#graph, node }, 'deactivated')) return [];
    const bindings = new Map([['currentShape', shape.node]]);
    return [this.#make(shape, node, 'select', 'SPARQLConstraintComponent', bindings)];
  }

  #ofComponent(shape: ShapeNode, component: Component): SparqlConstraint[] {
    const given = component.parameters.map(({ path }) => this.#graph.all(shape.node, path));
    if (component.parameters.some(({ optional }, at) => !optional && given[at]?.length === 0)) return [];
    const single = component.parameters.length === 1;
    if (!single && given.some((values) => values.length > 1)) {
      throw invalidShape(shape.node, `it has several values of a parameter of ${shown(component.node)}`);
    }
    const validator = this.#validatorOf(shape, component);
    const choices = single ? (given[0] as readonly Term[]).map((value) => [[value]]) : [given];
    return choices.map((values) => {
      const bindings = new Map<string, Term>([['currentShape', shape.node]]);
      for (const [at, { name }] of component.parameters.entries()) {
        const value = values[at]?.[0];
        if (value !== undefined) bindings.set(name, value);
      }
      return this.#make(shape, validator.node, validator.form, localName(component.node.value), bindings);
    });
  }

  #validatorOf(
    { node, path }: ShapeNode,
    component: Component,
  ): { readonly node: Term; readonly form: 'select' | 'ask' } {
    const [special] = this.#graph.values(component.node, path === null ? 'nodeValidator' : 'propertyValidator');
    if (special !== undefined) return { node: special, form: 'select' };
    const [general] = this.#graph.values(component.node, 'validator');
    if (general !== undefined) return { node: general, form: 'ask' };
    const kind = path === null ? 'node' : 'property';
    throw invalidShape(node, `${shown(component.node)} has no SPARQL validator for ${kind} shapes`);
  }

  #make(
    shape: ShapeNode,
    node: Term,
    form: SparqlConstraint['form'],
    component: string,
    bindings: ReadonlyMap<string, Term>,
  ): SparqlConstraint {
    const given = atMostOne({ graph: this.#graph, node }, form);
    if (given?.termType !== 'Literal' || given.datatype.value !== XSD_STRING) {
      throw invalidShape(shape.node, `${shown(node)} needs the text of a query as sh:${form}`);
    }
    const written =
      shape.path === null ? given.value : given.value.replace(/[$?]PATH\b/g, () => sparqlPath(shape.path as Path));
    const text = `${this.#prologue(node)}${written}`;
    const bound = new Set(['this', ...(form === 'ask' ? ['value'] : []), ...bindings.keys()]);
    try {
      const fault = faultOfQuery(text, bound);
      if (fault !== null)
        throw new SvcError('unsupported', `the shape ${shown(shape.node)} can not be evaluated: its query ${fault}`);
      const query = prepareQuery(text);
      query.check();
      if (query.form !== form) throw invalidShape(shape.node, `sh:${form} holds another kind of query`);
      const messages = this.#graph.values(node, 'message').filter((one): one is Literal => one.termType === 'Literal');
      return { component, form, query, bindings, messages };
    } catch (error) {
      if (!(error instanceof SvcError) || error.code !== 'parse_error') throw error;
      throw invalidShape(shape.node, `its query can not be read: ${error.message}`);
    }
  }

  /** PREFIX lines of the declarations that a node refers to, those of imported ontologies included. */
  #prologue(node: Term): string {
    const prefixes = new Map<string, string>();
    const seen = new Set<string>();
    const waiting = [...this.#graph.values(node, 'prefixes')];
    for (let ontology = waiting.pop(); ontology !== undefined; ontology = waiting.pop()) {
      if (seen.has(ontology.value)) continue;
      seen.add(ontology.value);
      for (const declaration of this.#graph.values(ontology, 'declare')) {
        const [prefix, namespace] = ['prefix', 'namespace'].map(
          (name) => this.#graph.values(declaration, name)[0]?.value,
        );
        if (prefix !== undefined && namespace !== undefined) prefixes.set(prefix, namespace);
      }
      waiting.push(...this.#graph.all(ontology, OWL_IMPORTS).filter((one) => one.equals(terms.namedNode(one.value))));
    }
    return [...prefixes].map(([prefix, namespace]) => `PREFIX ${prefix}: <${namespace}>\n`).join('');
  }
}
