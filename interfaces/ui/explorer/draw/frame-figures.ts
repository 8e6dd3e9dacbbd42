/** How long the page's own code took a frame, and how many frames there are a second, of the last `FRAMES` frames. */

export const FRAMES = 300;

export class FrameFigures {
  /** Milliseconds of JavaScript of the last frames, in no order. */
  readonly script = new Float64Array(FRAMES);
  /** Milliseconds from a frame to the next. */
  readonly between = new Float64Array(FRAMES);
  frames = 0;
  #last = Number.NaN;
  #outside = 0;

  /** Work for a frame that is done before it, in milliseconds: a message that was taken, a graph that was made ready. */
  add(milliseconds: number): void {
    this.#outside += milliseconds;
  }

  frame(startedAt: number, endedAt: number): void {
    const at = this.frames % FRAMES;
    this.script[at] = endedAt - startedAt + this.#outside;
    this.between[at] = Number.isNaN(this.#last) ? 0 : startedAt - this.#last;
    this.#last = startedAt;
    this.#outside = 0;
    this.frames++;
  }

  /** Nothing was drawn for a while: the time until the next frame says nothing. */
  rest(): void {
    this.#last = Number.NaN;
  }

  reset(): void {
    this.frames = 0;
    this.#outside = 0;
    this.rest();
  }

  /** Milliseconds of script that `share` of the frames stayed within. */
  scriptWithin(share: number): number {
    const known = this.script.slice(0, Math.min(FRAMES, this.frames)).sort();
    return known[Math.min(known.length - 1, Math.ceil(known.length * share) - 1)] ?? 0;
  }

  get framesPerSecond(): number {
    const known = this.between.slice(0, Math.min(FRAMES, this.frames)).filter((one) => one > 0);
    const total = known.reduce((sum, one) => sum + one, 0);
    return total === 0 ? 0 : (1000 * known.length) / total;
  }
}
