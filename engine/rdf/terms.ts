/**
 * RDF/JS terms (https://rdf.js.org/data-model-spec/) and the one factory of the house.
 * `rdf-data-factory` stands behind this file: small, without dependencies, RDF 1.2 directions and
 * triple terms included; forty lines of our own would replace it. Literals are ours already, since
 * its make language tags lower case.
 */

import type * as RDF from '@rdfjs/types';
import { DataFactory as Factory } from 'rdf-data-factory';

export type Term = RDF.Term;
export type NamedNode = RDF.NamedNode;
export type BlankNode = RDF.BlankNode;
export type Literal = RDF.Literal;
export type Quad = RDF.Quad;
export type { RDF };

export const XSD = 'http://www.w3.org/2001/XMLSchema#';
export const RDF_NS = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
export const RDFS = 'http://www.w3.org/2000/01/rdf-schema#';
export const PROV = 'http://www.w3.org/ns/prov#';
export const SKOS = 'http://www.w3.org/2004/02/skos/core#';

export const XSD_STRING = `${XSD}string`;
export const RDF_LANG_STRING = `${RDF_NS}langString`;
export const RDF_DIR_LANG_STRING = `${RDF_NS}dirLangString`;

/** The graph of quads that name no graph (wire-shapes 1.2). */
export const ROOT_GRAPH_IRI = 'urn:svc:graph:root';

const STRING_TYPE = new Factory().namedNode(XSD_STRING);
const LANGUAGE_TYPE = new Factory().namedNode(RDF_LANG_STRING);
const DIRECTION_TYPE = new Factory().namedNode(RDF_DIR_LANG_STRING);

type Kind = string | RDF.NamedNode | RDF.DirectionalLanguage | undefined;

/** A literal whose language tag stays as it is written, and is compared without regard to case. */
class KeptLiteral implements RDF.Literal {
  readonly termType = 'Literal';
  readonly value: string;
  readonly language: string;
  readonly datatype: RDF.NamedNode;
  readonly direction: 'ltr' | 'rtl' | '';

  constructor(value: string, kind: Kind) {
    this.value = value;
    if (typeof kind === 'string') {
      this.language = kind;
      this.datatype = LANGUAGE_TYPE;
      this.direction = '';
    } else if (kind === undefined || kind === null || 'termType' in kind) {
      this.language = '';
      this.datatype = kind ?? STRING_TYPE;
      this.direction = '';
    } else {
      this.language = kind.language;
      this.datatype = kind.direction ? DIRECTION_TYPE : LANGUAGE_TYPE;
      this.direction = kind.direction ?? '';
    }
  }

  equals(other: RDF.Term | null | undefined): boolean {
    if (other?.termType !== 'Literal' || other.value !== this.value) return false;
    return (
      (other.direction ?? '') === this.direction &&
      other.datatype.value === this.datatype.value &&
      (other.language === this.language || other.language.toLowerCase() === this.language.toLowerCase())
    );
  }
}

class HouseFactory extends Factory<RDF.Quad> {
  override literal(value: string, kind?: Exclude<Kind, undefined>): KeptLiteral {
    return new KeptLiteral(value, kind);
  }
}

export const terms: RDF.DataFactory<RDF.Quad> = new HouseFactory();
