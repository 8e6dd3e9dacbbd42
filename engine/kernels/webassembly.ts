/** The part of the WebAssembly interface that the house uses; Node has it, its type package leaves it to the DOM's. */
declare global {
  namespace WebAssembly {
    class Module {
      constructor(bytes: Uint8Array);
    }
    class Memory {
      constructor(descriptor: { initial: number; maximum?: number; shared?: boolean });
      readonly buffer: ArrayBuffer;
      grow(pages: number): number;
    }
    class Instance<Exports = Record<string, unknown>> {
      constructor(module: Module, imports: Record<string, Record<string, unknown>>);
      readonly exports: Exports;
    }
  }
}

export {};
