/** How much a total changed to the period before: `+12%`; `–` where there was none. */
export function describeChange(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return '–';
  const percent = ((now - before) / before) * 100;
  const text = Math.abs(percent) < 10 ? percent.toFixed(1) : String(Math.round(percent));
  return Number(text) === 0 ? '±0%' : `${percent > 0 ? '+' : '−'}${text.replace('-', '')}%`;
}
