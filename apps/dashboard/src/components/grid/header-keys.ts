/**
 * Goes between the headers of a grid that sort.
 * @returns whether the key was one of these, and the grid is to leave it alone.
 */
export function moveInHeader(grid: Element, target: Element, key: string): boolean {
  const headers = sortButtons(grid);
  const at = headers.indexOf(target as HTMLElement);
  if (at === -1) return false;
  if (key !== 'ArrowLeft' && key !== 'ArrowRight') return false;
  headers[at + (key === 'ArrowLeft' ? -1 : 1)]?.focus();
  return true;
}

/** Leads from the first row to the header by which the list is sorted. @returns whether there is any that sorts. */
export function focusHeader(grid: Element): boolean {
  const headers = sortButtons(grid);
  const sorted = headers.find((button) => button.closest('[aria-sort]')?.getAttribute('aria-sort') !== 'none');
  const header = sorted ?? headers[0];
  header?.focus();
  return header !== undefined;
}

function sortButtons(grid: Element): HTMLElement[] {
  return [...grid.querySelectorAll<HTMLElement>('[role=columnheader] button')];
}
