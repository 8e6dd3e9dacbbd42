/**
 * `shapes.ttl` (semantics text 6.3): the texts of shape sets as they were loaded, by name, each behind a line that says
 * its name and with one line feed at its end.
 */

import { compareCodePoints } from '../base/text.js';

export interface SharedShapes {
  readonly name: string;
  readonly turtle: string;
}

export function shapesDocument(sets: readonly SharedShapes[]): string {
  return [...sets]
    .sort((a, b) => compareCodePoints(a.name, b.name))
    .map(({ name, turtle }) => `# shape set: ${oneLine(name)}\n${oneEnd(turtle.replace(/\r\n?/g, '\n'))}`)
    .join('');
}

/** A name with a line break would end its comment and begin a statement. */
function oneLine(name: string): string {
  return name.replace(/[\r\n]+/g, ' ');
}

function oneEnd(text: string): string {
  return `${text.replace(/\n+$/, '')}\n`;
}
