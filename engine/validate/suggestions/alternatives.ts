/**
 * What would have been valid (semantics 4.5): at most 20 proposals for each result, the likeliest first. Likeness is
 * Jaro-Winkler of lower-cased local names, labels or lexical forms.
 *
 * The work for a report is bounded whatever shapes and data are: what a constraint proposes for a value is found out
 * once, long lists are searched by an index (`nearest-texts.ts`), and all comparisons come out of one budget. Beyond it
 * proposals have no score and stand in the order of the shape.
 */

import { getOrInsert } from '../../base/maps.js';
import { compareCodePoints } from '../../base/text.js';
import { termToString } from '../../rdf/canonical/lines.js';
import { type Literal, type NamedNode, RDF_DIR_LANG_STRING, RDF_LANG_STRING, type Term, XSD } from '../../rdf/terms.js';
import type { DataGraph } from '../data/data-graph.js';
import type { RawResult } from '../evaluate/results.js';
import { ComparisonBudget, comparedText, localName } from '../likeness.js';
import { termText } from '../messages.js';
import { type Constraint, type Shape, shapesIn } from '../shapes/shapes.js';
import { isLexicalForm } from '../value-tests/lexical-spaces.js';
import { type Alternative, EntitySuggestions } from './entities.js';
import { NearestTexts } from './nearest-texts.js';

const ALTERNATIVES_MAX = 20;
/** Results of one report for which the data is searched; later ones have proposals from the shape alone. */
const SEARCHED_MAX = 1000;
/** Members of a list with at least this similarity to the value come first. */
const MEMBER_LIKENESS_MIN = 0.7;
/** A predicate with at least this similarity to a missing one is proposed as a misspelling of it. */
const PREDICATE_LIKENESS_MIN = 0.85;

interface Subject {
  readonly raw: RawResult;
  readonly value: Term | null;
}

/** What a constraint lists, to be proposed. */
class ListedTerms {
  readonly #nearest: NearestTexts;
  /** By value: the same value is often wrong many times. */
  readonly #answers = new Map<string, readonly Alternative[]>();

  constructor(
    private readonly kind: string,
    private readonly terms: readonly Term[],
    private readonly scoreMin: number,
  ) {
    this.#nearest = new NearestTexts(terms.map(comparable));
  }

  /** Those that are like the value, best first, then the others as the list has them. */
  for(value: Term | null, budget: ComparisonBudget): readonly Alternative[] {
    const key = value === null ? '' : termToString(value);
    return getOrInsert(this.#answers, key, () => this.#find(value, budget));
  }

  #find(value: Term | null, budget: ComparisonBudget): Alternative[] {
    const { kind } = this;
    const near = value === null ? [] : this.#nearest.like(comparable(value), this.scoreMin, budget);
    const first = near.slice(0, ALTERNATIVES_MAX);
    const found = first.map(({ place, score }) => ({ kind, value: (this.terms[place] as Term).value, score }));
    const taken = new Set(first.map(({ place }) => place));
    const rest: Alternative[] = [];
    for (let place = 0; place < this.terms.length && taken.size + rest.length < ALTERNATIVES_MAX; place++) {
      if (!taken.has(place)) rest.push({ kind, value: (this.terms[place] as Term).value });
    }
    return [...found, ...rest];
  }
}

export class Alternatives {
  readonly #budget = new ComparisonBudget();
  readonly #entities: EntitySuggestions;
  readonly #listed = new Map<Constraint, ListedTerms>();
  /** Of constraints that propose the same whatever the value is. */
  readonly #fixed = new Map<Constraint, readonly Alternative[]>();
  #searched = 0;

  constructor(private readonly view: DataGraph) {
    this.#entities = new EntitySuggestions(view, this.#budget);
  }

  of({ raw, value }: Subject): Alternative[] {
    return this.#propose(raw.constraint, raw, value).slice(0, ALTERNATIVES_MAX);
  }

  #propose(constraint: Constraint, raw: RawResult, value: Term | null): readonly Alternative[] {
    switch (constraint.kind) {
      case 'in':
        return this.#list(constraint, 'value', MEMBER_LIKENESS_MIN, () => constraint.members).for(value, this.#budget);
      case 'class': {
        const entities = this.#maySearch() ? this.#entities.like(constraint.type, value) : [];
        return [...entities, { kind: 'class', value: constraint.type.value }];
      }
      case 'closed': {
        const allowed = this.#list(constraint, 'predicate', 0, () => distinctTerms(constraint.allowed));
        return allowed.for(raw.notes?.path ?? null, this.#budget);
      }
      case 'datatype':
        return datatypes(constraint.datatype, value);
      case 'nodeKind':
        return nodeKinds(constraint.name, value);
      case 'minCount':
        return this.#missing(raw);
      case 'maxCount':
        return this.#present(raw);
      default:
        return getOrInsert(this.#fixed, constraint, () => fixed(constraint));
    }
  }

  #list(constraint: Constraint, kind: string, scoreMin: number, terms: () => readonly Term[]): ListedTerms {
    return getOrInsert(this.#listed, constraint, () => new ListedTerms(kind, terms(), scoreMin));
  }

  #maySearch(): boolean {
    return ++this.#searched <= SEARCHED_MAX;
  }

  /** A predicate that was probably a slip of the pen, the path itself, and what its values could be. */
  #missing(raw: RawResult): Alternative[] {
    const { path, pathText, constraints } = raw.shape;
    if (pathText === null) return [];
    const slips = path?.kind === 'predicate' && this.#maySearch() ? this.#slips(raw, path.predicate.value) : [];
    const siblings = constraints
      .filter(({ kind }) => kind === 'in' || kind === 'class' || kind === 'datatype')
      .flatMap((constraint) => this.#propose(constraint, raw, null));
    return [...slips, { kind: 'path', value: pathText }, ...siblings];
  }

