/** http-proxy-3, the maintained form of http-proxy, as a plain pass-through: as it comes, or with `keep-alive`. */
import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'http-proxy-3';

const [port, upstream, keepAlive] = process.argv.slice(2);
const proxy = createProxyServer({
  target: `http://127.0.0.1:${upstream}`,
  ...(keepAlive && { agent: new Agent({ keepAlive: true }) }),
});
proxy.on('error', () => undefined);
createServer((request, response) => proxy.web(request, response)).listen(Number(port), '127.0.0.1');
