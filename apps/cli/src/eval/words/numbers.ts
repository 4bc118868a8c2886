import { NONE } from '@spandrel/contract/browser';
import { costText, durationText } from '../../client/output/units.js';

type Maybe = number | null | undefined;

/** Milliseconds: `85 ms`, `1.49 s`. */
export const formatLatency = (ms: Maybe): string => durationText(ms) || NONE;

/** Dollars: `$1.20`, `$0.00032`. */
export const formatDollars = (dollars: Maybe): string => costText(dollars) || NONE;
