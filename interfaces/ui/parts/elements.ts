/** Elements by their tag, loaded when they are first needed: how a view shows another one inside of it without importing it. */

type Load = () => Promise<unknown>;

const loads = new Map<string, Load>();

export function offerElement(tag: string, load: Load): void {
  loads.set(tag, load);
}

/** Whether there is such an element. */
export function hasElement(tag: string): boolean {
  return loads.has(tag);
}

export async function loadElement(tag: string): Promise<void> {
  await loads.get(tag)?.();
}
