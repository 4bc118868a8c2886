/** Says why no answer came and what to try, by the code alone: messages of such errors may hold what was sent. */
export function networkFailure(code: string, server: string): string {
  return SENTENCES[code]?.(server) ?? `the call of ${server} failed${code && ` (${code})`}`;
}

type Sentence = (server: string) => string;

const cut: Sentence = (server) => {
  const tls = server.startsWith('http:') ? '; if it speaks TLS, base_url has to begin with https://' : '';
  return `${server} cut the connection before it had answered: its log may say why${tls}`;
};

const refused: Sentence = (server) => {
  const inContainer = isLoopback(server) ? ' In a container this address is the container itself.' : '';
  return `${server} refused the connection: is the server running, and is this its port?${inContainer}`;
};

const unreachable: Sentence = (server) =>
  `${server} cannot be reached from this machine: check base_url, the network and its firewalls`;

const slowToConnect: Sentence = (server) =>
  `${server} did not take the connection in time: check host and port of base_url, and firewalls on the way`;

const noTls: Sentence = (server) =>
  `${server} does not speak TLS: does base_url have to begin with http:// instead of https://?`;

const notTrusted: Sentence = (server) =>
  `the certificate of ${server} is not trusted here: NODE_EXTRA_CA_CERTS can name the certificate of an authority of your own`;

const stopping: Sentence = () => 'the service is stopping';

const SENTENCES: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: refused,
  ECONNRESET: cut,
  EPIPE: cut,
  UND_ERR_SOCKET: cut,
  ENOTFOUND: (server) => `the host name of ${server} is not known: check base_url for a typing error`,
  EAI_AGAIN: (server) =>
    `the host name of ${server} cannot be looked up now: is this machine on the network, and does its DNS server answer?`,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: slowToConnect,
  UND_ERR_CONNECT_TIMEOUT: slowToConnect,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
  ERR_TLS_CERT_ALTNAME_INVALID: (server) => `the certificate of ${server} is for another host name: check base_url`,
  CERT_HAS_EXPIRED: (server) =>
    `the certificate of ${server} has expired: it has to be renewed there, unless the clock of this machine is wrong`,
  DEPTH_ZERO_SELF_SIGNED_CERT: notTrusted,
  SELF_SIGNED_CERT_IN_CHAIN: notTrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: notTrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: notTrusted,
  UND_ERR_HEADERS_OVERFLOW: (server) => `the headers of the answer of ${server} are too large`,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: (server) => `the answer of ${server} is not as long as it says`,
  UND_ERR_DESTROYED: stopping,
  UND_ERR_CLOSED: stopping,
};

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const isLoopback = (server: string): boolean => LOOPBACK.test(URL.parse(server)?.hostname ?? '');
