/**
 * The texts that are open, in the storage of this browser tab: another tab of the browser has its own, so that neither overwrites the
 * other. What does not fit into the storage stays in memory.
 */

import { newTab, type Tab, type Tabs } from './tabs.js';

const KEY = 'svc-workbench-tabs';

/** `first`: what stands in the only tab where nothing was kept. */
export function keptTabs(first: string): Tabs {
  const only = newTab(first);
  const fresh = { tabs: [only], activeId: only.id };
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(KEY) ?? 'null');
    return isTabs(kept) && kept.tabs.length > 0 ? kept : fresh;
  } catch {
    // What stands there is not ours, or the page may keep nothing.
    return fresh;
  }
}

export function keepTabs(tabs: Tabs): void {
  try {
    sessionStorage.setItem(KEY, JSON.stringify(tabs));
  } catch {
    // There is no room, or the page may keep nothing: the tabs live as long as the page.
  }
}

function isTabs(value: unknown): value is Tabs {
  if (typeof value !== 'object' || value === null || !('tabs' in value) || !Array.isArray(value.tabs)) return false;
  return value.tabs.every(({ id, text }: Partial<Tab>) => typeof id === 'string' && typeof text === 'string');
}
