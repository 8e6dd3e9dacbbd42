/**
 * Comparisons of a pattern's object with constants as ranges of ids that a scan seeks. Within one tag and
 * auxiliary byte (a datatype with its scale or zone) the order of ids is the order of values, so that:
 *
 *  1. of the constant's own kind the ids are exactly those between the bounds;
 *  2. of every other kind that compares with it (decimals of another scale, times of another zone) the
 *     ids are those between bounds that are a little too wide, and the filter stays;
 *  3. literals in the dictionary may have any value, and the filter stays.
 *
 * Kinds of which the pattern surely has none are left out: storage is asked, in halves of the range of
 * kinds, so that the usual pattern with one kind of value needs a handful of looks.
 */

import type { Literal } from '../../../rdf/terms.js';
import { highOf, lowOf, millisecondsOfHalves, numericOfHalves, ORDERED_PREFIXES } from '../../../storage/ids/halves.js';
import { inlineId } from '../../../storage/ids/inline.js';
import { BIAS, isIntegerCode, TAG, type TermId, ZONE_NONE, zoneMinutes } from '../../../storage/ids/layout.js';
import type { Estimate, IdRange } from '../../../storage/seam/scan.js';
import { type Expression, MIRRORED } from '../../algebra/expression.js';
import { plainTerm } from '../../algebra/slot.js';

/** A condition that compares a variable with an inlined constant. */
export interface Bound {
  readonly variable: string;
  readonly operator: string;
  readonly id: TermId;
  readonly condition: Expression;
}

export interface ObjectRanges {
  readonly ranges: readonly IdRange[];
  /** No id in the ranges fails the conditions. */
  readonly exact: boolean;
  readonly rows: number;
}

type Family = 'number' | 'date' | 'dateTime';

/** Kinds are the upper 16 bits of ids. */
const INLINED_FROM = TAG.integer << 8;
const INLINED_TO = (TAG.float + 1) << 8;
const TYPED_FROM = TAG.typed << 8;
const PAYLOAD_BITS = 48n;
const PAYLOAD_END = 2 * Number(BIAS);
/** Times that storage is asked; kinds that are not told apart by then stay in. */
const ESTIMATES_MAX = 24;
/** Beyond the error of every conversion between numbers, xsd:float included. */
const RELATIVE_SLACK = 1e-6;
const DAY_MS = 86_400_000;
/** A time without a zone may lie so far from UTC. */
const ZONE_DOUBT_MS = 14 * 3600 * 1000;
const UNIT_MS: Readonly<Record<number, number>> = { [TAG.date]: DAY_MS, [TAG.dateTime]: 1000, [TAG.dateTimeMs]: 1 };

export function boundOf(condition: Expression): Bound | null {
  if (condition.kind !== 'call' || !/^(?:=|<=?|>=?)$/.test(condition.operator)) return null;
  const [first, second] = condition.args as [Expression, Expression];
  const [variable, constant] = first.kind === 'variable' ? [first, second] : [second, first];
  if (variable.kind !== 'variable' || constant.kind !== 'term' || constant.term.termType !== 'Literal') return null;
  // What is made of the value is made anew for another one (`dependencies.ts`).
  const { datatype, value, language } = plainTerm(constant.term) as Literal;
  const id = language ? null : inlineId(datatype.value, value);
  if (id === null || familyOf(kindOf(id)) === null) return null;
  if (familyOf(kindOf(id)) === 'number' && Number.isNaN(numericOfHalves(lowOf(id), highOf(id)))) return null;
  const operator = first.kind === 'variable' ? condition.operator : (MIRRORED[condition.operator] as string);
  return { variable: variable.name, operator, id, condition };
}

/** The ranges of ids that may pass all bounds, ascending; `count` asks storage for the pattern's rows in a range. */
export function objectRanges(bounds: readonly Bound[], count: (range: IdRange) => Estimate): ObjectRanges {
  return new RangeSearch(bounds, count).find();
}

class RangeSearch {
  private readonly own: number;
  private readonly family: Family | null;
  private readonly ranges: IdRange[] = [];
  private exact = true;
  private rows = 0;
  private asked = 0;

  constructor(
    private readonly bounds: readonly Bound[],
    private readonly count: (range: IdRange) => Estimate,
  ) {
    this.own = kindOf((bounds[0] as Bound).id);
    this.family = familyOf(this.own);
  }

  find(): ObjectRanges {
    const { own } = this;
    this.add(rangeOfKinds(TYPED_FROM, TYPED_FROM + 0x100), false);
    this.visit(INLINED_FROM, own);
    this.visit(own, own + 1);
    this.visit(own + 1, INLINED_TO);
    return { ranges: this.ranges, exact: this.exact, rows: this.rows };
  }

