/** What operators did, summed over the runs of one that is opened more than once, or late. */

import { newStatistics, type OperatorStatistics, type Traced } from './operator.js';

export class Trace implements Traced {
  readonly statistics: OperatorStatistics = newStatistics(0);
  readonly traces: Trace[] = [];

  add(run: Traced): void {
    const { statistics } = this;
    statistics.rows += run.statistics.rows;
    statistics.batches += run.statistics.batches;
    statistics.calls += run.statistics.calls;
    statistics.timeMs += run.statistics.timeMs;
    statistics.blocksRead += run.statistics.blocksRead;
    statistics.complete &&= run.statistics.complete;
    statistics.runs += run.statistics.runs;
    run.traces.forEach((input, at) => {
      this.traces[at] ??= new Trace();
      (this.traces[at] as Trace).add(input);
    });
  }
}
