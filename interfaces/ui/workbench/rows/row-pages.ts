/**
 * Lines of an answer, however many, in little memory: they are cut into pages as they arrive, and a page that is full is
 * compressed. A line is found by the number of the first line of its page. Few pages are open at a time, those looked at last.
 *
 * Lines of answers compress by about ten, so that a million rows of 100 bytes take some 10 MB. What is more than
 * `PACKED_BYTES_MAX` is not taken.
 */

/** A page is full at the first end of a line behind so many bytes: some ms to open. */
const PAGE_BYTES = 256 * 1024;
/** Pages that are open at once: what a tall window shows and what stands before and behind it. */
const OPEN_PAGES_MAX = 6;
/** Of all compressed pages: a quarter of what a browser gives a tab without complaint. */
export const PACKED_BYTES_MAX = 256 * 1024 * 1024;
const LINE_FEED = 0x0a;

interface PackedPage {
  readonly firstLine: number;
  readonly lines: number;
  readonly packed: Uint8Array<ArrayBuffer>;
}

export class RowPages {
  readonly #pages: PackedPage[] = [];
  /** Text of the pages that were looked at, the last one last. */
  readonly #open = new Map<number, readonly string[]>();
  /** Of the page that is being filled. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;
  #lines = 0;
  #firstLine = 0;
  #packedBytes = 0;
  #filling: readonly string[] | null = null;

  get lines(): number {
    return this.#firstLine + this.#lines;
  }

  get packedBytes(): number {
    return this.#packedBytes;
  }

  get isFull(): boolean {
    return this.#packedBytes >= PACKED_BYTES_MAX;
  }

  /** Takes the bytes over. Settles when what is full is compressed, so that no more arrives than is put away. */
  async append(chunk: Uint8Array): Promise<void> {
    let from = 0;
    let at = chunk.indexOf(LINE_FEED);
    while (at >= 0) {
      this.#lines++;
      if (this.#bytes + at + 1 - from >= PAGE_BYTES) {
        this.#push(chunk.subarray(from, at + 1));
        await this.#seal();
        from = at + 1;
      }
      at = chunk.indexOf(LINE_FEED, at + 1);
    }
    if (from < chunk.length) this.#push(chunk.subarray(from));
  }

  /** The last line need not end. */
  finish(): void {
    const last = this.#pieces.at(-1);
    if (last === undefined || last.at(-1) === LINE_FEED) return;
    this.#push(Uint8Array.of(LINE_FEED));
    this.#lines++;
  }

  /** Lines `from` to `to`, without it; fewer where there are no more. */
  async slice(from: number, to: number): Promise<string[]> {
    const found: string[] = [];
    for (let line = from; line < Math.min(to, this.lines); ) {
      const { firstLine, lines } = await this.#pageOf(line);
      const taken = lines.slice(line - firstLine, to - firstLine);
      found.push(...taken);
      line += taken.length;
    }
    return found;
  }

  #push(piece: Uint8Array): void {
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this.#filling = null;
  }

  async #seal(): Promise<void> {
    const [pieces, firstLine, lines] = [this.#pieces, this.#firstLine, this.#lines];
    const packed = await through(pieces, new CompressionStream('gzip'));
    this.#pages.push({ firstLine, lines, packed });
    this.#packedBytes += packed.length;
    this.#firstLine += lines;
    this.#pieces = [];
    this.#bytes = 0;
    this.#lines = 0;
    this.#filling = null;
  }

  async #pageOf(line: number): Promise<{ readonly firstLine: number; readonly lines: readonly string[] }> {
    if (line >= this.#firstLine) {
      this.#filling ??= linesOf(joined(this.#pieces), this.#lines);
      return { firstLine: this.#firstLine, lines: this.#filling };
    }
    let [low, high] = [0, this.#pages.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#pages[middle] as PackedPage).firstLine <= line) low = middle;
      else high = middle - 1;
    }
    const page = this.#pages[low] as PackedPage;
    const lines =
      this.#open.get(low) ?? linesOf(await through([page.packed], new DecompressionStream('gzip')), page.lines);
    this.#open.delete(low);
    this.#open.set(low, lines);
    if (this.#open.size > OPEN_PAGES_MAX) this.#open.delete(this.#open.keys().next().value as number);
    return { firstLine: page.firstLine, lines };
  }
}

function linesOf(bytes: Uint8Array, count: number): readonly string[] {
  return new TextDecoder()
    .decode(bytes)
    .split('\n', count)
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

async function through(
  pieces: readonly Uint8Array[],
  stream: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const answer = new Response(stream.readable).arrayBuffer();
  const writer = stream.writable.getWriter();
  for (const piece of pieces) await writer.write(piece as Uint8Array<ArrayBuffer>);
  await writer.close();
  return new Uint8Array(await answer);
}
