/** What a hash join has to know when it is one step of a larger one that did not fit into memory. */

import type { Operator } from '../../runtime/operator.js';
import type { BitSet } from './bit-set.js';

export interface JoinRun {
  /** How often the rows have been split by their keys already. */
  readonly level: number;
  /** Something above relies on the order of the probe rows. */
  readonly ordered: boolean;
  /** From which size on work is done a part of the table at a time. */
  readonly parts: PartsBounds;
  /** Set when the build side is a piece of the whole one that fits into memory. */
  readonly piece: JoinPiece | null;
}

export interface PartsBounds {
  /** Rows of a table that is made part by part. */
  readonly keysMin: number;
  /** Rows that are looked up as they come, before others are collected. */
  readonly probesMin: number;
}

/** Fewer keys have slots in the cache, whatever their sequence. */
const PARTS: PartsBounds = { keysMin: 1 << 18, probesMin: 1 << 18 };

/** All pieces are joined with the same probe rows, one piece after the other. */
export interface JoinPiece {
  /** Probe rows that met a partner in this piece or in one before. */
  readonly matched: BitSet;
  /** Only now is it known which rows have no partner. */
  readonly last: boolean;
}

/** A join of its own, and nothing above it is known. */
export const WHOLE_JOIN: JoinRun = { level: 0, ordered: true, parts: PARTS, piece: null };

/** A join that gives its rows in no order anyway. */
export const UNORDERED_JOIN: JoinRun = { ...WHOLE_JOIN, ordered: false };

export function joinRun(unordered = false): JoinRun {
  return unordered ? UNORDERED_JOIN : WHOLE_JOIN;
}

/** The same join over other inputs. */
export type MakeJoin = (probe: Operator, build: Operator, run: JoinRun) => Operator;