  /** Kinds `[from, to)`. */
  private visit(from: number, to: number): void {
    if (from >= to) return;
    if (to - from === 1) {
      if (familyOf(from) === this.family) this.addKind(from);
      return;
    }
    const range = rangeOfKinds(from, to);
    if (this.asked >= ESTIMATES_MAX) {
      this.add(range, false);
      return;
    }
    this.asked++;
    const { rows, exact } = this.count(range);
    if (rows === 0 && exact) return;
    const middle = (from + to) >>> 1;
    this.visit(from, middle);
    this.visit(middle, to);
  }

  private addKind(kind: number): void {
    let range = rangeOfKinds(kind, kind + 1);
    let exact = ORDERED_PREFIXES[kind] === 1;
    for (const bound of this.bounds) {
      const within = kindOf(bound.id) === kind && ORDERED_PREFIXES[kind] === 1;
      exact &&= within;
      if (familyOf(kindOf(bound.id)) !== this.family) continue;
      const allowed = within ? exactRange(bound) : wideRange(bound, kind);
      range = intersection(range, allowed);
    }
    if (range.from < range.to) this.add(range, exact);
  }

  private add(range: IdRange, exact: boolean): void {
    const estimate = this.count(range);
    if (estimate.rows === 0 && estimate.exact) return;
    this.rows += estimate.rows;
    this.exact &&= exact;
    const last = this.ranges.at(-1);
    if (last?.to === range.from) this.ranges[this.ranges.length - 1] = { from: last.from, to: range.to };
    else this.ranges.push(range);
  }
}

function kindOf(id: TermId): number {
  return Number(id >> PAYLOAD_BITS);
}

function rangeOfKinds(from: number, to: number): IdRange {
  return { from: BigInt(from) << PAYLOAD_BITS, to: BigInt(to) << PAYLOAD_BITS };
}

function intersection(a: IdRange, b: IdRange): IdRange {
  const [late, early] = [a.from < b.from ? b : a, a.to < b.to ? a : b];
  return { from: late.from, to: early.to };
}

function familyOf(kind: number): Family | null {
  switch (kind >>> 8) {
    case TAG.integer:
      return isIntegerCode(kind & 0xff) ? 'number' : null;
    case TAG.decimal:
    case TAG.double:
    case TAG.float:
      return 'number';
    case TAG.date:
      return 'date';
    case TAG.dateTime:
    case TAG.dateTimeMs:
      return 'dateTime';
    default:
      return null;
  }
}

/** The ids of the constant's own kind that pass. */
function exactRange({ operator, id }: Bound): IdRange {
  const whole = rangeOfKinds(kindOf(id), kindOf(id) + 1);
  switch (operator) {
    case '=':
      return { from: id, to: id + 1n };
    case '<':
      return { from: whole.from, to: id };
    case '<=':
      return { from: whole.from, to: id + 1n };
    case '>':
      return { from: id + 1n, to: whole.to };
    default:
      return { from: id, to: whole.to };
  }
}

/** At least the ids of another kind that pass. */
function wideRange({ operator, id }: Bound, kind: number): IdRange {
  const whole = rangeOfKinds(kind, kind + 1);
  const { value, slack } = valueIn(kind, id);
  const payload = (signed: number): bigint => BigInt(Math.min(PAYLOAD_END, Math.max(0, signed + Number(BIAS))));
  const from = operator.startsWith('<') ? whole.from : whole.from + payload(Math.floor(value - slack));
  const to = operator.startsWith('>') ? whole.to : whole.from + payload(Math.ceil(value + slack) + 1);
  return { from, to };
}

/** The constant as the signed number that an id of the kind would hold, and by how much that may be wrong. */
function valueIn(kind: number, id: TermId): { value: number; slack: number } {
  const tag = kind >>> 8;
  const [low, high] = [lowOf(id), highOf(id)];
  const unitMs = UNIT_MS[tag];
  if (unitMs === undefined) {
    const value = numericOfHalves(low, high) * 10 ** (tag === TAG.integer ? 0 : kind & 0xff);
    return { value, slack: 1 + Math.abs(value) * RELATIVE_SLACK };
  }
  const zone = kind & 0xff;
  const doubtful = (zone === ZONE_NONE) !== ((kindOf(id) & 0xff) === ZONE_NONE);
  const localMs = millisecondsOfHalves(low, high) + (zoneMinutes(zone) ?? 0) * 60_000;
  return { value: localMs / unitMs, slack: 1 + (doubtful ? ZONE_DOUBT_MS / unitMs : 0) };
}
