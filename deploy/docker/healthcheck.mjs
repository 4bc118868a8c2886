/**
 * Ends with 0 when the program in this container answers `/livez`, else with 1: the images' HEALTHCHECK, which have no curl.
 * Usage: healthcheck.mjs server|gateway. Ports are read from SPANDREL_PORT and SPANDREL_GATEWAY_PORT, as the program does;
 * ports set in a --config file are not seen.
 */
const TIMEOUT_MS = 2_500;

const apiPort = Number(process.env.SPANDREL_PORT || 3000);
const port = process.argv[2] === 'gateway' ? Number(process.env.SPANDREL_GATEWAY_PORT || apiPort + 1) : apiPort;

const isAlive = await fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(TIMEOUT_MS) }).then(
  ({ ok }) => ok,
  () => false,
);
process.exit(isAlive ? 0 : 1);
