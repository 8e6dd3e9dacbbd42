/** What operators did, summed over the runs of one that is opened more than once, or late. */

import type { OperatorStatistics, Traced } from './operator.js';

export class Trace implements Traced {
  readonly statistics: OperatorStatistics = { rows: 0, batches: 0, calls: 0, timeMs: 0, blocksRead: 0 };
  readonly traces: Trace[] = [];

  add(run: Traced): void {
    const { statistics } = this;
    statistics.rows += run.statistics.rows;
    statistics.batches += run.statistics.batches;
    statistics.calls += run.statistics.calls;
    statistics.timeMs += run.statistics.timeMs;
    statistics.blocksRead += run.statistics.blocksRead;
    run.traces.forEach((input, at) => {
      this.traces[at] ??= new Trace();
      (this.traces[at] as Trace).add(input);
    });
  }
}
