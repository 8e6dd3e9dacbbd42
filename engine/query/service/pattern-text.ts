/**
 * Patterns as SPARQL for another store. Variables get names of their own, `v0`, `v1` and so on: those of the algebra have
 * marks that no text may have.
 */

import { termToString } from '../../rdf/canonical/lines.js';
import type { Term } from '../../rdf/terms.js';
import type { PatternTerm, QuadPattern } from '../algebra/algebra.js';
import { patternVariables } from '../algebra/scope.js';
import { isSayable } from './combinations.js';

export class PatternText {
  /** As the algebra calls them; `v<i>` is the name of the i-th. */
  readonly variables: readonly string[];
  /** The group of the patterns, with what they are filtered by. */
  readonly group: string;

  constructor(
    patterns: readonly QuadPattern[],
    filters: (name: (variable: string) => string) => readonly string[] = none,
  ) {
    this.variables = [...new Set(patterns.flatMap((pattern) => [...patternVariables(pattern)]))];
    const texts = patterns.map((pattern) => this.textOf(pattern));
    const conditions = filters((variable) => this.nameOf(variable)).map((text) => `FILTER(${text})`);
    this.group = [...texts, ...conditions].join('\n');
  }

  nameOf(variable: string): string {
    return `?v${this.variables.indexOf(variable)}`;
  }

  /** The whole query; without variables one solution that binds nothing of them says that there is a match. */
  select(dataset: string, values: string, rowsMax: number | null): string {
    const names = this.variables.length === 0 ? '(1 AS ?found)' : this.variables.map((_, at) => `?v${at}`).join(' ');
    const limit = this.variables.length === 0 ? 1 : rowsMax;
    return `SELECT ${names} ${dataset}WHERE {\n${this.group}\n${values}}${limit === null ? '' : ` LIMIT ${limit}`}`;
  }

  private textOf({ s, p, o, g }: QuadPattern): string {
    const triple = [s, p, o].map((term) => this.termText(term)).join(' ');
    return g === null ? `${triple} .` : `GRAPH ${this.termText(g)} { ${triple} }`;
  }

  private termText(term: PatternTerm): string {
    return term.kind === 'variable' ? this.nameOf(term.name) : termToString(term.term);
  }
}

/** False for a pattern with a constant that no text can name, or that is no other store's: those have no solutions of it. */
export function canBeAsked({ s, p, o, g }: QuadPattern): boolean {
  return [s, p, o, g].every((term) => term === null || term.kind === 'variable' || canBeNamed(term.term));
}

function canBeNamed(term: Term): boolean {
  if (term.termType !== 'Quad') return isSayable(term);
  return [term.subject, term.predicate, term.object].every((part) => canBeNamed(part as Term));
}

function none(): readonly string[] {
  return [];
}

/** The same for patterns that differ in the names of their variables only. */
export function patternKey(pattern: QuadPattern): string {
  return new PatternText([pattern]).group;
}
