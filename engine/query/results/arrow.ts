/**
 * Rows as an Arrow IPC stream: a record batch for each chunk of rows. Kinds, datatypes and languages
 * are dictionary encoded; their dictionaries are sent again when they have grown, never as deltas,
 * which few readers know.
 *
 * `apache-arrow` stands behind this file: it knows the metadata of the format. The columns are laid
 * out here; some 300 lines of flatbuffers would replace it.
 */

import {
  Bool,
  type Data,
  type DataType,
  DateDay,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  makeVector,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  Utf8,
  type Vector,
} from 'apache-arrow';
import { type FlatChunk, type FlatTerm, type FlatVariable, flatChunks, flatVariables } from './flat-columns.js';
import type { SelectResult } from './result.js';
import { type ValueType, valueAs } from './typed-values.js';

/** A dictionary starts anew beyond this, so that hostile data cannot make it grow for ever. */
const DICTIONARY_ENTRIES_MAX = 4096;

type Terms = readonly (FlatTerm | null)[];

interface Column {
  readonly field: Field;
  build(terms: Terms): Data;
}

export async function* arrowChunks(result: SelectResult): AsyncGenerator<Uint8Array, void, undefined> {
  const writer = new PieceWriter();
  let columns: (readonly Column[])[] | null = null;
  let schema = new Schema([]);
  for await (const chunk of flatChunks(result)) {
    if (columns === null) {
      columns = flatVariables(result.variables, chunk).map(columnsOf);
      schema = new Schema(columns.flat().map(({ field }) => field));
    }
    writer.write(recordBatch(schema, columns, chunk));
    yield* writer.take();
  }
  writer.finish();
  yield* writer.take();
}

/** Gathers what the library writes, to be handed on when it is asked for. */
class PieceWriter extends RecordBatchStreamWriter {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  protected override _write(chunk: ArrayBufferView | ArrayBufferLike): this {
    const piece = ArrayBuffer.isView(chunk)
      ? new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength)
      : new Uint8Array(chunk);
    if (!this._started || piece.length === 0) return this;
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    this._position += piece.length;
    return this;
  }

  *take(): Generator<Uint8Array> {
    if (this.#bytes === 0) return;
    const whole = new Uint8Array(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      whole.set(piece, at);
      at += piece.length;
    }
    this.#pieces = [];
    this.#bytes = 0;
    yield whole;
  }
}

function recordBatch(schema: Schema, columns: readonly (readonly Column[])[], chunk: FlatChunk): RecordBatch {
  const children = columns.flatMap((own, at) => own.map((column) => column.build(chunk.terms[at] as Terms)));
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: chunk.rows, children }));
}

function columnsOf(variable: FlatVariable): readonly Column[] {
  return [
    textColumn(variable.text),
    new DictionaryColumn(variable.kind, (term) => term.kind),
    new DictionaryColumn(variable.datatype, (term) => term.datatype),
    new DictionaryColumn(variable.language, (term) => term.language),
    ...(variable.type === null ? [] : [valueColumn(variable.value, variable.type)]),
  ];
}

function textColumn(name: string): Column {
  return {
    field: new Field(name, new Utf8(), true),
    build: (terms) => textData(terms.map((term) => term?.text ?? null)),
  };
}

/** Texts one behind the other, with the offset of each. */
function textData(texts: readonly (string | null)[]): Data<Utf8> {
  const length = texts.length;
  const data = new TextEncoder().encode(texts.join(''));
  const valueOffsets = new Int32Array(length + 1);
  const nulls = new NullBits(length);
  let characters = 0;
  for (const text of texts) characters += text?.length ?? 0;
  // As many bytes as UTF-16 units: all of it is ASCII.
  const plain = characters === data.length;
  for (let row = 0; row < length; row++) {
    const text = texts[row] as string | null;
    if (text !== null) nulls.set(row);
    const bytes = text === null ? 0 : plain ? text.length : Buffer.byteLength(text);
    valueOffsets[row + 1] = (valueOffsets[row] as number) + bytes;
  }
  return makeData({ type: new Utf8(), length, valueOffsets, data, ...nulls.parts() });
}

