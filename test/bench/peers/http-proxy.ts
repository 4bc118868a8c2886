/** http-proxy-3 as a plain pass-through with keep-alive, the maintained form of http-proxy. */
import { Agent, createServer } from 'node:http';
import { createProxyServer } from 'http-proxy-3';

const [port, upstream] = process.argv.slice(2);
const proxy = createProxyServer({ target: `http://127.0.0.1:${upstream}`, agent: new Agent({ keepAlive: true }) });
proxy.on('error', () => undefined);
createServer((request, response) => proxy.web(request, response)).listen(Number(port), '127.0.0.1');
