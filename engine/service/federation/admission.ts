/** What a federated query may not be: judged before a remote is asked. */

import { SvcError } from '../../base/errors.js';
import { floorRefusal, type LabelFloors, shortfallOf } from '../../graphs/labels/floors.js';
import type { ParsedQuery } from '../../query/algebra/algebra.js';
import { ANNOTATIONS, type Member } from './members.js';

/** Anything but a SELECT, and one with columns that answers have for themselves. */
export function refuseOtherForms({ form, variables }: ParsedQuery): void {
  if (form !== 'select') throw invalid(`a federated query is a SELECT, and this is one of ${form.toUpperCase()}`);
  const own = variables.find((name) => ANNOTATIONS.includes(name));
  if (own === undefined) return;
  throw invalid(`a federated answer has a column '${own}' of its own: give ?${own} another name`);
}

export function refuseBelow({ name, url, labels }: Member, floors: LabelFloors): void {
  const shortfall = shortfallOf(labels, floors);
  if (shortfall === null) return;
  throw floorRefusal(`the remote '${name}' <${url}>`, shortfall, 'declare its labels under federation.remotes');
}

function invalid(message: string): SvcError {
  return new SvcError('invalid_request', message);
}
