/** What the pipeline needs to describe a write, loaded with the first one. */

export { describeChanges } from './describe-write.js';
export { episodeEvent } from './episode-event.js';
export { FirstUses } from './first-uses.js';
export { addGraphEvents, addLoadedGraphs, graphOfStage } from './graph-events.js';
export { refusalEvent } from './refusal-event.js';
