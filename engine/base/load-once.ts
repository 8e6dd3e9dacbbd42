/**
 * Modules that are loaded when they are first needed, by code that is asked again and again: an `import()` of a module that is there
 * already resolves its address anew, which takes a tenth of a millisecond.
 */

/** Gives what `load` gave; loads again after a failure. */
export function loadOnce<Module>(load: () => Promise<Module>): () => Promise<Module> {
  let loaded: Promise<Module> | null = null;
  return () => {
    loaded ??= load().catch((error: unknown) => {
      loaded = null;
      throw error;
    });
    return loaded;
  };
}
