/** OPTIONAL by a table of the optional side. */

import { HashLeftJoinOperator } from '../execute/join/hash-left-join.js';
import { UNORDERED_JOIN } from '../execute/tables/join-run.js';
import { type Keyed, keyedDetail, readsOfKeyed } from './keyed-join.js';
import { always, type Definition, never } from './physical-operator.js';

export const hashLeftJoin: Definition<'hashLeftJoin', Keyed> = {
  detail: ({ action }) => `OPTIONAL${keyedDetail(action)}`,
  open: ({ action: { keys, condition }, facts }, input, { terms, budget }) =>
    new HashLeftJoinOperator(input(0), input(1), keys, condition, terms, budget, UNORDERED_JOIN, facts.variables),
  pairsRows: always,
  columns: 'joined',
  reads: readsOfKeyed,
  usesOrder: never,
  matches: readsOfKeyed,
};
