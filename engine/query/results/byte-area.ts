/**
 * A growing area of bytes: what has been written stays where it is by offset. In front lies what is kept
 * for later, behind it what is being put together; both are in one array, so that a copy from one to the
 * other needs no view.
 */

const FIRST_BYTES = 1024;
/** Up to so many bytes are copied one by one: a call costs more. */
const LOOP_MAX = 20;
const SHORT_TEXT = 48;
const NO_BYTES = Buffer.alloc(0);

/** The memory of an area that is done with, for the next one of the thread. */
let spare: Buffer | null = null;
const SPARE_BYTES_MAX = 256 * 1024;

export class ByteArea {
  bytes: Buffer = spare ?? Buffer.from(new ArrayBuffer(FIRST_BYTES));
  /** Where the next byte goes. */
  end = 0;

  constructor() {
    spare = null;
  }

  /** The end of the area: its memory is another's from now on. */
  release(): void {
    if (this.bytes.length <= SPARE_BYTES_MAX && this.bytes.length > 0) spare = this.bytes;
    this.bytes = NO_BYTES;
    this.end = 0;
  }

  /** Room for so many bytes more. */
  reserve(more: number): void {
    const needed = this.end + more;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.from(new ArrayBuffer(Math.max(needed, 2 * this.bytes.length)));
    grown.set(this.bytes.subarray(0, this.end));
    this.bytes = grown;
  }

  /** Needs room. */
  put(from: Uint8Array): void {
    const { bytes } = this;
    let at = this.end;
    for (let index = 0; index < from.length; index++) bytes[at++] = from[index] as number;
    this.end = at;
  }

  /** Copies what lies at an offset of this very area. Needs room. */
  copy(offset: number, length: number): void {
    const { bytes } = this;
    let at = this.end;
    if (length > LOOP_MAX) {
      bytes.copyWithin(at, offset, offset + length);
      this.end = at + length;
      return;
    }
    for (let from = offset; from < offset + length; from++) bytes[at++] = bytes[from] as number;
    this.end = at;
  }

  /** Appends bytes as long as all are plain; false, and nothing appended, when one is not. */
  putPlain(from: Uint8Array, start: number, end: number, plain: Uint8Array): boolean {
    this.reserve(end - start);
    const { bytes } = this;
    let at = this.end;
    for (let index = start; index < end; index++) {
      const byte = from[index] as number;
      if (plain[byte] === 0) return false;
      bytes[at++] = byte;
    }
    this.end = at;
    return true;
  }

  /** Appends a text as UTF-8. */
  putText(text: string): void {
    this.reserve(3 * text.length);
    const { bytes } = this;
    if (text.length <= SHORT_TEXT) {
      let at = this.end;
      let index = 0;
      for (; index < text.length; index++) {
        const code = text.charCodeAt(index);
        if (code > 0x7f) break;
        bytes[at++] = code;
      }
      if (index === text.length) {
        this.end = at;
        return;
      }
    }
    this.end += bytes.write(text, this.end, 'utf8');
  }
}
