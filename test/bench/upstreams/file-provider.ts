import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Serves files of so many octets, each different from the others: /0, /1, … Prints its address. */
const [length = '1000000'] = process.argv.slice(2);
const rest = Buffer.alloc(Number(length) - 16, 'x');

const server = createServer((request, response) => {
  const number = (request.url ?? '/').slice(1);
  response.writeHead(200, {
    'content-type': 'application/pdf',
    'content-length': length,
    etag: `"${number}"`,
    'last-modified': 'Sat, 21 Nov 2026 04:38:00 GMT',
  });
  response.write(number.padEnd(16));
  response.end(rest);
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
