/**
 * What two streams of lines that are sorted by their bytes differ in. What both have is passed over block by block, so little is
 * done for lines that are the same.
 */

import { breathe, type Control, throwIfStopped } from '../base/control.js';
import { LineRun } from './line-run.js';

export interface LineSides {
  readonly ours: AsyncIterable<Uint8Array>;
  readonly theirs: AsyncIterable<Uint8Array>;
}

/** Gets whole lines that the other side has not, in their order. */
export interface DifferenceTaker {
  onlyOurs(lines: Buffer): void;
  onlyTheirs(lines: Buffer): void;
}

const STEP_TURNS = 4096;

export async function differenceByLine(
  sides: LineSides,
  taker: DifferenceTaker,
  what: string,
  control: Control,
): Promise<void> {
  const [ours, theirs] = [new LineRun(sides.ours), new LineRun(sides.theirs)];
  try {
    for (let turn = 1; ; turn++) {
      if (ours.isEmpty && !ours.ended) await ours.fill();
      if (theirs.isEmpty && !theirs.ended) await theirs.fill();
      if (ours.isEmpty && theirs.isEmpty) return;
      if (turn % STEP_TURNS === 0) await breathe();
      throwIfStopped(control, what);
      ours.skipCommon(theirs);
      // Where one side is at its end for now, what the other has may still come.
      if ((ours.isEmpty && !ours.ended) || (theirs.isEmpty && !theirs.ended)) continue;
      const order = ours.isEmpty ? 1 : theirs.isEmpty ? -1 : ours.compareTo(theirs);
      if (order < 0) taker.onlyOurs(ours.takeBefore(theirs.isEmpty ? null : theirs));
      else if (order > 0) taker.onlyTheirs(theirs.takeBefore(ours.isEmpty ? null : ours));
    }
  } finally {
    await ours.close();
    await theirs.close();
  }
}
