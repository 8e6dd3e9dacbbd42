/**
 * Expanded JSON-LD for quads sorted by graph and subject: an array of node objects, each on a line of
 * its own, each written when it is complete. Named graphs are node objects with `@graph`.
 *
 * Values keep their lexical form: every typed literal is a string with its `@type` (`rdf:JSON` too), no
 * number or boolean is made of it. Lists stay nodes with `rdf:first` and `rdf:rest`. JSON-LD 1.1 has no
 * triple terms: they are refused.
 */

import { SvcError } from '../../../base/errors.js';
import { addTo } from '../../../base/maps.js';
import { type Quad, RDF_NS, type Term, XSD_STRING } from '../../terms.js';
import { BLOCK_QUADS_MAX, type QuadWriter } from '../output/quad-writer.js';

const RDF_TYPE = `${RDF_NS}type`;

type Value = Record<string, string>;

export class JsonLdWriter implements QuadWriter {
  #graph: Term | null = null;
  #subject: Term | null = null;
  #types: string[] = [];
  #properties = new Map<string, Value[]>();
  #quads = 0;
  /** Whether a node has been written before: in the document, in the open graph. */
  #nodes = false;
  #graphNodes = false;

  begin(): string {
    return '[';
  }

  add(quad: Quad): string {
    let text = '';
    if (this.#graph === null || !this.#graph.equals(quad.graph)) {
      text += this.#closeGraph() + this.#openGraph(quad.graph);
      this.#subject = quad.subject;
    } else if (!this.#subject!.equals(quad.subject) || this.#quads >= BLOCK_QUADS_MAX) {
      text += this.#closeSubject();
      this.#subject = quad.subject;
    }
    this.#quads++;
    if (quad.predicate.value === RDF_TYPE && quad.object.termType !== 'Literal') {
      this.#types.push(idOf(quad.object));
      return text;
    }
    addTo(this.#properties, quad.predicate.value, objectValue(quad.object));
    return text;
  }

  end(): string {
    return `${this.#closeGraph()}\n]\n`;
  }

  #openGraph(graph: Term): string {
    this.#graph = graph;
    this.#graphNodes = false;
    if (graph.termType === 'DefaultGraph') return '';
    return `${this.#nodes ? ',' : ''}\n{"@id":${JSON.stringify(idOf(graph))},"@graph":[`;
  }

  #closeGraph(): string {
    if (this.#graph === null) return '';
    const text = this.#closeSubject();
    if (this.#graph.termType === 'DefaultGraph') return text;
    this.#nodes = true;
    return `${text}\n]}`;
  }

  #closeSubject(): string {
    const node: Record<string, unknown> = { '@id': idOf(this.#subject!) };
    if (this.#types.length > 0) node['@type'] = this.#types;
    for (const [predicate, values] of this.#properties) node[predicate] = values;
    const first = this.#graph!.termType === 'DefaultGraph' ? !this.#nodes : !this.#graphNodes;
    if (this.#graph!.termType === 'DefaultGraph') this.#nodes = true;
    this.#graphNodes = true;
    this.#types = [];
    this.#properties = new Map();
    this.#quads = 0;
    return `${first ? '' : ','}\n${JSON.stringify(node)}`;
  }
}

function idOf(term: Term): string {
  if (term.termType === 'Quad') {
    throw new SvcError('unsupported', 'JSON-LD has no triple terms', {
      hint: 'use Turtle, TriG, N-Triples or N-Quads',
    });
  }
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value;
}

function objectValue(term: Term): Value {
  if (term.termType !== 'Literal') return { '@id': idOf(term) };
  const { value, language, direction, datatype } = term;
  if (direction) return { '@value': value, '@language': language, '@direction': direction };
  if (language !== '') return { '@value': value, '@language': language };
  return datatype.value === XSD_STRING ? { '@value': value } : { '@value': value, '@type': datatype.value };
}
