/**
 * Names and addresses without a network: what `names` lists resolves as it says, and connections to the addresses that
 * a guarded look-up hands out end at this machine. Import it before anything that looks names up.
 */
import dns, { type LookupAddress } from 'node:dns';
import net, { isIP, type TcpNetConnectOpts } from 'node:net';

/** Addresses of names, answer by answer; the last is given again. */
export const names = new Map<string, string[][]>();
/** Names that were looked up, in turn. */
export const lookedUp: string[] = [];
/** Addresses that were dialled after a guarded look-up. */
export const dialled: string[] = [];

const realLookup = dns.lookup;
const realConnect = net.connect;
type Found = (error: Error | null, addresses: LookupAddress[]) => void;

dns.lookup = ((hostname: string, options: { all: true }, callback: Found) => {
  const answers = names.get(hostname);
  if (!answers) return realLookup(hostname, options, callback);
  lookedUp.push(hostname);
  const addresses = answers.length > 1 ? answers.shift()! : answers[0]!;
  return process.nextTick(() =>
    callback(
      null,
      addresses.map((address) => ({ address, family: isIP(address) })),
    ),
  );
}) as unknown as typeof dns.lookup;

net.connect = ((options: TcpNetConnectOpts, ...rest: unknown[]) => {
  const { lookup } = options;
  if (!lookup) return Reflect.apply(realConnect, net, [options, ...rest]);
  const lookupHere: typeof lookup = (hostname, asked, callback) =>
    lookup(hostname, { ...asked, all: true }, (error, found) => {
      if (error) {
        callback(error, '', 0);
        return;
      }
      dialled.push(...(found as LookupAddress[]).map(({ address }) => address));
      if (asked.all) callback(null, [{ address: '127.0.0.1', family: 4 }]);
      else callback(null, '127.0.0.1', 4);
    });
  return realConnect({ ...options, lookup: lookupHere });
}) as typeof net.connect;
