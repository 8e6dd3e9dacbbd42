/** Colours of the graph, light and dark. Those of edges are mixed with the background beforehand: opaque lines are drawn faster. */

/** Red, green, blue, 0 to 255. */
export type Colour = readonly [number, number, number];

export interface Theme {
  readonly background: Colour;
  readonly text: Colour;
  readonly accent: Colour;
  readonly added: Colour;
  readonly removed: Colour;
  /** Nodes of the communities or types behind the last of `palette`. */
  readonly rest: Colour;
  readonly palette: readonly Colour[];
}

const LIGHT: Theme = {
  background: hex('fdfdfb'),
  text: hex('1b1e23'),
  accent: hex('2a56c6'),
  added: hex('19744a'),
  removed: hex('ad342c'),
  rest: hex('7d8592'),
  palette: ['3f6fb5', 'c2701f', '2f8a5c', 'ad4f72', '7162b0', '80702c', '1f8296', 'b8483f', '5f8a1e', '8a5a3c'].map(
    hex,
  ),
};

const DARK: Theme = {
  background: hex('10141a'),
  text: hex('e3e7ed'),
  accent: hex('84a7ff'),
  added: hex('63cb94'),
  removed: hex('f18e84'),
  rest: hex('8a93a3'),
  palette: ['7fb0e0', 'f0a860', '6cc796', 'e08aa9', 'a99be6', 'c6b56a', '5cc6d6', 'ee8a80', 'a8c85a', 'c49a78'].map(
    hex,
  ),
};

export function themeOf(isDark: boolean): Theme {
  return isDark ? DARK : LIGHT;
}

/** Colour of a community or a type by its number; -1 is none. */
export function groupColour(theme: Theme, group: number): Colour {
  return theme.palette[group] ?? theme.rest;
}

/** `share` of the first colour, the rest of the second. */
export function mixed(one: Colour, other: Colour, share: number): Colour {
  const part = (at: 0 | 1 | 2): number => Math.round(one[at] * share + other[at] * (1 - share));
  return [part(0), part(1), part(2)];
}

/** As four bytes in the order of memory: red, green, blue, 255. */
export function packed([red, green, blue]: Colour): number {
  return (red | (green << 8) | (blue << 16) | (255 << 24)) >>> 0;
}

export function css([red, green, blue]: Colour): string {
  return `rgb(${red} ${green} ${blue})`;
}

function hex(text: string): Colour {
  const number = Number.parseInt(text, 16);
  return [number >> 16, (number >> 8) & 255, number & 255];
}
