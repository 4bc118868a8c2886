import { z } from 'zod';
import { isNetwork, isHostEntry, NO_HOST_ENTRY } from '../net/addresses.js';

const url = (schemes: readonly string[], message: string) =>
  z.string().refine((text) => schemes.includes(URL.parse(text)?.protocol ?? ''), message);

const SECRET_LENGTH_MIN = 16;

export const settingValue = {
  /** A port to listen on; 0 takes any that is free. */
  port: z.number().int().min(0).max(65_535),
  bytes: z.number().int().min(1),
  httpUrl: url(['http:', 'https:'], 'must be an http(s) URL'),
  redisUrl: url(['redis:', 'rediss:'], 'must be a redis:// or rediss:// URL'),
  postgresUrl: url(['postgres:', 'postgresql:'], 'must be a postgres:// URL'),
  /** A token that somebody shows to be let in. */
  secretText: z.string().min(SECRET_LENGTH_MIN, `must have at least ${SECRET_LENGTH_MIN} characters`),
  hosts: z.array(z.string().refine(isHostEntry, { error: ({ input }) => `${JSON.stringify(input)} ${NO_HOST_ENTRY}` })),
  networks: z.array(
    z
      .string()
      .refine(isNetwork, 'must be an address, a network such as 10.0.0.0/8, or loopback, linklocal, uniquelocal'),
  ),
  /** Seconds from `min` to `max`, as milliseconds. */
  seconds: (min: number, max: number) =>
    z
      .number()
      .min(min)
      .max(max)
      .transform((seconds) => seconds * 1_000),
};
