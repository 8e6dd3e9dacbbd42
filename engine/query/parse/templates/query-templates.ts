/**
 * Queries that differ from one that was parsed in constants only are not parsed:
 *
 *  1. A text that comes with a skeleton known from another text is parsed once more with constants that
 *     stand nowhere else, and the two queries are compared. They may differ in values of terms; each such
 *     value says which constant it is, and what stands before it (a namespace, a sign).
 *  2. A constant that shows anywhere else (a function's name, a separator) is a part of the shape: texts
 *     that differ in it have a template each.
 *  3. From then on the query of a text is its template with the constants put in.
 */

import { BoundedMap } from '../../../base/bounded-map.js';
import { SvcError } from '../../../base/errors.js';
import { type Literal, type NamedNode, type Term, terms } from '../../../rdf/terms.js';
import type { ParsedQuery } from '../../algebra/algebra.js';
import { mapData } from '../../algebra/map-data.js';
import type { SlotValue } from '../../algebra/slot.js';
import { type ConstantKind, type Skeleton, textWith } from './fingerprint.js';

/** Texts that have a template each. */
const TEMPLATES_MAX = 500;
/** Shapes whose first text is waited on for a second one. */
const SHAPES_MAX = 2000;
/** A shape that has ever more templates has none. */
const TEMPLATES_PER_SHAPE_MAX = 50;

/** A place for a constant. */
interface Place {
  readonly constant: number;
  /** In front of the constant. */
  readonly before: string;
  /** For what the term is besides its value. */
  readonly model: SlotValue;
}

/** A query with places for constants. */
export interface Template {
  /** Names it among all of them; templates that are forgotten don't give it to others. */
  readonly id: number;
  readonly places: readonly Place[];
  readonly parsed: ParsedQuery;
  readonly placeOf: ReadonlyMap<Term, number>;
}

/** A text as a template and what stands in its places. */
export interface Shaped {
  readonly template: Template;
  readonly values: readonly SlotValue[];
}

interface Shape {
  /** Constants of the first text. */
  readonly first: string;
  /** Constants that are a part of the shape; null = it has no template. */
  fixed: ReadonlySet<number> | null;
  /** Templates that were made of it. */
  made: number;
}

export class Shapes {
  private readonly shapes = new BoundedMap<Shape>(SHAPES_MAX);
  /** By shape and the constants that are a part of it. */
  private readonly templates = new BoundedMap<Template>(TEMPLATES_MAX);
  private made = 0;

  /** The text as a template with values, if it has one by now; `parse` parses a text. */
  find(name: string, text: Skeleton, parse: (text: string) => ParsedQuery, written: string): Shaped | null {
    const key = `${name}\n${text.skeleton}`;
    const shape = this.shapes.use(key);
    const constants = text.constants.join('\u0001');
    if (shape === undefined) {
      this.shapes.set(key, { first: constants, fixed: new Set(), made: 0 });
      return null;
    }
    if (shape.fixed === null) return null;
    const known = this.templates.use(templateKey(key, shape.fixed, text));
    if (known !== undefined) return shapedAs(known, text.constants);
    // A text that is asked again is known as it is.
    if (shape.first === constants) return null;
    const template = shape.made < TEMPLATES_PER_SHAPE_MAX ? templateOf(parse(written), shape.fixed, text, parse) : null;
    shape.fixed = template?.fixed ?? null;
    if (template === null) return null;
    shape.made++;
    this.made++;
    const made = { ...template, id: this.made };
    this.templates.set(templateKey(key, template.fixed, text), made);
    return shapedAs(made, text.constants);
  }
}

/** The template of a text, and which constants are a part of it: `known`, and those that show up elsewhere than in terms. */
function templateOf(
  parsed: ParsedQuery,
  known: ReadonlySet<number>,
  text: Skeleton,
  parse: (text: string) => ParsedQuery,
): (Omit<Template, 'id'> & { readonly fixed: ReadonlySet<number> }) | null {
  for (let fixed = known; ; ) {
    const compared = compareWithStandIns(parsed, text, fixed, parse);
    if (compared === null) return null;
    if (compared.kind === 'template') return { ...compared.template, fixed };
    fixed = new Set([...fixed, ...compared.constants]);
  }
}

/** The query of a template with terms in its places. */
export function instantiate({ parsed, placeOf }: Template, values: readonly Term[]): ParsedQuery {
  return mapData(parsed, (part) => {
    if (typeof part === 'bigint' || !('termType' in part)) return undefined;
    const place = placeOf.get(part as Term);
    return place === undefined ? part : values[place];
  });
}

function templateKey(shape: string, fixed: ReadonlySet<number>, { constants }: Skeleton): string {
  let key = shape;
  for (const at of fixed) key += `\u0001${at} ${constants[at]}`;
  return key;
}

function shapedAs(template: Template, constants: readonly string[]): Shaped {
  return { template, values: template.places.map((place) => termAt(place, constants)) };
}

function termAt({ constant, before, model }: Place, constants: readonly string[]): SlotValue {
  const value = before + (constants[constant] as string);
  if (model.termType === 'NamedNode') return terms.namedNode(value);
  return model.language === '' ? terms.literal(value, model.datatype) : likeLiteral(value, model);
}

function likeLiteral(value: string, { language, direction }: Literal): Literal {
  return direction ? terms.literal(value, { language, direction }) : terms.literal(value, language);
}

const STAND_IN: Readonly<Record<ConstantKind, (at: number) => string>> = {
  iri: (at) => `urn:x-stand-in:${BASE + at}`,
  local: (at) => `standIn${BASE + at}`,
  string: (at) => `standIn${BASE + at}`,
  integer: (at) => `${BASE + at}`,
  decimal: (at) => `${BASE + at}.5`,
  double: (at) => `${BASE + at}e0`,
};
const BASE = 791_900_000;
const BASE_DIGITS = /7919\d{5}/g;
const HAS_BASE = /7919\d{5}/;

