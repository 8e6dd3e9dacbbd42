/** A page of another origin than the server's, which shows its elements. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ForeignPage {
  readonly origin: string;
  /** What stands in its body. */
  show(body: string): void;
  close(): Promise<void>;
}

/** `query`: what answers `/query` there, as if it were a server, too. */
export async function foreignPage(query?: (response: ServerResponse) => void): Promise<ForeignPage> {
  let shown = '';
  const server = createServer((request, response) => {
    if (query !== undefined && request.url === '/query') {
      query(response);
      return;
    }
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(
      `<!doctype html><html lang="en"><head><title>Foreign</title><link rel="icon" href="data:,"></head><body>${shown}</body></html>`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (body) => {
      shown = body;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
