/**
 * Two lanes along time: episodes above, all transactions below, each a bar for an interval, as high as the root of its count.
 * The window is drawn over both; it is moved by the pointer or by its two handles, which are sliders for the keyboard.
 */

import type { Operations } from '../../../clients/typescript/src/index.js';
import { html, nothing, svg, type TemplateResult } from '../parts/lit.js';
import { count } from '../parts/text.js';

export type Buckets = NonNullable<Operations['timeline']['response']['buckets']>;

/** A bar of a lane in its own units. */
const WIDTH = 10;
const HEIGHT = 40;
const MS = 1000;

/** Intervals from the first to the one before the second; both are edges, 0 to `edges`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Lanes {
  readonly buckets: Buckets;
  readonly window: Span;
  /** A moment that the page looks at; null = now. */
  readonly moment: string | null;
  /** `isFinal`: the pointer or the key was let go. */
  moved(span: Span, isFinal: boolean): void;
}

export function edgesOf({ from, to, seconds }: Buckets): number {
  return Math.max(1, Math.ceil((Date.parse(to) - Date.parse(from)) / MS / seconds));
}

/** The instant of an edge, as the server writes it. */
export function instantAt({ from, seconds }: Buckets, edge: number): string {
  return new Date(Date.parse(from) + edge * seconds * MS).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** The edge at or before an instant. */
export function edgeAt(buckets: Buckets, instant: string, round: (value: number) => number): number {
  const edge = round((Date.parse(instant) - Date.parse(buckets.from)) / MS / buckets.seconds);
  return Math.min(Math.max(edge, 0), edgesOf(buckets));
}

export function lanes({ buckets, window, moment, moved }: Lanes): TemplateResult {
  const edges = edgesOf(buckets);
  const placed = buckets.counts.map((of) => ({ ...of, at: edgeAt(buckets, of.from, Math.round) }));
  const lane = (label: string, kind: 'episodes' | 'transactions'): TemplateResult => {
    const most = Math.max(1, ...placed.map((of) => of[kind]));
    const total = placed.reduce((sum, of) => sum + of[kind], 0);
    return html`<div class="lane"><span class="label">${label}</span>
      <svg class=${kind} viewBox="0 0 ${edges * WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}: ${count(total)}, at most ${count(most)} in an interval">
        ${placed.map((of) => bar(of, kind, most, window))}
      </svg></div>`;
  };
  return html`<div class="lanes" @pointerdown=${(event: PointerEvent) => brush(event, edges, moved)}>
      ${lane('Episodes', 'episodes')} ${lane('Transactions', 'transactions')}
      <div class="lane overlay" aria-hidden="true"><span></span>
        <svg viewBox="0 0 ${edges} 1" preserveAspectRatio="none">
          <rect class="outside" x="0" y="0" width=${window.from} height="1"></rect>
          <rect class="outside" x=${window.to} y="0" width=${edges - window.to} height="1"></rect>
          ${moment === null ? nothing : svg`<line class="moment" x1=${edgeAt(buckets, moment, (value) => value)} x2=${edgeAt(buckets, moment, (value) => value)} y1="0" y2="1" vector-effect="non-scaling-stroke"></line>`}
        </svg></div>
    </div>
    <div class="lane handles"><span class="label">Window</span><div class="sliders">
      ${handle('from', { buckets, window, edges, moved })} ${handle('to', { buckets, window, edges, moved })}
    </div></div>
    <div class="lane axis" aria-hidden="true"><span></span><div class="ends"><span>${shortTime(buckets.from)}</span><span>${shortTime(instantAt(buckets, edges / 2))}</span><span>${shortTime(buckets.to)}</span></div></div>`;
}

export function shortTime(instant: string): string {
  return instant.replace('T', ' ').replace(/:00Z$/, '').replace(/Z$/, '');
}

function bar(
  of: { readonly at: number; readonly from: string; readonly episodes: number; readonly transactions: number },
  kind: 'episodes' | 'transactions',
  most: number,
  window: Span,
) {
  if (of[kind] === 0) return nothing;
  const height = Math.max(2, Math.sqrt(of[kind] / most) * HEIGHT);
  const isInside = of.at >= window.from && of.at < window.to;
  return svg`<rect class=${isInside ? 'in' : 'out'} x=${of.at * WIDTH + 1} y=${HEIGHT - height} width=${WIDTH - 2} height=${height}><title>${shortTime(of.from)}: ${count(of[kind])}</title></rect>`;
}

interface Handle extends Pick<Lanes, 'buckets' | 'window' | 'moved'> {
  readonly edges: number;
}

function handle(end: 'from' | 'to', { buckets, window, edges, moved }: Handle): TemplateResult {
  const take = (event: Event, isFinal: boolean): void => {
    const value = Number((event.target as HTMLInputElement).value);
    const from = end === 'from' ? Math.min(value, window.to - 1) : window.from;
    const to = end === 'to' ? Math.max(value, window.from + 1) : window.to;
    moved({ from: Math.max(0, from), to: Math.min(edges, to) }, isFinal);
  };
  return html`<input type="range" class=${end} min="0" max=${edges} step="1" .value=${String(window[end])}
    aria-label=${end === 'from' ? 'Window from' : 'Window to'} aria-valuetext=${shortTime(instantAt(buckets, window[end]))}
    @input=${(event: Event) => take(event, false)} @change=${(event: Event) => take(event, true)} />`;
}

/** Draws a window while the pointer is down. */
function brush(event: PointerEvent, edges: number, moved: Lanes['moved']): void {
  if (event.button !== 0) return;
  const area = event.currentTarget as HTMLElement;
  const drawn = area.querySelector('svg')?.getBoundingClientRect();
  if (drawn === undefined || drawn.width === 0) return;
  const edgeOf = ({ clientX }: PointerEvent, round: (value: number) => number): number =>
    Math.min(Math.max(round(((clientX - drawn.left) / drawn.width) * edges), 0), edges);
  const start = event;
  const spanTo = (at: PointerEvent): Span => {
    const [left, right] = at.clientX < start.clientX ? [at, start] : [start, at];
    const from = Math.min(edgeOf(left, Math.floor), edges - 1);
    return { from, to: Math.max(edgeOf(right, Math.ceil), from + 1) };
  };
  area.setPointerCapture(event.pointerId);
  const move = (at: PointerEvent): void => moved(spanTo(at), false);
  const end = (at: PointerEvent): void => {
    area.removeEventListener('pointermove', move);
    area.removeEventListener('pointerup', end);
    area.removeEventListener('pointercancel', end);
    if (at.type === 'pointerup') moved(spanTo(at), true);
  };
  area.addEventListener('pointermove', move);
  area.addEventListener('pointerup', end);
  area.addEventListener('pointercancel', end);
  event.preventDefault();
}
