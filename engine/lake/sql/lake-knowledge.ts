/**
 * What the translation may know of one lake, as of one export: which kinds of objects a predicate has, and which files hold its
 * rows. Text that is printed for others knows none of it, since the next export may add other kinds and files.
 */

import { TYPE_CODE } from '../../kernels/as/term-codes.js';
import { isIntegerCode, TAG } from '../../storage/ids/layout.js';
import type { LakeContent, StoredPredicate } from '../lake-file.js';
import { areInline, type Prefixes } from './inline-fields.js';
import { ANY_CLASS, type Classes, type ValueClass } from './sql-terms.js';

export type Counts = Pick<StoredPredicate, 'rows' | 'subjects' | 'objects'>;
const NONE: Counts = { rows: 0, subjects: 0, objects: 0 };

export class LakeKnowledge {
  readonly #content: LakeContent;
  readonly #apart: ReadonlySet<string>;
  readonly #all: Counts;

  constructor(content: LakeContent) {
    this.#content = content;
    const all = Object.values(content.predicates ?? {});
    this.#all = {
      rows: all.reduce((sum, one) => sum + one.rows, 0),
      subjects: all.reduce((most, one) => Math.max(most, one.subjects), 0),
      objects: all.reduce((sum, one) => sum + one.objects, 0),
    };
    this.#apart = new Set(content.tables.facts.flatMap(({ predicate }) => predicate ?? []));
  }

  /** Those that objects of the predicate have; null when that is not known. */
  objectsOf(predicate: bigint): Prefixes | null {
    const { predicates } = this.#content;
    return predicates === undefined ? null : new Set(this.#countsOf(predicate)?.prefixes);
  }

  /** How many rows, subjects and objects a predicate has, or all of them together; null when that is not known. */
  countsOf(predicate: bigint | undefined): Counts | null {
    if (this.#content.predicates === undefined) return null;
    return predicate === undefined ? this.#all : (this.#countsOf(predicate) ?? NONE);
  }

  #countsOf(predicate: bigint): StoredPredicate | undefined {
    return this.#content.predicates?.[String(predicate & 0xffff_ffff_ffffn)];
  }

  /** Paths of the files that hold all open rows of the predicate. */
  filesOf(predicate: bigint): readonly string[] {
    const id = String(predicate);
    const own = this.#apart.has(id) ? id : undefined;
    return this.#content.tables.facts.filter((file) => file.predicate === own).map(({ path }) => path);
  }
}

/** Classes of the values that such ids can have. */
export function classesOf(prefixes: Prefixes): Classes {
  if (prefixes.size === 0) return ANY_CLASS;
  const classes = new Set([...prefixes].flatMap((prefix) => classesOfPrefix(prefix >>> 8, prefix & 0xff)));
  // What the table of terms has no timestamp for has one when it is computed.
  if (areInline(prefixes)) classes.delete('other');
  return classes;
}

function classesOfPrefix(tag: number, auxiliary: number): readonly ValueClass[] {
  switch (tag) {
    case TAG.blank:
      return ['blank'];
    case TAG.iri:
      return ['iri'];
    case TAG.triple:
      return ['triple'];
    case TAG.string:
      return ['string'];
    case TAG.langString:
    case TAG.dirLangString:
      return ['lang'];
    case TAG.typed:
      return classesOfCode(auxiliary);
    case TAG.integer:
      return auxiliary === TYPE_CODE.integer ? ['number'] : ['number', 'unknown'];
    case TAG.decimal:
    case TAG.double:
    case TAG.float:
      return ['number'];
    case TAG.boolean:
      return ['boolean'];
    case TAG.date:
      return ['date', 'other'];
    case TAG.dateTime:
    case TAG.dateTimeMs:
      return ['dateTime', 'other'];
    default:
      return [...ANY_CLASS];
  }
}

function classesOfCode(code: number): readonly ValueClass[] {
  if (isIntegerCode(code) || code === TYPE_CODE.decimal || code === TYPE_CODE.double || code === TYPE_CODE.float)
    return ['number', 'unknown'];
  return ['number', 'boolean', 'dateTime', 'date', 'other', 'unknown'];
}
