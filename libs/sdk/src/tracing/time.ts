/** 0001-01-01 and 9999-12-31: what four-digit years can write. */
const TIME_MIN = -62_135_596_800_000;
const TIME_MAX = 253_402_300_799_999;

/** @returns milliseconds since the epoch; now for what is no time. */
export function timeOf(given: Date | number | undefined): number {
  const time = given === undefined ? NaN : Number(given);
  return time >= TIME_MIN && time <= TIME_MAX ? time : Date.now();
}

/** @param time milliseconds since the epoch. @returns ISO 8601 in UTC. */
export const formatTime = (time: number): string => new Date(time).toISOString();
