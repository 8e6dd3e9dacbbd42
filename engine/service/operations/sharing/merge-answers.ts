/** What the answers about a merge have in common. */

import type { Conflict } from '../../../share/decisions.js';
import { Type } from '../../requests/schema.js';

export const bundleField = Type.String({ minLength: 1, description: 'directory or archive of a share bundle' });

const values = Type.Array(Type.String());

export const conflictFields = {
  id: Type.String(),
  subject: Type.String(),
  predicate: Type.String(),
  max_count: Type.Integer('most values that the stored shapes allow'),
  base: values,
  ours: values,
  theirs: values,
};

export function conflictText({ subject, predicate, max_count: most, base, ours, theirs }: Conflict): string {
  const side = (name: string, list: readonly string[]) => `${name} ${list.length === 0 ? 'none' : list.join(', ')}`;
  const sides = [side('base', base), side('ours', ours), side('theirs', theirs)].join('; ');
  return `! ${subject} ${predicate} at most ${most}: ${sides}\n`;
}