type Compared =
  | { readonly kind: 'template'; readonly template: Omit<Template, 'id'> }
  /** These have to stay as they are. */
  | { readonly kind: 'fixed'; readonly constants: readonly number[] };

/** Null where the two differ in something that no constant explains. */
function compareWithStandIns(
  parsed: ParsedQuery,
  text: Skeleton,
  fixed: ReadonlySet<number>,
  parse: (text: string) => ParsedQuery,
): Compared | null {
  const { skeleton, kinds, constants } = text;
  if (constants.some((constant) => HAS_BASE.test(constant))) return null;
  const standIns = constants.map((constant, at) =>
    fixed.has(at) ? constant : STAND_IN[kinds[at] as ConstantKind](at),
  );
  let other: ParsedQuery;
  try {
    other = parse(textWith(skeleton, kinds, standIns));
  } catch (error) {
    if (error instanceof SvcError) return null;
    throw error;
  }
  const comparison = new Comparison(constants, standIns, fixed);
  if (!comparison.same(parsed, other)) return null;
  comparison.fixUnplaced();
  if (comparison.fixed.size > 0) return { kind: 'fixed', constants: [...comparison.fixed] };
  const { places, placeOf } = comparison;
  return { kind: 'template', template: { parsed: other, places, placeOf } };
}

/** Walks a query and the same one with stand-ins. */
class Comparison {
  readonly places: Place[] = [];
  readonly placeOf = new Map<Term, number>();
  readonly fixed = new Set<number>();
  private readonly placeByName = new Map<string, number>();
  private readonly blanks = new Map<string, string>();
  private readonly blanksBack = new Map<string, string>();

  constructor(
    private readonly constants: readonly string[],
    private readonly standIns: readonly string[],
    private readonly known: ReadonlySet<number>,
  ) {}

  same(a: unknown, b: unknown): boolean {
    if (a === b) return true;
    if (typeof a === 'string' && typeof b === 'string') return this.sameBlank(a, b) || this.fix(b);
    if (typeof a === 'number' && typeof b === 'number') return this.fix(String(b));
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
    if (Array.isArray(a)) {
      return Array.isArray(b) && a.length === b.length && a.every((item, at) => this.same(item, b[at]));
    }
    if ('termType' in a && 'termType' in b) return this.sameTerm(a as Term, b as Term);
    if (Object.getPrototypeOf(a) !== Object.prototype || Object.getPrototypeOf(b) !== Object.prototype) return false;
    const names = Object.keys(a);
    if (names.length !== Object.keys(b).length) return false;
    return names.every(
      (name) => name in b && this.same((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name]),
    );
  }

  /** A constant that shows nowhere is not understood. */
  fixUnplaced(): void {
    const placed = new Set(this.places.map(({ constant }) => constant));
    this.standIns.forEach((_, at) => {
      if (!placed.has(at) && !this.known.has(at)) this.fixed.add(at);
    });
  }

  private sameTerm(a: Term, b: Term): boolean {
    if (a.termType !== b.termType) return false;
    switch (a.termType) {
      case 'NamedNode':
        return a.value === b.value || this.place(a, b as NamedNode);
      case 'Literal': {
        const other = b as Literal;
        const alike =
          a.datatype.value === other.datatype.value &&
          a.language === other.language &&
          (a.direction ?? '') === (other.direction ?? '');
        return alike && (a.value === other.value || this.place(a, other));
      }
      case 'BlankNode':
        return a.value === b.value || this.sameBlank(a.value, b.value);
      default:
        // Terms within terms are not put in.
        return a.equals(b);
    }
  }

  /** Blank nodes of the text are numbered over all texts. */
  private sameBlank(a: string, b: string): boolean {
    if (!/^(?:_:)?g_\d+$/.test(a) || !/^(?:_:)?g_\d+$/.test(b)) return false;
    const [to, back] = [this.blanks.get(a), this.blanksBack.get(b)];
    if (to === undefined && back === undefined) {
      this.blanks.set(a, b);
      this.blanksBack.set(b, a);
      return true;
    }
    return to === b && back === a;
  }

  private place(a: SlotValue, b: SlotValue): boolean {
    const constant = this.constantIn(b.value);
    if (constant === null) return false;
    const [given, standIn] = [this.constants[constant] as string, this.standIns[constant] as string];
    const before = b.value.slice(0, b.value.length - standIn.length);
    if (before + standIn !== b.value || before + given !== a.value) {
      this.fixed.add(constant);
      return true;
    }
    const name = `${constant} ${b.termType} ${before}`;
    const at = this.placeByName.get(name) ?? this.places.length;
    this.placeOf.set(b, at);
    if (at < this.places.length) return true;
    this.placeByName.set(name, at);
    this.places.push({ constant, before, model: b });
    return true;
  }

  /** The constants whose stand-ins the text holds have to stay. */
  private fix(text: string): boolean {
    const found = text.match(BASE_DIGITS) ?? [];
    for (const digits of found) {
      const constant = Number(digits) - BASE;
      if (!(constant < this.standIns.length) || this.known.has(constant)) return false;
      this.fixed.add(constant);
    }
    return found.length > 0;
  }

  private constantIn(text: string): number | null {
    const found = text.match(BASE_DIGITS) ?? [];
    const constant = Number(found[0]) - BASE;
    return found.length === 1 && constant < this.standIns.length && !this.known.has(constant) ? constant : null;
  }
}
