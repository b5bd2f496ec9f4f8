import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A service of a few pets for the programs of `consumers`: they test packages, not the server. */
export interface Service {
  readonly baseUrl: string;
  stop(): void;
}

export async function startService(): Promise<Service> {
  const pets: { id: number }[] = [];
  const server = createServer(async (request, response) => {
    const json = (status: number, value: unknown, headers = {}) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-request-id': 'some', ...headers })
        .end(JSON.stringify(value));
    if (request.headers.authorization === 'Bearer wrong') {
      return json(401, { code: 'unauthorized', message: 'This key is unknown.', status: 401 });
    }
    if (request.method === 'POST') {
      const pet = { id: pets.length + 1, ...JSON.parse(Buffer.concat(await request.toArray()).toString()) };
      pets.push(pet);
      return json(201, pet);
    }
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://service');
    if (/\d$/.test(pathname)) return json(404, { code: 'not_found', message: 'There is no such pet.', status: 404 });
    const after = Number(searchParams.get('after'));
    const page = pets.filter(({ id }) => id > after).slice(0, Number(searchParams.get('limit')));
    return json(200, page, page.length > 0 && { link: `<?limit=1&after=${after + 1}>; rel="next"` });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