  #slips(raw: RawResult, wanted: string): Alternative[] {
    const mentioned = mentionedBy(raw.root, raw.shape);
    const found: Alternative[] = [];
    const name = comparedText(localName(wanted));
    for (const used of this.#predicatesOf(raw)) {
      if (this.#budget.isSpent) break;
      if (mentioned.has(used)) continue;
      const score = this.#budget.likeness(comparedText(localName(used)), name);
      if (score >= PREDICATE_LIKENESS_MIN) found.push({ kind: 'predicate', value: wanted, instead_of: used, score });
    }
    return found.sort((a, b) => byScore(a, b) || compareCodePoints(a.instead_of as string, b.instead_of as string));
  }

  #predicatesOf({ focusLow, focusHigh }: RawResult): string[] {
    const { predicates } = this.view.facts({ ids: Uint32Array.of(focusLow, focusHigh), count: 1 });
    const { ids, count } = predicates.toSet();
    return this.view.decode(ids, count).map(({ value }) => value);
  }

  /** The values that there are, of which some would have to go. */
  #present({ shape, focusLow, focusHigh }: RawResult): Alternative[] {
    if (shape.path === null || !this.#maySearch()) return [];
    const nodes = { ids: Uint32Array.of(focusLow, focusHigh), count: 1 };
    const { ids, count } = this.#entities.paths.of(nodes, shape.path);
    const texts = this.view.decode(ids, count).map(termText);
    return texts.sort(compareCodePoints).map((value) => ({ kind: 'value', value }));
  }
}

function byScore(a: Alternative, b: Alternative): number {
  return (b.score ?? 0) - (a.score ?? 0);
}

/** Predicates of the property shapes beside the one that failed. */
function mentionedBy(...shapes: readonly Shape[]): Set<string> {
  const found = new Set<string>();
  const seen = new Set<Shape>(shapes);
  for (const shape of seen) {
    if (shape.path?.kind === 'predicate') found.add(shape.path.predicate.value);
    for (const constraint of shape.constraints) {
      // Shapes of the values are about other nodes.
      if (shape.path === null) for (const inner of shapesIn(constraint)) seen.add(inner);
      if ('predicate' in constraint) found.add(constraint.predicate.value);
    }
  }
  return found;
}

function comparable(term: Term): string {
  return term.termType === 'NamedNode' ? localName(term.value) : term.value;
}

function datatypes(datatype: string, value: Term | null): Alternative[] {
  const proposals: Alternative[] = [];
  const hasLanguage = datatype === RDF_LANG_STRING || datatype === RDF_DIR_LANG_STRING;
  if (value?.termType === 'Literal' && !hasLanguage && isLexicalForm(datatype, value.value)) {
    proposals.push({ kind: 'literal', value: `"${turtleText(value)}"^^${turtleDatatype(datatype)}` });
  }
  return [...proposals, { kind: 'datatype', value: datatype }];
}

function turtleText(literal: Literal): string {
  const quoted = termToString(literal);
  return quoted.slice(1, quoted.lastIndexOf('"'));
}

function turtleDatatype(datatype: string): string {
  const local = datatype.startsWith(XSD) ? datatype.slice(XSD.length) : '';
  return /^\w+$/.test(local) ? `xsd:${local}` : `<${datatype}>`;
}

const ABSOLUTE_IRI = /^[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+$/;

function nodeKinds(name: string, value: Term | null): Alternative[] {
  const allowed: Alternative = { kind: 'nodeKind', value: name };
  const isIri = value?.termType === 'Literal' && name.includes('IRI') && ABSOLUTE_IRI.test(value.value);
  return isIri ? [{ kind: 'iri', value: value.value }, allowed] : [allowed];
}

/** What a constraint proposes whatever the value is. */
function fixed(constraint: Constraint): Alternative[] {
  if ('bound' in constraint) return [{ kind: 'bound', value: `${constraint.operator} ${constraint.bound.value}` }];
  if ('predicate' in constraint) return [{ kind: 'path', value: constraint.predicate.value }];
  switch (constraint.kind) {
    case 'hasValue':
      return [{ kind: 'value', value: constraint.value.value }];
    case 'pattern': {
      const { text, flags } = constraint;
      return [{ kind: 'pattern', value: flags === '' ? text : `/${text}/${flags}` }];
    }
    case 'minLength':
      return [{ kind: 'bound', value: `>= ${constraint.length}` }];
    case 'maxLength':
      return [{ kind: 'bound', value: `<= ${constraint.length}` }];
    case 'languageIn':
      return constraint.ranges.slice(0, ALTERNATIVES_MAX).map((range) => ({ kind: 'language', value: range }));
    case 'qualifiedMinCount':
    case 'qualifiedMaxCount':
      return named([constraint.shape]);
    default:
      return named(shapesIn(constraint));
  }
}

function distinctTerms(list: readonly NamedNode[]): NamedNode[] {
  return [...new Map(list.map((term) => [term.value, term])).values()];
}

function named(shapes: readonly Shape[]): Alternative[] {
  const iris = shapes.flatMap(({ node }) => (node.termType === 'NamedNode' ? [node.value] : []));
  const distinct = [...new Set(iris)].slice(0, ALTERNATIVES_MAX);
  return distinct.map((value) => ({ kind: 'shape', value }));
}
