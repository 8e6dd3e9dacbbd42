/** Names that somebody may have meant. */

export { editDistance, nearestNames } from '../../../engine/base/nearest.js';
