import { slim, TEXT_CHARS, tooSmall } from './slim.js';

export interface Part {
  name: string;
  value: unknown;
}

/** Writes parts that fit, the first one always; what is left out is named with its characters. @throws Invalid */
export function fitParts([first, ...others]: readonly [Part, ...Part[]], maxChars: number): string {
  const shown: Record<string, unknown> = {};
  const leftOut: Record<string, number> = Object.fromEntries(
    others.map(({ name, value }) => [name, JSON.stringify(value).length]),
  );
  // Room for the names of everything that may be left out.
  const reserved = JSON.stringify({ left_out: leftOut }).length;
  shown[first.name] = fitFirst(first, maxChars, reserved);
  for (const { name, value } of others) {
    if (JSON.stringify({ ...shown, [name]: value }).length + reserved > maxChars) continue;
    shown[name] = value;
    delete leftOut[name];
  }
  return JSON.stringify(Object.keys(leftOut).length === 0 ? shown : { ...shown, left_out: leftOut });
}

function fitFirst({ name, value }: Part, maxChars: number, reserved: number): unknown {
  let needed = 0;
  for (const chars of TEXT_CHARS) {
    const cut = slim(value, chars);
    needed = JSON.stringify({ [name]: cut }).length + reserved;
    if (needed <= maxChars) return cut;
  }
  throw tooSmall(needed);
}
