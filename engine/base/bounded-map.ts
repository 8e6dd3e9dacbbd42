/** A map of bounded size, in entries and in bytes: what was used least recently goes first. */

interface Entry<Value> {
  readonly value: Value;
  readonly bytes: number;
}

export class BoundedMap<Value> {
  private readonly entries = new Map<string, Entry<Value>>();
  private bytes = 0;

  constructor(
    private readonly entriesMax: number,
    private readonly bytesMax = Number.POSITIVE_INFINITY,
  ) {}

  get size(): number {
    return this.entries.size;
  }

  get sizeBytes(): number {
    return this.bytes;
  }

  /** The value, which counts as used now. */
  use(key: string): Value | undefined {
    const entry = this.entries.get(key);
    if (entry === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: Value, bytes = 0): void {
    this.delete(key);
    if (bytes > this.bytesMax) return;
    this.entries.set(key, { value, bytes });
    this.bytes += bytes;
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= this.entriesMax && this.bytes <= this.bytesMax) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    const entry = this.entries.get(key);
    if (entry === undefined) return;
    this.entries.delete(key);
    this.bytes -= entry.bytes;
  }
}
