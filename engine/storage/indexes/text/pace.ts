/** What a search is asked by between parts of its work. */

import { type Control, throwIfStopped } from '../../../base/control.js';
import { leftMs } from '../../../base/interrupt.js';

/** Called between parts of the work; throws to end it. */
export interface Pace {
  (): void;
  /** Milliseconds until the work has to be done, and the setting that says so; absent = there is no such time. */
  readonly left?: (() => { readonly ms: number; readonly setting: string }) | undefined;
}

/** Of a call; `what` is the subject of the messages: `the search`. */
export function paceOf(control: Control, what: string): Pace {
  const check = (): void => throwIfStopped(control, what);
  const deadline = control.flag?.deadline;
  if (deadline === undefined) return check;
  return Object.assign(check, { left: () => ({ ms: leftMs(deadline), setting: deadline.setting }) });
}
