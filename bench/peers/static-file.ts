/** A server of one file, read again for each request: what a replay is held against. */
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const [port, file] = process.argv.slice(2);

createServer((request, response) => {
  request.resume().on('end', async () => {
    const data = await readFile(file!);
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': data.length });
    response.end(data);
  });
}).listen(Number(port), '127.0.0.1');
