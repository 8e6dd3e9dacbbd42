/**
 * Values that stand in ids (`storage/ids/layout.ts`), computed from them in place of looking them up. Only what an id tells
 * exactly in every engine: integers, decimals and doubles of few digits, truth values, dates and dateTimes.
 */

import { TYPE_CODE } from '../../kernels/as/term-codes.js';
import { XSD } from '../../rdf/terms.js';
import { BIAS, PAYLOAD_BITS, TAG, ZONE_NONE, zoneMinutes } from '../../storage/ids/layout.js';
import { DATATYPE_OF_TAG } from '../../storage/ids/tag-datatypes.js';
import { TERM_KINDS } from '../layout.js';
import { bigint, call, FALSE, int, isNotNull, nothing, type Scalar, TRUE, text, type When, when } from './scalars.js';
import type { Field } from './sql-terms.js';

/** The upper 16 bits of ids. */
export type Prefixes = ReadonlySet<number>;

/** Of DECIMAL(38, 18), and of powers of ten that are exact doubles. */
const SCALE_MAX = 18;
/** More of them would make the text long; the look-up is cheaper. */
const PREFIXES_MAX = 8;
const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;
/** Microseconds of one step of the payload. */
const STEPS: Readonly<Record<number, bigint>> = { [TAG.date]: DAY, [TAG.dateTime]: SECOND, [TAG.dateTimeMs]: 1000n };

type InlineFields = Readonly<Record<Exclude<Field, 'text'>, Scalar>>;

/** Whether all such ids tell their values. */
export function areInline(prefixes: Prefixes): boolean {
  return prefixes.size > 0 && prefixes.size <= PREFIXES_MAX && [...prefixes].every(isInline);
}

/** Whether the values stand in the ids of the term, so that none is missing and none is no number. */
export function isInlineTerm({ prefixes }: { readonly prefixes?: Prefixes | undefined }): boolean {
  return prefixes !== undefined && areInline(prefixes);
}

/** Whether ids that are less are of lesser values, or how ids of one value are told apart by them; null where neither is. */
export function orderOfIds(prefixes: Prefixes): 'id' | 'value and id' | null {
  if (!areInline(prefixes)) return null;
  const tags = new Set([...prefixes].map((prefix) => prefix >>> 8));
  const [tag] = [...tags] as [number];
  if (tags.size > 1 || tag === TAG.boolean) return null;
  if (prefixes.size === 1) return 'id';
  // Of equal numbers the one with fewer digits behind the point is the lesser id, and the lesser text.
  return tag === TAG.decimal || tag === TAG.double ? 'value and id' : null;
}

function isInline(prefix: number): boolean {
  const [tag, auxiliary] = [prefix >>> 8, prefix & 0xff];
  if (tag === TAG.integer) return auxiliary === TYPE_CODE.integer;
  if (tag === TAG.decimal || tag === TAG.double) return auxiliary <= SCALE_MAX;
  return tag === TAG.boolean || tag in STEPS;
}

/** All but the text; of an id that is null, null. */
export function inlineFields(id: Scalar, prefixes: Prefixes, certain: boolean): InlineFields {
  const all = [...prefixes].sort((a, b) => a - b);
  const there = (value: Scalar, type: 'int' | 'varchar' | 'boolean'): Scalar =>
    certain ? value : when([[isNotNull(id), value]], nothing(type));
  /** What the prefix decides; each value is null where the id is. */
  const byPrefix = (of: (tag: number, auxiliary: number) => Scalar | null, otherwise: Scalar): Scalar => {
    const whens: When[] = [];
    for (const [at, prefix] of all.entries()) {
      const value = of(prefix >>> 8, prefix & 0xff) ?? otherwise;
      const next = all[at + 1];
      if (next === undefined) return when(whens, value);
      if (JSON.stringify(of(next >>> 8, next & 0xff) ?? otherwise) === JSON.stringify(value)) continue;
      whens.push([call('<', id, bigint(BigInt(prefix + 1) << PAYLOAD_BITS)), value]);
    }
    return otherwise;
  };
  const signed = (tag: number, auxiliary: number): Scalar =>
    call('minus', id, bigint((BigInt((tag << 8) | auxiliary) << PAYLOAD_BITS) + BIAS));
  const isNumber = (tag: number): boolean => tag === TAG.integer || tag === TAG.decimal || tag === TAG.double;
  const asDouble = (tag: number, auxiliary: number): Scalar => {
    if (tag === TAG.integer || auxiliary === 0) return call('doubleOfInt', signed(tag, auxiliary));
    return call('scaledDouble', signed(tag, auxiliary), int(auxiliary));
  };
  const asDecimal = (tag: number, auxiliary: number): Scalar => {
    if (tag === TAG.integer || auxiliary === 0) return call('decimalOfInt', signed(tag, auxiliary));
    return call('scaledDecimal', signed(tag, auxiliary), int(auxiliary));
  };
  const micros = (tag: number, auxiliary: number): Scalar => {
    const step = STEPS[tag] as bigint;
    const offset = BigInt(zoneMinutes(auxiliary) ?? 0) * 60n * SECOND;
    const local = call('times', signed(tag, auxiliary), bigint(step));
    return offset === 0n ? local : call('minus', local, bigint(offset));
  };
  const hasZone = (tag: number, auxiliary: number): Scalar | null =>
    tag in STEPS ? there(auxiliary === ZONE_NONE ? FALSE : TRUE, 'boolean') : null;
  const truth = (tag: number, auxiliary: number): Scalar | null => {
    if (tag !== TAG.boolean) return null;
    const first = BigInt((tag << 8) | auxiliary) << PAYLOAD_BITS;
    return call('or', call('=', id, bigint(first + 1n)), call('=', id, bigint(first + 3n)));
  };
  const only =
    (test: (tag: number) => boolean, make: (tag: number, auxiliary: number) => Scalar) =>
    (tag: number, auxiliary: number): Scalar | null =>
      test(tag) ? make(tag, auxiliary) : null;
  return {
    kind: there(int(TERM_KINDS.literal), 'int'),
    datatype: there(
      byPrefix(
        (tag) => text(tag === TAG.integer ? `${XSD}integer` : (DATATYPE_OF_TAG[tag] as string)),
        nothing('varchar'),
      ),
      'varchar',
    ),
    lang: nothing('varchar'),
    dir: nothing('varchar'),
    num: byPrefix(only(isNumber, asDouble), nothing('double')),
    exact: byPrefix(
      only((tag) => tag === TAG.integer || tag === TAG.decimal, asDecimal),
      nothing('decimal'),
    ),
    time: byPrefix(
      only((tag) => tag in STEPS, micros),
      nothing('bigint'),
    ),
    zoned: byPrefix(hasZone, nothing('boolean')),
    bool: byPrefix(truth, nothing('boolean')),
  };
}