class DictionaryColumn implements Column {
  readonly field: Field;
  readonly #type = new Dictionary(new Utf8(), new Int32());
  readonly #textOf: (term: FlatTerm) => string | null;
  #numbers = new Map<string, number>();
  #vector: Vector<Utf8> | null = null;

  constructor(name: string, textOf: (term: FlatTerm) => string | null) {
    this.field = new Field(name, this.#type, true);
    this.#textOf = textOf;
  }

  build(terms: Terms): Data {
    const known = this.#numbers.size;
    if (known > DICTIONARY_ENTRIES_MAX) this.#numbers = new Map();
    const length = terms.length;
    const data = new Int32Array(length);
    const nulls = new NullBits(length);
    for (let row = 0; row < length; row++) {
      const term = terms[row] as FlatTerm | null;
      const text = term === null ? null : this.#textOf(term);
      if (text === null) continue;
      nulls.set(row);
      data[row] = this.#numberOf(text);
    }
    // The writer sends a dictionary again when it is another object.
    if (this.#vector === null || this.#numbers.size !== known) {
      this.#vector = makeVector(textData([...this.#numbers.keys()]));
    }
    return makeData({ type: this.#type, length, data, dictionary: this.#vector, ...nulls.parts() });
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}

const ARROW_TYPES: Readonly<Record<ValueType, () => DataType>> = {
  boolean: () => new Bool(),
  int64: () => new Int64(),
  float64: () => new Float64(),
  date: () => new DateDay(),
  timestamp: () => new TimestampMicrosecond(),
  timestampUtc: () => new TimestampMicrosecond('UTC'),
};

function valueColumn(name: string, valueType: ValueType): Column {
  const type = ARROW_TYPES[valueType]();
  return {
    field: new Field(name, type, true),
    build(terms) {
      const length = terms.length;
      const nulls = new NullBits(length);
      const values = new ValueBuffer(valueType, length);
      for (let row = 0; row < length; row++) {
        const value = valueAs(valueType, terms[row]?.typed ?? null);
        if (value === null) continue;
        nulls.set(row);
        values.set(row, value);
      }
      return makeData({ type, length, data: values.data, ...nulls.parts() } as Parameters<typeof makeData>[0]);
    },
  };
}

/** The values of a column in the layout of their type. */
class ValueBuffer {
  readonly data: Uint8Array | Int32Array | Float64Array | BigInt64Array;

  constructor(type: ValueType, length: number) {
    if (type === 'boolean') this.data = new Uint8Array(bitmapBytes(length));
    else if (type === 'date') this.data = new Int32Array(length);
    else if (type === 'float64') this.data = new Float64Array(length);
    else this.data = new BigInt64Array(length);
  }

  set(row: number, value: number | bigint): void {
    const { data } = this;
    if (data instanceof BigInt64Array) data[row] = BigInt(value);
    else if (!(data instanceof Uint8Array)) data[row] = value as number;
    else if (value === 1) setBit(data, row);
  }
}

class NullBits {
  readonly #bits: Uint8Array;
  #nulls: number;

  constructor(length: number) {
    this.#bits = new Uint8Array(bitmapBytes(length));
    this.#nulls = length;
  }

  /** Marks a row as one that has a value. */
  set(row: number): void {
    setBit(this.#bits, row);
    this.#nulls--;
  }

  parts(): { nullCount: number; nullBitmap: Uint8Array } {
    return { nullCount: this.#nulls, nullBitmap: this.#bits };
  }
}

function bitmapBytes(length: number): number {
  return Math.ceil(length / 64) * 8;
}

function setBit(bits: Uint8Array, at: number): void {
  bits[at >> 3] = (bits[at >> 3] as number) | (1 << (at & 7));
}
