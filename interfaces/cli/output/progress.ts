/**
 * Progress of a long operation on standard error: one line that is written over on a terminal, one
 * JSON object a line when asked for, nothing otherwise.
 */

import type { Progress } from '../../../engine/base/control.js';

export type ProgressMode = 'terminal' | 'json' | 'none';

export interface ProgressSink {
  report(progress: Progress): void;
  /** Takes the line off the terminal, so that messages begin on an empty one. */
  clear(): void;
}

const ERASE_LINE = '\r\u001b[2K';
const MIN_ELAPSED_MS = 500;

function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}

function clock(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const hours = Math.floor(whole / 3600);
  const rest = `${String(Math.floor((whole % 3600) / 60)).padStart(2, '0')}:${String(whole % 60).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${rest}` : rest;
}

/** The part that is done, from units where their total is known, else from bytes. */
export function partDone({ done, total, bytesRead, bytesTotal }: Progress): number | null {
  if (total !== undefined && total > 0) return Math.min(1, done / total);
  if (bytesRead !== undefined && bytesTotal !== undefined && bytesTotal > 0) return Math.min(1, bytesRead / bytesTotal);
  return null;
}

/** `read  1,200,000 quads  810,000/s  43%  00:12 left` */
export function describeProgress(progress: Progress): string {
  const { phase, done, unit = 'quads', elapsedMs } = progress;
  const parts = [phase, `${count(done)} ${unit}`];
  if (elapsedMs >= MIN_ELAPSED_MS) parts.push(`${count((done * 1000) / elapsedMs)}/s`);
  const part = partDone(progress);
  if (part !== null) {
    parts.push(`${Math.floor(part * 100)}%`);
    if (part > 0 && elapsedMs >= MIN_ELAPSED_MS) parts.push(`${clock((elapsedMs * (1 - part)) / part / 1000)} left`);
  }
  return parts.join('  ');
}

export function progressSink(mode: ProgressMode, write: (text: string) => void, columns: number): ProgressSink {
  let shown = false;
  return {
    report(progress) {
      if (mode === 'json') write(`${JSON.stringify({ event: 'progress', ...progress })}\n`);
      if (mode !== 'terminal') return;
      shown = true;
      write(`${ERASE_LINE}${describeProgress(progress).slice(0, Math.max(20, columns - 1))}`);
    },
    clear() {
      if (shown) write(ERASE_LINE);
      shown = false;
    },
  };
}
