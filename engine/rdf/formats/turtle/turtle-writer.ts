/**
 * Turtle and TriG for quads sorted by graph, subject, predicate and object: one block per subject, `a`
 * first, blank nodes by their labels, lists not abbreviated, prefixes only where they are used.
 *
 * The declarations stand at the start when the prefixes in use are known beforehand; otherwise each
 * stands before the first block that uses it.
 */

import { addTo } from '../../../base/maps.js';
import { writeTerm } from '../../canonical/lines.js';
import { type Quad, RDF_NS, type Term } from '../../terms.js';
import { PrefixTable } from '../output/prefixes.js';
import { BLOCK_QUADS_MAX, type QuadWriter, type QuadWriterOptions, refuseNamedGraph } from '../output/quad-writer.js';

const RDF_TYPE = `${RDF_NS}type`;

export class TurtleWriter implements QuadWriter {
  readonly #nameOf: (iri: string) => string;
  readonly #declared = new Set<string>();
  #used = new Set<string>();
  /** The open graph, subject and their statements: predicate to objects, as written. */
  #graph: Term | null = null;
  #subject: Term | null = null;
  #statements = new Map<string, string[]>();
  #quads = 0;

  constructor(
    private readonly format: 'turtle' | 'trig',
    private readonly options: QuadWriterOptions,
  ) {
    const table = new PrefixTable(options.prefixes, (prefix) => this.#used.add(prefix));
    this.#nameOf = (iri) => table.nameOf(iri);
  }

  begin(): string {
    if (!this.options.prefixesAreUsed) return '';
    this.#used = new Set(Object.keys(this.options.prefixes));
    return this.#declarations();
  }

  add(quad: Quad): string {
    if (this.format === 'turtle') refuseNamedGraph('turtle', quad);
    let text = '';
    if (this.#graph === null || !this.#graph.equals(quad.graph)) {
      text += this.#closeGraph();
      this.#graph = quad.graph;
      this.#subject = quad.subject;
      text += this.#openGraph(quad.graph);
    } else if (this.#subject === null || !this.#subject.equals(quad.subject) || this.#quads >= BLOCK_QUADS_MAX) {
      text += this.#closeSubject();
      this.#subject = quad.subject;
    }
    const predicate = quad.predicate.value === RDF_TYPE ? 'a' : this.#term(quad.predicate);
    addTo(this.#statements, predicate, this.#term(quad.object));
    this.#quads++;
    return text;
  }

  end(): string {
    return this.#closeGraph();
  }

  #indent(): string {
    return this.#graph !== null && this.#graph.termType !== 'DefaultGraph' ? '  ' : '';
  }

  #openGraph(graph: Term): string {
    if (graph.termType === 'DefaultGraph') return '';
    const name = this.#term(graph);
    return `${this.#declarations()}${name} {\n`;
  }

  #closeGraph(): string {
    const text = this.#closeSubject();
    const named = this.#graph !== null && this.#graph.termType !== 'DefaultGraph';
    this.#graph = null;
    return named ? `${text}}\n\n` : text;
  }

  #closeSubject(): string {
    if (this.#subject === null) return '';
    const subject = this.#term(this.#subject);
    const indent = this.#indent();
    const types = this.#statements.get('a');
    this.#statements.delete('a');
    const statements = [...(types === undefined ? [] : [['a', types] as const]), ...this.#statements];
    const lines = statements.map(([predicate, objects]) => `${predicate} ${objects.join(', ')}`);
    const block = `${indent}${subject} ${lines.join(` ;\n${indent}    `)} .\n`;
    let declarations = this.#declarations();
    if (declarations !== '' && indent !== '') {
      // A declaration can't stand inside a graph: the graph is closed and opened again.
      declarations = `}\n\n${declarations}${this.#term(this.#graph!)} {\n`;
    }
    this.#subject = null;
    this.#statements = new Map();
    this.#quads = 0;
    return `${declarations}${block}${indent === '' ? '\n' : ''}`;
  }

  /** `@prefix` lines of what is used and not yet declared. */
  #declarations(): string {
    const wanted = [...this.#used].filter((prefix) => !this.#declared.has(prefix)).sort();
    this.#used = new Set();
    if (wanted.length === 0) return '';
    for (const prefix of wanted) this.#declared.add(prefix);
    const lines = wanted.map((prefix) => `@prefix ${prefix}: <${this.options.prefixes[prefix]}> .\n`);
    return `${lines.join('')}\n`;
  }

  #term(term: Term): string {
    return writeTerm(term, this.#nameOf);
  }
}
