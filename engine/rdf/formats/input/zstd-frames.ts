/**
 * Frames of Zstandard, as fast as they are made. `@hpcc-js/wasm-zstd` copies what it returns value by value through an array, which takes
 * longer than compressing does; so the copy is made here, from the memory of its module. `node:zlib` replaces it from
 * Node 22.15 on.
 */

import { Zstd } from '@hpcc-js/wasm-zstd';

export type ZstdCompress = (bytes: Uint8Array, level: number) => Uint8Array;

interface HeapBlock {
  readonly ptr: number;
  size: number;
}

/** What the package has inside, as far as it is used here. */
interface Inside {
  readonly _mainModule: {
    dataToHeap(bytes: Uint8Array): HeapBlock;
    malloc(size: number): HeapBlock;
    heapView(block: HeapBlock): Uint8Array;
    free(block: HeapBlock): void;
  };
  readonly _zstdClass: {
    compressBound(size: number): number;
    compress(to: number, room: number, from: number, size: number, level: number): number;
    isError(size: number): number | boolean;
    getErrorName(size: number): string;
  };
}

let loaded: Promise<ZstdCompress> | null = null;

export function loadZstd(): Promise<ZstdCompress> {
  loaded ??= Zstd.load().then(compressorOf);
  return loaded;
}

function compressorOf(encoder: Zstd): ZstdCompress {
  const given: object = encoder;
  if (!hasInside(given)) return (bytes, level) => encoder.compress(bytes, level);
  const { _mainModule: heap, _zstdClass: library } = given;
  return (bytes, level) => {
    const input = heap.dataToHeap(bytes);
    const room = library.compressBound(bytes.length);
    const output = heap.malloc(room);
    try {
      output.size = library.compress(output.ptr, room, input.ptr, input.size, level);
      if (library.isError(output.size)) throw new Error(`zstd: ${library.getErrorName(output.size)}`);
      return heap.heapView(output).slice();
    } finally {
      heap.free(output);
      heap.free(input);
    }
  };
}

/** Another version of the package may be another inside. */
function hasInside(encoder: object): encoder is Inside {
  const { _mainModule: heap, _zstdClass: library } = encoder as Partial<Inside>;
  return typeof heap?.heapView === 'function' && typeof library?.compressBound === 'function';
}
