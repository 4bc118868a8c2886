import type { SpanCost } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { capitalized, formatCostExactly } from '../../components/format.js';

const PARTS: Readonly<Record<string, string>> = {
  input: 'Input',
  cached: 'Input from the cache',
  cache_write: 'Written to the cache',
  cache_write_1h: 'Written for an hour',
  input_audio: 'Audio input',
  cached_audio: 'Audio from the cache',
  input_image: 'Image input',
  cached_image: 'Images from the cache',
  output: 'Output',
  reasoning: 'Reasoning',
  output_audio: 'Audio output',
  output_image: 'Image output',
  web_search: 'Web searches',
  request: 'Fee of the call',
};

/** A part of a cost in words; one that is not known is shown as it is. */
export const partName = (part: string): string => PARTS[part] ?? part;

/** What one, or so many, of something cost: `$2.50 per million`. */
export function unitText(price: number, per: number): string {
  const many = per === 1_000_000 ? 'million' : per === 1_000 ? 'thousand' : formatCount(per);
  return per === 1 ? formatCostExactly(price) : `${formatCostExactly(price)} per ${many}`;
}

/** Who says what a span cost, or why nobody does. */
export function costSourceText({ source, price_source: table, model, service_tier: tier, reason }: SpanCost): string {
  if (source === 'sender') return 'Reported by the sender.';
  if (source === 'provider') return 'Reported by the provider.';
  const why = reason === undefined ? '' : `${capitalized(reason)}.`;
  if (source === null) return why;
  const from = table == null ? 'By the price table' : `By the price table (${table})`;
  const of = model == null ? '' : ` for ${model}`;
  const at = tier == null ? '' : `, service tier ${tier}`;
  return `${from}${of}${at}. ${why}`.trim();
}
