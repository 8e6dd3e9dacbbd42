/**
 * A picture of a set: for every query a row of marks, one a peer, at how many times faster than the peer this store is;
 * the scale is logarithmic, the line at 1 is where both take as long. Colours follow the reader's light or dark setting.
 */
import type { Cell, ComparedQuery } from './compare.js';

const ROW = 18;
const LEFT = 64;
const RIGHT = 24;
const TOP = 64;
const BOTTOM = 34;
const WIDTH = 820;
const MARK = 4.5;

/** Of eight, told apart by most eyes, on light and on dark ground. */
const COLOURS = ['#d1495b', '#2a7fba', '#d98a00', '#3a9d5d', '#8a63c9', '#c2589b', '#7a7a35', '#33a3a3'];
/** Powers of ten and what stands between them. */
const TICKS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100, 300, 1000, 3000, 10_000, 100_000];

export function drawRatios(title: string, queries: readonly ComparedQuery[]): string {
  const peers = queries[0]?.peers.map(({ peer }) => peer) ?? [];
  const height = TOP + queries.length * ROW + BOTTOM;
  const scale = scaleOf(queries);
  const rows = queries.map((query, at) => drawRow(query, TOP + at * ROW + ROW / 2, peers, scale, at % 2 === 1));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>${escaped(title)}</title>`,
    STYLE,
    `<rect class="ground" width="${WIDTH}" height="${height}"/>`,
    `<text class="title" x="12" y="22">${escaped(title)}</text>`,
    drawLegend(peers),
    ...rows.map(({ band }) => band),
    drawScale(scale, height),
    ...rows.map(({ marks }) => marks),
    '</svg>',
    '',
  ].join('\n');
}

const STYLE = `<style>
.ground { fill: #ffffff } .band { fill: #f4f5f7 } .grid { stroke: #d5d8dc } .one { stroke: #333840; stroke-width: 1.5 }
text { font: 11px system-ui, sans-serif; fill: #333840 } .title { font-size: 14px; font-weight: 600 }
.tick { text-anchor: middle } .query { text-anchor: end }
@media (prefers-color-scheme: dark) {
.ground { fill: #14171c } .band { fill: #1c2027 } .grid { stroke: #363c45 } .one { stroke: #d5d8dc } text { fill: #d5d8dc }
}
</style>`;

interface Scale {
  readonly least: number;
  readonly most: number;
  x(ratio: number): number;
}

function scaleOf(queries: readonly ComparedQuery[]): Scale {
  const ratios = queries.flatMap(({ peers }) => peers.map(({ ratio }) => ratio).filter((ratio) => ratio !== null));
  const least = Math.min(0.5, ...ratios) / 1.15;
  const most = Math.max(10, ...ratios) * 1.15;
  const length = Math.log(most / least);
  return { least, most, x: (ratio) => LEFT + (Math.log(ratio / least) / length) * (WIDTH - LEFT - RIGHT) };
}

function drawLegend(peers: readonly string[]): string {
  let x = 12;
  return peers
    .map((peer, at) => {
      const mark = `<circle cx="${x + 5}" cy="38" r="${MARK}" fill="${colourOf(at)}"/>`;
      const text = `<text x="${x + 14}" y="42">${escaped(peer)}</text>`;
      x += 30 + peer.length * 6.4;
      return mark + text;
    })
    .join('\n');
}

function drawScale(scale: Scale, height: number): string {
  const bottom = height - BOTTOM;
  return TICKS.filter((tick) => tick >= scale.least && tick <= scale.most)
    .map((tick) => {
      const x = scale.x(tick).toFixed(1);
      const line = `<line class="${tick === 1 ? 'one' : 'grid'}" x1="${x}" x2="${x}" y1="${TOP - 6}" y2="${bottom + 4}"/>`;
      return `${line}<text class="tick" x="${x}" y="${bottom + 18}">${tick.toLocaleString('en-US')}x</text>`;
    })
    .join('\n');
}

function drawRow(
  query: ComparedQuery,
  y: number,
  peers: readonly string[],
  scale: Scale,
  banded: boolean,
): { readonly band: string; readonly marks: string } {
  const band = banded ? `<rect class="band" x="0" y="${y - ROW / 2}" width="${WIDTH}" height="${ROW}"/>` : '';
  const label = `<text class="query" x="${LEFT - 10}" y="${y + 4}">${escaped(query.label)}</text>`;
  const marks = query.peers.map((cell) => drawMark(cell, y, peers.indexOf(cell.peer), scale));
  return { band, marks: [label, ...marks].join('') };
}

/** A peer without a right answer has no mark; one that ran out of time stands at the right end, as a triangle. */
function drawMark({ peer, standing, ratio, figures }: Cell, y: number, at: number, scale: Scale): string {
  if (standing === 'timeout') {
    const x = WIDTH - RIGHT + 4;
    return `<path d="M${x} ${y - 5}l9 5l-9 5z" fill="${colourOf(at)}"><title>${escaped(peer)}: time-out</title></path>`;
  }
  if (ratio === null) return '';
  const what = `${peer}: ${figures?.ms} ms, ${ratio.toPrecision(3)} times`;
  const place = `cx="${scale.x(ratio).toFixed(1)}" cy="${y}" r="${MARK}"`;
  return `<circle ${place} fill="${colourOf(at)}" fill-opacity="0.85"><title>${escaped(what)}</title></circle>`;
}

function colourOf(at: number): string {
  return COLOURS[at % COLOURS.length] as string;
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (found) => `&#${found.charCodeAt(0)};`);
}
