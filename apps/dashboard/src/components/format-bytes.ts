const UNITS = ['bytes', 'KB', 'MB', 'GB'] as const;
const STEP = 1_000;

/** `1 byte`, `999 bytes`, `1.2 KB`, `10 MB`: decimal units, two significant digits at least. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return '1 byte';
  let unit = 0;
  let amount = bytes;
  while (amount >= STEP && unit < UNITS.length - 1) {
    amount /= STEP;
    unit++;
  }
  if (unit === 0) return `${bytes} bytes`;
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${UNITS[unit]}`;
}
