import type { Style } from './styles.js';

const STYLES: Readonly<Record<string, Style>> = { failed: 'red', running: 'yellow', completed: 'green' };

/** @returns the colour of a status of a span, a trace or a run. */
export const statusStyle = (status: string): Style | undefined => STYLES[status];
